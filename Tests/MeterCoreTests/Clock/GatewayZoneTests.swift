import Foundation
import Testing

@testable import MeterCore

@Suite("The gateway's zone") struct GatewayZoneTests {
  @Test("is the one that is set now, not the one that was set when the process started")
  func changes() async {
    // A process of its own: the environment belongs to all tests.
    await #expect(processExitsWith: .success) {
      setenv("TZ", "Europe/Berlin", 1)
      guard TimeZone.gateway.identifier == "Europe/Berlin" else { exit(1) }
      setenv("TZ", "America/New_York", 1)
      exit(TimeZone.gateway.identifier == "America/New_York" ? 0 : 2)
    }
  }
}
