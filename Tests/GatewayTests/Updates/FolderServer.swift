import DeliverySupport
import Foundation
import Glibc
import Synchronization

/// An HTTP/1.1 server on a real socket that serves a folder, with tags, and what a bad one does.
final class FolderServer: Sendable {
  enum Fault: Sendable {
    /// Another address.
    case redirect(String)
    /// Half of the file, of which the length was told.
    case cut
    /// These bytes in its place.
    case other([UInt8])
    /// Something happens before it is answered.
    case meanwhile(@Sendable () -> Void)
  }

  private let descriptor: Int32
  private let folder: String
  private let state = Mutex((faults: [String: Fault](), paths: [String]()))
  let port: UInt16

  init(_ folder: String) throws {
    self.folder = folder
    (descriptor, port) = try listenAtLoopback(backlog: 16)
    Thread { [descriptor, weak self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        self?.answer(connection)
        close(connection)
      }
    }.start()
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  var base: String { "http://127.0.0.1:\(port)" }
  /// What was asked for so far, with `304 ` before what had not changed.
  var paths: [String] { state.withLock { $0.paths } }

  func set(_ fault: Fault?, _ name: String) { state.withLock { $0.faults[name] = fault } }

  private func answer(_ connection: Int32) {
    guard let head = Self.head(connection) else { return }
    let name = String(head.split(separator: " ").dropFirst().first?.dropFirst() ?? "")
    let fault = state.withLock { $0.faults[name] }
    if case .redirect(let address) = fault {
      note(name)
      return Self.send("HTTP/1.1 302 Found\r\nLocation: \(address)\r\nContent-Length: 0\r\n", [], connection)
    }
    if case .meanwhile(let happens) = fault { happens() }
    guard let data = try? Data(contentsOf: URL(filePath: "\(folder)/\(name)")) else {
      note(name)
      return Self.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n", [], connection)
    }
    var bytes = [UInt8](data)
    if case .other(let others) = fault { bytes = others }
    let tag = "\"\(bytes.count)-\(bytes.reduce(UInt64(5_381)) { $0 &* 33 &+ UInt64($1) })\""
    if head.lowercased().contains("if-none-match: \(tag)") {
      note("304 \(name)")
      return Self.send("HTTP/1.1 304 Not Modified\r\nETag: \(tag)\r\n", [], connection)
    }
    note(name)
    let fields = "HTTP/1.1 200 OK\r\nETag: \(tag)\r\nContent-Length: \(bytes.count)\r\n"
    if case .cut = fault { bytes.removeLast(bytes.count / 2) }
    Self.send(fields, bytes, connection)
  }

  private func note(_ path: String) { state.withLock { $0.paths.append(path) } }

  private static func head(_ connection: Int32) -> String? {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !text.contains("\r\n\r\n") {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    return text
  }

  private static func send(_ fields: String, _ body: [UInt8], _ connection: Int32) {
    var rest = (Array("\(fields)Connection: close\r\n\r\n".utf8) + body)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
