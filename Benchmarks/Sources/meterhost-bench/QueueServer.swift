import Foundation
import Glibc

/// A queue that runs as a server of its own, told to put everything on disk before it answers.
enum QueueServer: Sendable {
  case redis, beanstalkd

  var name: String { self == .redis ? "redis, appendfsync always" : "beanstalkd -f0" }
  var package: String { self == .redis ? "redis-server" : "beanstalkd" }

  var program: String? {
    ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/"].map { $0 + package }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  func arguments(_ folder: String, socket: String) -> [String] {
    switch self {
    case .redis:
      [
        "--port", "0", "--unixsocket", socket, "--dir", folder, "--appendonly", "yes", "--appendfsync", "always",
        "--save", "", "--daemonize", "no", "--auto-aof-rewrite-percentage", "0",
      ]
    case .beanstalkd: ["-l", "unix:\(socket)", "-b", folder, "-f0"]
    }
  }

  /// The bytes of one submit.
  func request(_ payload: [UInt8]) -> [UInt8] {
    switch self {
    case .redis:
      Array("*3\r\n$5\r\nRPUSH\r\n$1\r\nq\r\n$\(payload.count)\r\n".utf8) + payload + Array("\r\n".utf8)
    case .beanstalkd: Array("put 0 0 60 \(payload.count)\r\n".utf8) + payload + Array("\r\n".utf8)
    }
  }

  /// What an answer begins with that says: it is on disk.
  var acknowledgement: String { self == .redis ? ":" : "INSERTED " }
}

/// Submits to a server, one connection a submitter.
final class ServerPeer: QueuePeer, @unchecked Sendable {
  let server: QueueServer
  private let process = Process()
  private let socket: String

  var name: String { server.name }

  init(_ server: QueueServer, program: String, folder: URL) throws {
    self.server = server
    let place = folder.appending(path: server.package)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    socket = "/tmp/meterhost-bench-\(getpid())-\(server.package)"
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = server.arguments(place.path, socket: socket)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    for _ in 0..<500 where (try? connection()) == nil { usleep(10_000) }
    close(try connection())
  }

  func stop() {
    // It has nothing to save: its folder goes with the run.
    kill(process.processIdentifier, SIGKILL)
    unlink(socket)
  }

  func submit(_ submitters: Int, _ length: QueueBenchmark.Length, in folder: URL) async throws -> QueueBenchmark.Turn {
    let request = server.request([UInt8](repeating: 0x78, count: 512))
    let wanted = Array(server.acknowledgement.utf8)
    return try await onThreads(submitters, length) { [self] _ in
      let connection = try Connection(descriptor: connection())
      return { try connection.exchange(request, wanted) }
    }
  }

  private final class Connection {
    let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 256)

    init(descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }

    func exchange(_ request: [UInt8], _ wanted: [UInt8]) throws {
      guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
        throw BenchmarkError("the server takes nothing")
      }
      var count = 0
      while count == 0 || buffer[count - 1] != UInt8(ascii: "\n") {
        let read = recv(descriptor, &buffer[count], buffer.count - count, 0)
        guard read > 0 else { throw BenchmarkError("the server has closed the connection") }
        count += read
      }
      guard buffer.starts(with: wanted) else {
        throw BenchmarkError("the server said “\(String(decoding: buffer[..<count], as: UTF8.self))”")
      }
    }
  }

  private func connection() throws -> Int32 {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(socket.utf8) + [0]) }
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      close(descriptor)
      throw BenchmarkError("\(server.package) does not listen")
    }
    return descriptor
  }
}
