import Foundation
import HostPrimitives
import LinuxSockets
import Logging
import MeterCore
import TestSupport
import Testing

@testable import MeterService

/// What systemd asks and hears, over real sockets.
@Suite(.timeLimit(.minutes(60))) struct SupervisorTests {
  private static func request(_ address: String, watchdog: Duration? = nil) -> SupervisorRequest? {
    ServiceNotification(address: address).map { SupervisorRequest($0, watchdog: watchdog) }
  }

  @Test(
    arguments: [
      (["NOTIFY_SOCKET": "/run/systemd/notify"], Self.request("/run/systemd/notify")),
      (["NOTIFY_SOCKET": "@name"], Self.request("@name")),
      (
        ["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "60000000"],
        Self.request("/n", watchdog: .seconds(60))
      ),
      (
        ["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "2500000", "WATCHDOG_PID": "7"],
        Self.request("/n", watchdog: .milliseconds(2500))
      ),
      // systemd has asked the process that has started this one.
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "2500000", "WATCHDOG_PID": "8"], Self.request("/n")),
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "0"], Self.request("/n")),
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "soon"], Self.request("/n")),
      (["NOTIFY_SOCKET": ""], nil), (["NOTIFY_SOCKET": "@"], nil), (["NOTIFY_SOCKET": "vsock:2:1"], nil),
      (["WATCHDOG_USEC": "60000000"], nil), ([:], nil),
    ] as [([String: String], SupervisorRequest?)])
  func theEnvironmentSaysWhoAsks(_ environment: [String: String], _ request: SupervisorRequest?) {
    #expect(SupervisorRequest(environment: environment, process: 7) == request)
  }

  @Test func theLineHasNumbersAndWhatNeedsAttention() {
    var status = ServiceStatus(pairedMeters: 1, waiting: 2, hasSession: true)
    #expect(status.line == "1 meter paired, 2 deliveries wait")
    status.held = 3
    status.refused = 1
    status.hasSession = false
    status.problems = ["meters are not read passively: a\nb"]
    #expect(
      status.line
        == "1 meter paired, 2 deliveries wait; needs attention: meters are not read passively: a b; no session, so nothing is delivered; "
        + "3 held for a person's word (`meterhost queue held`); 1 refused by a receiver (`meterhost queue dead`)")
    status.problems = [String(repeating: "x", count: 1000)]
    #expect(status.line.utf8.count <= ServiceStatus.longest)
  }

  @Test func aRunningHostSaysThatItIsReadyWorksAndEnds() async throws {
    try await Sandbox.with { sandbox in
      let folder = try TemporaryFolder()
      let listener = try NotifyListener("\(folder.path)/notify")
      let request = try #require(Self.request(listener.address, watchdog: .seconds(3600)))
      try await ServiceFixture.with(sandbox, supervisor: request) { store, _ in
        var heard: Set<String> = []
        let wanted: Set = [
          "READY=1", "WATCHDOG=1",
          "STATUS=0 meters paired, 0 deliveries wait; needs attention: no session, so nothing is delivered",
        ]
        while !heard.isSuperset(of: wanted) { heard.insert(try await listener.next()) }
        #expect(heard == wanted)
      }
      #expect(try await listener.next() == "STOPPING=1")
    }
  }

  @Test(.jumpingTime, arguments: WatchdogRounds.Part.allCases)
  func aPartThatHangsIsNotVouchedFor(_ hanging: WatchdogRounds.Part) async throws {
    let folder = try TemporaryFolder()
    let listener = try NotifyListener("\(folder.path)/notify")
    let (lines, release) = (LogLines(), FirstOutcome<Void>())
    let supervisor = ServiceSupervisor(
      try #require(Self.request(listener.address, watchdog: .seconds(60))), clock: .ofTest, logger: lines.logger,
      status: {
        if hanging == .store { await release.value }
        return ServiceStatus(hasSession: true)
      },
      schedule: { if hanging == .schedule { await release.value } })
    let following = Task { await supervisor.follow() }
    let told = await lines.first { $0.level == .critical }
    #expect(told.message.hasPrefix(hanging == .store ? "the store does not" : "the radios' schedule does not"))
    while let said = listener.waiting() { #expect(said.hasPrefix("STATUS=")) }
    // What waited is over, and a later round finds all well.
    release.settle(())
    var heard = ""
    while heard != "WATCHDOG=1" { heard = try await listener.next() }
    following.cancel()
    await following.value
    #expect(lines.all.count { $0.level == .critical } == 1)
    #expect(lines.all.contains { $0.message.hasSuffix("answers again") })
  }
}
