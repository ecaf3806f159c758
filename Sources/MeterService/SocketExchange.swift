import Foundation
import GatewayAPI
import Glibc
import Synchronization

/// One HTTP exchange over the control socket, on a thread of its own. What comes is handed out as it comes; a reader that
/// takes its time makes the service wait.
///
/// Without libcurl, which would bring thirty libraries into each command that asks: a command is to begin at once.
final class SocketExchange: Sendable {
  /// What comes, in this order: one head, parts of the body.
  enum Part: Sendable {
    case head(status: Int, conversation: String?)
    case body(Data)
  }

  private let parts: AsyncThrowingStream<Part, any Error>
  private let room: DispatchSemaphore
  private let isAbandoned: Abandonment

  /// So many parts may wait for the reader.
  private static let depth = 64

  init(_ method: String, _ path: String, body: Data, socket: ControlSocket) {
    let (parts, sink) = AsyncThrowingStream<Part, any Error>.makeStream()
    // From 0 on: a semaphore that is released below the value that it was made with ends the process, and a reader may go
    // away while parts wait.
    let room = DispatchSemaphore(value: 0)
    for _ in 0..<Self.depth { room.signal() }
    let abandonment = Abandonment()
    self.parts = parts
    self.room = room
    isAbandoned = abandonment
    let transfer = Transfer(method: method, path: path, body: body, socket: socket) { part in
      room.wait()
      sink.yield(part)
      return !abandonment.isRaised
    }
    Thread {
      do {
        try transfer.run()
        sink.finish()
      } catch {
        sink.finish(throwing: error)
      }
    }.start()
  }

  deinit {
    isAbandoned.raise()
    // The thread may wait for room that nobody makes any more.
    room.signal()
  }

  /// Hands the parts to a body, one at a time.
  ///
  /// - Throws: `ControlSocket.Unreachable`, ``GatewayError`` with code `service_lost`, and what the body throws.
  func forEach(_ body: (Part) async throws -> Void) async throws {
    for try await part in parts {
      room.signal()
      try await body(part)
    }
  }
}

/// Says that nobody reads an exchange any more.
final class Abandonment: Sendable {
  private let state = Mutex(false)
  var isRaised: Bool { state.withLock { $0 } }
  func raise() { state.withLock { $0 = true } }
}

/// The transfer itself, on a thread that may wait.
private struct Transfer: Sendable {
  let method: String
  let path: String
  let body: Data
  let socket: ControlSocket
  /// Takes a part; false when nobody wants more.
  let hand: @Sendable (SocketExchange.Part) -> Bool

  func run() throws {
    let connection = try socket.connect()
    defer { close(connection) }
    let refusal = send(over: connection)
    var reader = HTTPAnswerReader()
    do {
      while !reader.isOver {
        let bytes = try Self.receive(from: connection)
        for part in try bytes.isEmpty ? reader.closed() : reader.take(bytes) where !hand(part) { return }
      }
    } catch let problem as Problem { throw Self.lost(refusal ?? problem.what) } catch let error
      as HTTPAnswerReader.Malformed
    {
      throw Self.lost(refusal ?? error.what)
    }
  }

  private struct Problem: Error {
    let what: String

    static var ofSystem: Problem { Problem(what: String(cString: strerror(errno))) }
  }

  /// - Returns: Why not all was sent. A service that turns a connection away says so all the same, without having read what was asked.
  private func send(over connection: Int32) -> String? {
    let head = [
      // The host's name is nobody's: the socket says who answers.
      "\(method) \(path) HTTP/1.1", "Host: localhost", "Content-Type: application/json",
      "Content-Length: \(body.count)",
      "\(ControlVersion.headerName): \(ControlVersion.current)", "Connection: close", "", "",
    ]
    var rest = Data(head.joined(separator: "\r\n").utf8) + body
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return Problem.ofSystem.what }
      rest = Data(rest.dropFirst(count))
    }
    return nil
  }

  /// What has come; empty when the service has closed.
  private static func receive(from connection: Int32) throws(Problem) -> Data {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .ofSystem }
      return Data(buffer.prefix(count))
    }
  }

  private static func lost(_ why: String) -> GatewayError {
    GatewayError(
      .temporary, code: ControlClient.serviceLost, "the running service has ended or does not answer: \(why)",
      hint: "what it had on disk is kept; look what it has done before you repeat the command")
  }
}
