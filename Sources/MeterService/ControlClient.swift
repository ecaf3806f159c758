public import Foundation
import Glibc
import HostPrimitives
import MeterCore
public import GatewayAPI

/// A command's side of the control socket: asks the service that owns the state folder.
public struct ControlClient: Sendable {
  /// Code of a ``GatewayError``: the service has ended before its answer was whole.
  public static let serviceLost = "service_lost"

  private let socket: ControlSocket

  /// A client of the service that owns a state folder, if one runs.
  ///
  /// - Throws: ``GatewayError`` with code `control_socket`.
  public init(stateFolder: URL) throws(GatewayError) { socket = try ControlSocket(stateFolder: stateFolder) }

  /// Whether a service may listen there: the folder is this user's, and has its socket, which one that was killed leaves behind.
  package static func mayFindHost(in stateFolder: URL) -> Bool {
    guard FileStatus(following: stateFolder.path)?.owner == geteuid() else { return false }
    return FileStatus(at: "\(stateFolder.path)/\(ControlSocket.fileName)")?.isSocket == true
  }

  /// Has a request performed.
  ///
  /// - Returns: The answer; nil when no service listens.
  /// - Throws: ``GatewayError``: what the request failed with there, or `service_lost`.
  public func perform<R: ControlRequest>(_ request: R) async throws -> R.Answer? {
    guard let (status, body) = try await exchange("POST", "/v1/requests/\(R.name)", ControlJSON.encode(request)) else {
      return nil
    }
    guard status == 200 else { throw Self.failure(body) }
    do { return try ControlJSON.decode(R.Answer.self, body) } catch {
      throw GatewayError(
        .failed, code: "control_version", "the running service's answer cannot be read: \(error)",
        hint: "restart the service, so that both are of one version")
    }
  }

  /// Holds a conversation to its end.
  ///
  /// - Returns: Whether a service listens.
  /// - Throws: ``GatewayError``: what the conversation failed with there, or `service_lost`.
  public func converse<C: ControlConversation>(_ conversation: C, with partner: ControlPartner<C.Event>) async throws
    -> Bool
  {
    let exchange = SocketExchange(
      "POST", "/v1/conversations/\(C.name)", body: try ControlJSON.encode(conversation), socket: socket)
    var reader = ConversationReader<C.Event>()
    // The id of the conversation, known when its head has come.
    let name = FirstOutcome<String?>()
    // The last question's answer: whoever waits for it must hear of the end all the same.
    var asking: Task<Void, Never>?
    defer { asking?.cancel() }
    do {
      try await partner.patience.during {
        // On its own: giving up is asked for where nobody can wait.
        Task {
          if let id = await name.value { _ = try await self.exchange("DELETE", "/v1/conversations/\(id)", Data()) }
        }
      } _: {
        try await exchange.forEach { part in
          if case .head(_, let id) = part { name.settle(id) }
          for line in try reader.take(part) {
            if let question = line.question {
              asking?.cancel()
              asking = Task { await ask(question, name, partner) }
            }
            if let event = line.event { await partner.tell(event) }
            if let error = line.error { throw GatewayError(error) }
          }
        }
      }
    } catch is ControlSocket.Unreachable {
      name.settle(nil)
      return false
    } catch {
      name.settle(nil)
      throw error
    }
    name.settle(nil)
    try reader.finish()
    return true
  }

  private func ask<Event>(
    _ question: QuestionDescription, _ name: FirstOutcome<String?>, _ partner: ControlPartner<Event>
  ) async {
    let answer = await partner.ask(question)
    guard !Task.isCancelled, let id = await name.value,
      let body = try? ControlJSON.encode(ControlAnswer(question: question.id, answer: answer))
    else { return }
    // A service that is gone is seen where its events come from.
    _ = try? await exchange("POST", "/v1/conversations/\(id)/answers", body)
  }

  private func exchange(_ method: String, _ path: String, _ body: Data) async throws -> (status: Int, body: Data)? {
    let exchange = SocketExchange(method, path, body: body, socket: socket)
    var (status, answer) = (0, Data())
    do {
      try await exchange.forEach { part in
        switch part {
        case .head(let code, _): status = code
        case .body(let bytes): answer += bytes
        }
      }
    } catch is ControlSocket.Unreachable {
      return nil
    }
    return (status, answer)
  }

  static func failure(_ body: Data) -> GatewayError {
    if let failure = try? ControlJSON.decode(ControlFailure.self, body) { return GatewayError(failure.error) }
    return GatewayError(
      .failed, code: ControlClient.serviceLost, "the running service gave an answer that cannot be read")
  }
}

/// Puts the lines of a conversation together from what comes.
private struct ConversationReader<Event: Codable & Sendable> {
  private var status = 0
  private var rest = Data()
  private var isEnded = false

  mutating func take(_ part: SocketExchange.Part) throws -> [ControlLine<Event>] {
    switch part {
    case .head(let status, _): self.status = status
    case .body(let bytes): rest += bytes
    }
    guard status == 200 else { return [] }
    var lines: [ControlLine<Event>] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let text = Data(rest[..<end])
      rest = Data(rest[rest.index(after: end)...])
      if text.isEmpty { continue }
      let line = try ControlJSON.decode(ControlLine<Event>.self, text)
      isEnded = isEnded || line.end == true || line.error != nil
      lines.append(line)
    }
    return lines
  }

  /// - Throws: ``GatewayError`` when the service refused, or broke off.
  func finish() throws {
    guard status == 200 else { throw ControlClient.failure(rest) }
    guard isEnded else {
      throw GatewayError(
        .temporary, code: ControlClient.serviceLost, "the running service has ended",
        hint: "what was read before is on disk; run the command again")
    }
  }
}
