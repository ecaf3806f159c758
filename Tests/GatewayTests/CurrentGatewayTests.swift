import Foundation
import MeterDrivers
import TestSupport
import Testing

@testable import GatewayEngine

@Suite("A registry that changes under a service", .timeLimit(.minutes(60))) struct CurrentGatewayTests {
  private func has(_ current: CurrentGateway) -> Bool {
    current.gateway().registry.driver(id: WhyFixture.driver) != nil
  }

  @Test func aChangeBetweenLoadingAndServingIsNoticed() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try WhyFixture(in: sandbox)
      let gateway = try Gateway(locations: fixture.locations())
      try fixture.write("50-frozen.json", try fixture.text())
      #expect(has(CurrentGateway(gateway)))
    }
  }

  @Test func rightsThatTakeTrustAwayAreNoticed() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try WhyFixture(in: sandbox)
      let trust = sandbox.path("trust.json")
      try TrustList().write(to: trust)
      let current = CurrentGateway(try Gateway(locations: fixture.locations()))
      #expect(current.gateway().registry.trustProblem == nil)
      try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: trust)
      #expect(current.gateway().registry.trustProblem != nil)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: trust)
      #expect(current.gateway().registry.trustProblem == nil)
    }
  }

  @Test func whatCannotBeUsedLeavesTheLastGoodOne() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try WhyFixture(in: sandbox)
      try fixture.write("50-frozen.json", try fixture.text())
      let base = URL(filePath: sandbox.path("registry.json"))
      let current = CurrentGateway(try Gateway(locations: fixture.locations()))
      let good = try Data(contentsOf: base)
      for broken in [Data("{".utf8), nil] {
        try FileManager.default.removeItem(at: base)
        try broken?.write(to: base)
        #expect(has(current) && has(current))
        try good.write(to: base)
        #expect(has(current))
      }
      try fixture.write("50-frozen.json", "{\"registry_version\": 1}")
      #expect(!has(current))
    }
  }
}
