import Foundation
import Glibc

@testable import MeterReceiver

/// An answer as it stood on the wire.
struct HTTPReply: Sendable {
  var status: Int
  var headers: [String: String]
  var body: String

  var json: JSONValue { (try? JSONValue.parse(Array(body.utf8))) ?? .null }

  /// The value behind a path of member names and array indices, such as `data/0/id`.
  func value(_ path: String) -> JSONValue? {
    var value = json
    for name in path.split(separator: "/").map(String.init) {
      switch value {
      case .object(let object):
        guard let member = object[name] else { return nil }
        value = member
      case .array(let values):
        guard let index = Int(name), values.indices.contains(index) else { return nil }
        value = values[index]
      default: return nil
      }
    }
    return value
  }

  func text(_ path: String) -> String? {
    guard case .string(let text)? = value(path) else { return nil }
    return text
  }

  /// The field names of `{"errors": {...}}`.
  var errorFields: [String] {
    guard case .object(let errors)? = value("errors") else { return [] }
    return errors.members.map(\.name)
  }
}

/// HTTP over a socket of our own, one connection a request: a client library would hide a dropped connection by sending
/// the request again, and could not send what is no HTTP.
enum RawHTTP {
  struct Failure: Error {
    var reason: String
  }

  /// The server closed the connection without an answer.
  struct ConnectionDropped: Error {}

  static func send(
    port: Int, method: String, path: String, headers: [(String, String)], body: [UInt8]
  ) async throws -> HTTPReply {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if method != "GET" { head += "Content-Length: \(body.count)\r\n" }
    return try await exchange(port: port, Array((head + "\r\n").utf8) + body)
  }

  /// Sends bytes as they are and parses what comes back until the server closes.
  ///
  /// With `halfClose` the server sees the end of the input behind the request, so that it never waits for more of it.
  static func exchange(port: Int, _ request: [UInt8], halfClose: Bool = false) async throws -> HTTPReply {
    try await withCheckedThrowingContinuation { continuation in
      // A thread of its own: blocked threads of the shared pool would starve the server that is to answer.
      Thread.detachNewThread {
        continuation.resume(with: Result { try parse(try talk(port: port, request, halfClose: halfClose)) })
      }
    }
  }

  /// A connection that is open and says nothing.
  static func connect(port: Int) throws -> Int32 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard socket >= 0 else { throw Failure(reason: "socket: \(errno)") }
    var timeout = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      close(socket)
      throw Failure(reason: "connect: \(errno)")
    }
    return socket
  }

  private static func talk(port: Int, _ request: [UInt8], halfClose: Bool) throws -> [UInt8] {
    let socket = try connect(port: port)
    defer { close(socket) }
    var sent = 0
    while sent < request.count {
      let count = request[sent...].withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0 && errno == EINTR { continue }
      // The server may answer and close before it has read everything.
      guard count > 0 else { break }
      sent += count
    }
    if halfClose { shutdown(socket, Int32(SHUT_WR)) }
    var reply: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      // With a timeout set, a signal ends the wait whatever its handler's flags say.
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN { throw Failure(reason: "no answer in 30 seconds") }
      guard count > 0 else { return reply }
      reply.append(contentsOf: buffer[..<count])
    }
  }

  private static func parse(_ bytes: [UInt8]) throws -> HTTPReply {
    guard !bytes.isEmpty else { throw ConnectionDropped() }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else { throw Failure(reason: "half an answer: \(text)") }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw Failure(reason: "no status line: \(text)")
    }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    return HTTPReply(status: status, headers: headers, body: String(text[end.upperBound...]))
  }
}
