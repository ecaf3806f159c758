import Foundation
import TestSupport
import Testing

@testable import LinuxSockets

@Suite("Telling the supervisor of a service", .timeLimit(.minutes(5)))
struct ServiceNotificationTests {
  /// A socket as systemd has one.
  private struct Supervisor {
    let descriptor: Int32

    /// - Parameter name: As it stands in `NOTIFY_SOCKET`.
    init(_ name: String) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let path = Array((name.hasPrefix("@") ? "\0" + name.dropFirst() : name).utf8)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
      let length = socklen_t(MemoryLayout.size(ofValue: address.sun_family) + path.count)
      let result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      try #require(descriptor >= 0 && result == 0, "\(String(cString: strerror(errno)))")
    }

    /// The next datagram; nil when none has come.
    func next() -> String? {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }

    func end() { close(descriptor) }
  }

  @Test("sends its lines as one datagram, to a path as to an abstract name", arguments: [true, false])
  func lines(isAbstract: Bool) throws {
    let folder = try TemporaryFolder()
    let name = isAbstract ? "@meterhost-test-\(UUID().uuidString)" : folder.url.appending(path: "notify").path
    let supervisor = try Supervisor(name)
    defer { supervisor.end() }
    let service = try #require(ServiceNotification(environment: ["NOTIFY_SOCKET": name]))
    #expect(service.send(["READY=1", "STATUS=listening"]))
    #expect(supervisor.next() == "READY=1\nSTATUS=listening")
    #expect(service.send(["STATUS=two\nMAINPID=1"]))
    #expect(supervisor.next() == "STATUS=two MAINPID=1", "a text begins no line of its own")
    #expect(supervisor.next() == nil)
  }

  @Test("says so when nobody takes them")
  func nobody() throws {
    let folder = try TemporaryFolder()
    let place = folder.url.appending(path: "gone").path
    let service = try #require(ServiceNotification(environment: ["NOTIFY_SOCKET": place]))
    #expect(!service.send(["READY=1"]))
  }

  @Test(
    "needs the name of a socket",
    arguments: [nil, "", "/", "@", "relative", "vsock:2:1", "/" + String(repeating: "x", count: 107)])
  func names(name: String?) {
    #expect(ServiceNotification(environment: name.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
  }
}
