import Foundation
import Glibc

/// An answer as it stood on the wire.
public struct HTTPReply: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields by their names in lower case; of several with one name the last.
  public var headers: [String: String]
  /// The body, out of its chunks when it came in chunks.
  public var bytes: [UInt8]

  /// The body as text.
  public var body: String { String(decoding: bytes, as: UTF8.self) }
}

/// HTTP over a socket of our own, one connection a request: a client library would hide a dropped connection by sending
/// the request again, and could not send what is no HTTP.
public enum RawHTTP {
  /// There is no answer, or none that can be read.
  public struct Failure: Error {
    /// Why.
    public var reason: String

    /// A failure for this reason.
    public init(reason: String) { self.reason = reason }
  }

  /// The server closed the connection without an answer.
  public struct ConnectionDropped: Error {}

  /// Sends a request and returns the answer.
  public static func send(
    port: Int, method: String, path: String, host: String = "localhost", headers: [(String, String)] = [],
    body: [UInt8] = []
  ) async throws -> HTTPReply {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if method != "GET" { head += "Content-Length: \(body.count)\r\n" }
    return try await exchange(port: port, Array((head + "\r\n").utf8) + body)
  }

  /// Sends bytes as they are and parses what comes back until the server closes.
  ///
  /// With `halfClose` the server sees the end of the input behind the request, so that it never waits for more of it.
  public static func exchange(port: Int, _ request: [UInt8], halfClose: Bool = false) async throws -> HTTPReply {
    try await withCheckedThrowingContinuation { continuation in
      // A thread of its own: blocked threads of the shared pool would starve the server that is to answer.
      Thread.detachNewThread {
        continuation.resume(with: Result { try parse(try talk(port: port, request, halfClose: halfClose)) })
      }
    }
  }

  /// A connection that is open and says nothing.
  public static func connect(port: Int) throws -> Int32 {
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
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw Failure(reason: "half an answer: \(String(decoding: bytes, as: UTF8.self))")
    }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw Failure(reason: "no status line: \(lines)")
    }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    let body = Array(bytes[end.upperBound...])
    let isChunked = headers["transfer-encoding"] == "chunked"
    return HTTPReply(status: status, headers: headers, bytes: isChunked ? try joined(chunks: body) : body)
  }

  /// RFC 9112, section 7.1.
  private static func joined(chunks: [UInt8]) throws -> [UInt8] {
    var (rest, bytes) = (chunks[...], [UInt8]())
    while let line = rest.firstRange(of: Array("\r\n".utf8)) {
      let length = String(decoding: rest[..<line.lowerBound], as: UTF8.self)
      guard let count = Int(length, radix: 16), rest.distance(from: line.upperBound, to: rest.endIndex) >= count + 2
      else { throw Failure(reason: "half a chunk of \(length)") }
      if count == 0 { return bytes }
      bytes += rest[line.upperBound..<line.upperBound + count]
      rest = rest[(line.upperBound + count + 2)...]
    }
    throw Failure(reason: "no last chunk")
  }
}
