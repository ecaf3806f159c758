import Foundation
import Glibc
import Synchronization
import TestSupport

/// A connection whose answer goes on: what has come so far, and what comes next.
final class OpenConnection: Sendable {
  private let socket: Int32
  private let received = Mutex<[UInt8]>([])
  private let isClosed = Mutex(false)

  init(port: Int, request: String) throws {
    socket = try RawHTTP.connect(port: port)
    let bytes = Array(request.utf8)
    guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw RawHTTP.Failure(reason: "send: \(errno)")
    }
  }

  deinit { close() }

  /// The client goes away.
  func close() {
    let isFirst = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    if isFirst { Glibc.close(socket) }
  }

  /// Reads until the text has come, and returns everything that has come so far.
  @discardableResult
  func read(until text: String) async throws -> String {
    try await read { String(decoding: $0, as: UTF8.self).contains(text) }
  }

  /// Reads until the server closes.
  func readToEnd() async throws -> String { try await read { _ in false } }

  private func read(_ isEnough: @escaping @Sendable ([UInt8]) -> Bool) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      // A thread of its own: blocked threads of the shared pool would starve the server that is to answer.
      Thread.detachNewThread { [self] in
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !received.withLock({ isEnough($0) }) {
          let count = recv(socket, &buffer, buffer.count, 0)
          if count < 0 && errno == EINTR { continue }
          if count < 0 {
            let failure = RawHTTP.Failure(reason: "nothing in 30 seconds, or an error: \(errno)")
            return continuation.resume(throwing: failure)
          }
          guard count > 0 else { break }
          received.withLock { $0 += buffer[..<count] }
        }
        continuation.resume(returning: received.withLock { String(decoding: $0, as: UTF8.self) })
      }
    }
  }
}
