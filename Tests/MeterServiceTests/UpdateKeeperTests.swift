import Foundation
import GatewayAPI
import GatewayEngine
import HostPrimitives
import Logging
import MeterCore
import TestSupport
import Testing

@testable import MeterService

@Suite("When the service looks for updates", .timeLimit(.minutes(60))) struct UpdateKeeperTests {
  @Test(
    "where that was switched on, and while it knows the date",
    arguments: [(true, .vouched, true), (false, .vouched, false), (true, .nobody, false)]
      as [(Bool, HostClockTrust, Bool)])
  func looks(isAutomatic: Bool, trust: HostClockTrust, looks: Bool) async throws {
    try await Sandbox.with { sandbox in
      let gateway = try ServiceFixture.gateway(sandbox)
      let owner = GatewayOwner(gateway: gateway, store: try gateway.openStore())
      _ = try DriverSourceAddRequest(sandbox.path("nothing")).perform(on: owner)
      _ = try DriverUpdateAutoRequest(automatic: isAutomatic).perform(on: owner)
      let clock = StoppedClock()
      let keeper = UpdateKeeper(
        owner: owner, trust: trust, clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let following = Task { await keeper.follow() }
      await clock.someoneSleeps()
      clock.advance(by: UpdateKeeper.retryInterval)
      // It has looked, or has found that it must not, when it sleeps again.
      await clock.someoneSleeps()
      following.cancel()
      await following.value
      // There is no such folder, which only who has looked knows.
      let source = try #require(try DriverSourceListRequest().perform(on: owner).first)
      #expect((source.problem?.code == "index_unreachable") == looks)
    }
  }
}
