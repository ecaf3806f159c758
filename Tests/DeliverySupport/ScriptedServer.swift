import Foundation
import Glibc
import Synchronization

/// An HTTP/1.1 server on a real socket that answers by a script and remembers what it was asked.
package final class ScriptedServer: Sendable {
  package struct Request: Sendable {
    package let method: String
    package let path: String
    package let headers: [String: String]
    package let body: [UInt8]
    package let connection: Int
  }

  package enum Reply: Sendable {
    /// Without a body, what a receiver's least answer is: an empty object, or to a refusal one with a reason.
    case answer(Int, headers: [String: String] = [:], body: String? = nil)
    /// The request was read whole; the connection closes without an answer.
    case drop
    /// The connection closes in the middle of the answer.
    case tear
    /// Bytes that are sent as they are; the connection closes after them.
    case raw(String)
    /// No answer until the server stops.
    case silence
  }

  /// Open sockets. Each is closed by the thread that uses it, and shut down only while it is listed here: a number that
  /// was closed may already be another test's socket.
  private final class Sockets: Sendable {
    private let state = Mutex((open: Set<Int32>(), isStopped: false))

    func add(_ socket: Int32) -> Bool {
      state.withLock { state in
        if !state.isStopped { state.open.insert(socket) }
        return !state.isStopped
      }
    }

    func close(_ socket: Int32) {
      state.withLock { state in
        state.open.remove(socket)
        _ = Glibc.close(socket)
      }
    }

    func stop() {
      state.withLock { state in
        state.isStopped = true
        for socket in state.open { shutdown(socket, Int32(SHUT_RDWR)) }
      }
    }
  }

  private let sockets = Sockets()
  private let received = Mutex<[Request]>([])
  package let port: UInt16

  package convenience init(_ script: @escaping @Sendable (Request, _ earlier: [Request]) -> Reply) throws {
    let (descriptor, port) = try listenAtLoopback(backlog: 16)
    self.init(descriptor, port: port, script)
  }

  /// One that listens at a Unix socket.
  package convenience init(
    socketPath: String, _ script: @escaping @Sendable (Request, _ earlier: [Request]) -> Reply
  ) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array(socketPath.utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { throw POSIXError(.ENAMETOOLONG) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isBound, listen(descriptor, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    self.init(descriptor, port: 0, script)
  }

  private init(
    _ descriptor: Int32, port: UInt16, _ script: @escaping @Sendable (Request, _ earlier: [Request]) -> Reply
  ) {
    self.port = port
    _ = sockets.add(descriptor)
    Thread { [weak self, sockets] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return sockets.close(descriptor) }
        guard sockets.add(connection) else {
          sockets.close(connection)
          continue
        }
        Thread { [weak self] in
          while let request = Self.read(connection), let self, self.reply(to: request, connection, script) {}
          sockets.close(connection)
        }.start()
      }
    }.start()
  }

  deinit { stop() }

  package var base: String { "http://127.0.0.1:\(port)" }
  package var requests: [Request] { received.withLock { $0 } }
  /// Requests that carry a reading.
  package var posts: [Request] { requests.filter { $0.method == "POST" } }

  package func stop() { sockets.stop() }

  private static func read(_ connection: Int32) -> Request? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let head = bytes.firstRange(of: end) {
        let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ").map(String.init)
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
          if parts.count == 2 { headers[parts[0].lowercased()] = parts[1] }
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        let body = bytes[head.upperBound...]
        if words.count == 3, body.count >= length {
          return Request(
            method: words[0], path: words[1], headers: headers, body: Array(body.prefix(length)),
            connection: Int(connection))
        }
      }
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }

  private func reply(
    to request: Request, _ connection: Int32, _ script: (Request, [Request]) -> Reply
  ) -> Bool {
    let earlier = received.withLock { received in
      defer { received.append(request) }
      return received
    }
    switch script(request, earlier) {
    case .answer(let status, let headers, let given):
      let body = given ?? ((400..<500).contains(status) ? #"{"errors":["no"]}"# : "{}")
      var text = "HTTP/1.1 \(status) Scripted\r\nContent-Length: \(body.utf8.count)\r\n"
      for (name, value) in headers { text += "\(name): \(value)\r\n" }
      return Self.send(text + "\r\n" + body, connection)
    case .drop: return false
    case .tear:
      _ = Self.send("HTTP/1.1 201 Scripted\r\nContent-Length: 100\r\n\r\n{\"id\":", connection)
      return false
    case .raw(let text):
      _ = Self.send(text, connection)
      return false
    case .silence: return true
    }
  }

  private static func send(_ text: String, _ connection: Int32) -> Bool {
    let bytes = Array(text.utf8)
    return Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }
}
