import NATSClient
import StrictJSON

/// What JetStream answers to a question of its API.
enum StreamAnswer {
  /// What is asked for is there, or was made: the answer.
  case done(JSONElement)
  /// There is no such stream or consumer.
  case absent
  /// It refuses, in its own words.
  case refused(String)

  /// - Throws: ``NATSError`` with code `nats_server` for what is no answer of JetStream's.
  init(_ message: NATSMessage) throws(NATSError) {
    let document: JSONDocument
    do { document = try JSONDocument(message.payload, rules: JSONRules(depth: 16)) } catch {
      throw NATSError(.server, "what answers for JetStream is not JSON")
    }
    guard let error = document.root.member("error") else {
      self = .done(document.root)
      return
    }
    let words = error.member("description")?.asString ?? "no reason"
    self = error.member("code")?.numeral == "404" ? .absent : .refused(words)
  }
}

extension NATSConnection {
  /// Asks JetStream.
  ///
  /// - Throws: ``NATSError``: as ``NATSConnection/request(_:headers:payload:timeout:)`` does.
  func ask(_ subject: String, _ body: [UInt8]) async throws(NATSError) -> StreamAnswer {
    let message: NATSMessage
    do { message = try await request("$JS.API.\(subject)", payload: body) } catch {
      guard error.code == .noResponders else { throw error }
      throw NATSError(
        .jetStream, "the server of NATS has no JetStream, or not for this key",
        hint: "its configuration needs `jetstream { ... }`, and a cluster a majority of its servers")
    }
    return try StreamAnswer(message)
  }
}
