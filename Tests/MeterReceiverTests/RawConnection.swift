import Foundation
import Glibc
import TestSupport

/// A connection to a server that a test holds in its hand.
final class RawConnection: Sendable {
  private let socket: Int32

  init(port: Int) throws { socket = try RawHTTP.connect(port: port) }
  deinit { close(socket) }

  @discardableResult
  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// Reads until the text has come, or the server's end; on a thread of its own, which a blocked task must not take from others.
  func read(until text: String? = nil) async throws -> String {
    try await onOwnThread { [socket] in
      var (answer, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
      while true {
        if let text, String(decoding: answer, as: UTF8.self).contains(text) { break }
        let count = recv(socket, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN { throw RawHTTP.Failure(reason: "nothing in 30 seconds") }
        guard count > 0 else { break }
        answer += buffer[..<count]
      }
      return String(decoding: answer, as: UTF8.self)
    }
  }

  /// Goes on sending bytes until the server has closed the connection.
  func dripsUntilItIsCut() async throws {
    try await onOwnThread { [self] in
      while send("x") {
        var entry = pollfd(fd: socket, events: 0, revents: 0)
        // An error or a hang-up is told unasked.
        if poll(&entry, 1, 10) > 0, Int32(entry.revents) & (POLLERR | POLLHUP) != 0 { return }
      }
    }
  }
}
