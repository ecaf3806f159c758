import StrictJSON

/// Why JetStream does not do what it was asked, in its own numbers and words.
package struct JetStreamRefusal: Error, Sendable, Hashable {
  /// As a status of HTTP: 4xx is about what was asked, 503 about the server.
  package let code: Int
  /// The number of the reason (nats-server's `server/errors.json`).
  package let reason: Int
  /// Its words, in one line.
  package let text: String

  /// A refusal.
  package init(code: Int, reason: Int, text: String) { (self.code, self.reason, self.text) = (code, reason, text) }

  /// Reasons that callers tell apart.
  package enum Reason {
    /// The stream cannot store it: it is full, or its disk.
    package static let storeFailed = 10077
    /// The message has more bytes than the stream takes.
    package static let messageTooLong = 10054
    /// There is no such stream.
    package static let noStream = 10059
    /// There is no such consumer.
    package static let noConsumer = 10014
    /// JetStream is not switched on at the server, or not for this account.
    package static let notEnabled = [10076, 10039]
  }

  init?(_ answer: JSONElement) {
    guard let error = answer.member("error"), error.kind == .object else { return nil }
    self.init(
      code: error.integer("code") ?? 0, reason: error.integer("err_code") ?? 0,
      text: (error.member("description")?.asString ?? "").oneLineOfServer)
  }
}

/// What JetStream answers to a message: which stream has it.
package struct JetStreamAcknowledgement: Sendable, Hashable {
  /// The stream.
  package let stream: String
  /// The message's number there.
  package let sequence: UInt64
  /// Whether the stream had a message of the same `Nats-Msg-Id`, and has stored no other.
  package let isDuplicate: Bool

  /// The answer to a message.
  ///
  /// - Throws: ``JetStreamRefusal``; with code 0 for what is no answer of JetStream.
  package init(_ payload: [UInt8]) throws(JetStreamRefusal) {
    let answer = try JetStreamAnswer.object(payload)
    guard let stream = answer.member("stream")?.asString, let sequence = answer.unsigned("seq"), sequence > 0 else {
      throw JetStreamAnswer.foreign
    }
    self.stream = stream
    self.sequence = sequence
    isDuplicate = answer.member("duplicate")?.asBool ?? false
  }
}

/// Answers of JetStream as JSON.
enum JetStreamAnswer {
  private static let rules = JSONRules(size: 1 << 20, depth: 16, allowsDuplicateKeys: true)
  static let foreign = JetStreamRefusal(code: 0, reason: 0, text: "this is no answer of JetStream")

  /// The object that an answer is.
  ///
  /// - Throws: ``JetStreamRefusal`` that it says; ``foreign``.
  static func object(_ payload: [UInt8]) throws(JetStreamRefusal) -> JSONElement {
    guard let document = try? JSONDocument(payload, rules: rules), document.root.kind == .object else { throw foreign }
    if let refusal = JetStreamRefusal(document.root) { throw refusal }
    return document.root
  }
}

extension JSONElement {
  func integer(_ name: String) -> Int? { member(name)?.numeral.flatMap { Int($0) } }
  func unsigned(_ name: String) -> UInt64? { member(name)?.numeral.flatMap { UInt64($0) } }
}
