import Foundation
import MeterBluetooth
import MeterCore
import MeterDrivers
import GatewayAPI
import GatewayEngine
import GatewayTools
import TestSupport
import Testing

/// What an operator sees of faulty drivers, and lifts (R24).
@Suite(.timeLimit(.minutes(60))) struct QuarantineRequestTests {
  private let now = MeterStore.wallClockMicroseconds
  private let hour: Int64 = 3_600_000_000

  private func offence(
    _ driver: String, _ meter: String?, count: Int = 2, until: Int64? = nil, isSetAside: Bool = true
  ) -> DriverOffence {
    DriverOffence(
      bundle: driver + "-hash", driver: driver, meter: meter.map { OffendedMeter(key: $0, name: $0, isKnown: true) },
      count: count, firstMicroseconds: now - hour, lastMicroseconds: now,
      setAsideMicroseconds: isSetAside ? now : nil, untilMicroseconds: until, code: "crashed", rule: "R24",
      message: "the driver crashed (SIGSEGV)", recording: "a-recording")
  }

  private func with(_ body: (GatewayOwner) throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let weak = [
        offence("weak", "A", until: now + hour), offence("weak", "B", count: 1, isSetAside: false),
        offence("weak", "C", until: now - 1),
      ]
      try store.changeOffences(of: "weak-hash") { _ in weak }
      let broken = [offence("broken", nil, count: 1)]
      try store.changeOffences(of: "broken-hash") { _ in broken }
      try body(GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store))
    }
  }

  @Test func theListSaysWhoIsSetAsideAndUntilWhen() async throws {
    try await with { owner in
      let all = try QuarantineListRequest().perform(on: owner)
      let states = Dictionary(uniqueKeysWithValues: all.map { ("\($0.driver) \($0.meter ?? "-")", $0.state) })
      #expect(states == ["weak A": .setAside, "weak B": .noted, "weak C": .over, "broken -": .quarantined])
      #expect(all.filter { $0.until != nil }.map(\.meter) == ["A"])
      #expect(all.allSatisfy { $0.rule == "R24" && $0.recording == "a-recording" })
      #expect(try QuarantineListRequest(driver: "broken").perform(on: owner).count == 1)
    }
  }

  @Test func liftingNamesWhatItLiftsAndLeavesTheRest() async throws {
    try await with { owner in
      #expect(try QuarantineLiftRequest(driver: "weak", meter: "a").perform(on: owner).map(\.meter) == ["A"])
      #expect(try QuarantineListRequest().perform(on: owner).count == 3)
      #expect(try QuarantineLiftRequest(driver: "weak").perform(on: owner).count == 2)
      #expect(try QuarantineListRequest().perform(on: owner).map(\.driver) == ["broken"])
      #expect(try QuarantineLiftRequest(driver: "broken").perform(on: owner).count == 1)
      do {
        _ = try QuarantineLiftRequest(driver: "broken").perform(on: owner)
        Issue.record("nothing was lifted a second time")
      } catch let error as GatewayError {
        #expect(error.code == "not_in_quarantine" && error.hint?.isEmpty == false)
      }
    }
  }

  @Test func aFailedSelfTestKeepsTheBundleAway() async throws {
    try await with { owner in
      let id = "org.meterhost.thermometer"
      let failed = DriverFault(.crashed, driver: id, rule: "R24", message: "function self_test: the driver crashed")
      let request = try #require(SelfTestFaultRequest(driver: id, failed))
      #expect(try request.perform(on: owner).map(\.state) == [.quarantined])
      let bundle = try owner.gateway.bundles.bundle(for: try owner.gateway.driver(id))
      guard case .bundleSetAside(let offence) = try Quarantine(store: owner.store).verdict(on: bundle) else {
        Issue.record("it is used")
        return
      }
      #expect(offence.message == failed.message && offence.rule == "R24")
      #expect(SelfTestFaultRequest(driver: id, DriverFault(.workerFailed, driver: id, message: "no worker")) == nil)
    }
  }

  @Test func theEndOfASessionThatForgetsMetersForgetsTheirFaultsToo() async throws {
    try await with { owner in
      _ = try owner.store.startSession(
        SessionUser(userID: "ada", organizationID: "clinic"), token: AccessToken("token"))
      _ = try owner.store.endSession(forgettingMeters: true)
      #expect(try QuarantineListRequest().perform(on: owner).map(\.state) == [.quarantined])
    }
  }
}
