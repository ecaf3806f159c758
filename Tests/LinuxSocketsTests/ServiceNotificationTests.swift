import Foundation
import TestSupport
import Testing

@testable import LinuxSockets

@Suite("Telling the supervisor of a service", .timeLimit(.minutes(5)))
struct ServiceNotificationTests {
  @Test("sends its lines as one datagram, to a path as to an abstract name", arguments: [true, false])
  func lines(isAbstract: Bool) throws {
    let folder = try TemporaryFolder()
    let name = isAbstract ? "@meterhost-test-\(UUID().uuidString)" : folder.url.appending(path: "notify").path
    let listener = try NotifyListener(name)
    let systemd = try #require(ServiceNotification(environment: ["NOTIFY_SOCKET": name]))
    #expect(systemd.send(.ready, .status("listening")))
    #expect(listener.waiting() == "READY=1\nSTATUS=listening")
    #expect(systemd.send(.works))
    #expect(systemd.send(.stopping))
    #expect(listener.waiting() == "WATCHDOG=1")
    #expect(listener.waiting() == "STOPPING=1")
    #expect(listener.waiting() == nil)
  }

  @Test("a text begins no line of its own", arguments: ["\n", "\r", "\r\n", "\n\u{301}", "\0"])
  func lineBreaks(gap: String) throws {
    let folder = try TemporaryFolder()
    let listener = try NotifyListener(folder.url.appending(path: "notify").path)
    let systemd = try #require(ServiceNotification(address: listener.address))
    #expect(systemd.send(.status("two\(gap)MAINPID=1")))
    let heard = try #require(listener.waiting())
    #expect(heard.unicodeScalars.starts(with: "STATUS=two ".unicodeScalars))
    #expect(!heard.unicodeScalars.contains { ["\n", "\r", "\0"].contains($0) })
  }

  @Test("says so when nobody takes them")
  func nobody() throws {
    let folder = try TemporaryFolder()
    let place = folder.url.appending(path: "gone").path
    let systemd = try #require(ServiceNotification(environment: ["NOTIFY_SOCKET": place]))
    #expect(!systemd.send(.ready))
  }

  @Test(
    "needs the name of a socket",
    arguments: [nil, "", "/", "@", "relative", "vsock:2:1", "/" + String(repeating: "x", count: 107)])
  func names(name: String?) {
    #expect(ServiceNotification(environment: name.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
  }
}
