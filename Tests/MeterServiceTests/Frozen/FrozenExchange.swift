import Foundation
import Glibc

/// One HTTP exchange over a Unix socket by system calls alone: what is sent is the text that is given, and the body is read line
/// by line as it comes. It blocks: it belongs on a thread of its own.
final class FrozenExchange {
  struct Broken: Error {
    let reason: String
  }

  let status: Int
  /// The header fields by their names in lower case.
  let fields: [String: String]

  private let descriptor: Int32
  /// What has come and was not looked at.
  private var received: [UInt8]
  /// The body, out of its chunks.
  private var body: [UInt8] = []
  /// How many bytes of the body are still to come; nil: it comes in chunks.
  private var left: Int?
  private var isOver = false

  init(_ request: String, _ socketPath: String) throws {
    let descriptor = try Self.connect(socketPath)
    self.descriptor = descriptor
    let bytes = Array(request.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      // The service may answer before it has read everything.
      guard count > 0 else { break }
      sent += count
    }
    var head: [UInt8] = []
    while head.suffix(4) != Array("\r\n\r\n".utf8)[...] {
      guard let byte = try Self.receive(descriptor, most: 1).first else { throw Broken(reason: "no answer") }
      head.append(byte)
    }
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    guard let code = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw Broken(reason: "no status: \(lines[0])")
    }
    status = code
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
    }
    self.fields = fields
    received = []
    left = fields["transfer-encoding"] == "chunked" ? nil : fields["content-length"].flatMap { Int($0) } ?? 0
  }

  deinit { close(descriptor) }

  /// The next line of the body that is not empty; nil at its end.
  func line() throws -> String? {
    while true {
      while let end = body.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: body[..<end], as: UTF8.self)
        body.removeSubrange(...end)
        if !line.isEmpty { return line }
      }
      guard try more() else { return nil }
    }
  }

  /// What is left of the body.
  func rest() throws -> String {
    while try more() {}
    return String(decoding: body, as: UTF8.self)
  }

  /// Takes in more of the body.
  ///
  /// - Returns: Whether there was any.
  private func more() throws -> Bool {
    guard !isOver else { return false }
    if let left {
      guard left > 0 else { return false }
      let bytes = try Self.receive(descriptor, most: left)
      guard !bytes.isEmpty else { throw Broken(reason: "the body broke off") }
      body += bytes
      self.left = left - bytes.count
      return true
    }
    // RFC 9112, section 7.1.
    guard let count = Int(try lineOfHead(), radix: 16) else { throw Broken(reason: "no chunk") }
    while received.count < count + 2 { try fill() }
    body += received[..<count]
    received.removeFirst(count + 2)
    isOver = count == 0
    return !isOver
  }

  private func lineOfHead() throws -> String {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\r")), end + 1 < received.count {
        defer { received.removeFirst(end + 2) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      try fill()
    }
  }

  private func fill() throws {
    let bytes = try Self.receive(descriptor, most: 4096)
    guard !bytes.isEmpty else { throw Broken(reason: "the answer broke off") }
    received += bytes
  }

  private static func connect(_ path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard descriptor >= 0, path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw Broken(reason: "no socket for \(path)")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    // There to end a test that hangs.
    var limit = timeval(tv_sec: 600, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        Glibc.connect(descriptor, name, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      close(descriptor)
      throw Broken(reason: "nobody listens at \(path)")
    }
    return descriptor
  }

  private static func receive(_ descriptor: Int32, most: Int) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: most)
    while true {
      let count = recv(descriptor, &buffer, most, 0)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Broken(reason: "errno \(errno)") }
      return Array(buffer[..<count])
    }
  }
}
