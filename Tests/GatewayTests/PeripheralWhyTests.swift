import GatewayEngine
import Foundation
import MeterDrivers
import GatewayTools
import TestSupport
import Testing

/// `driver why` of a meter: the entry, what it needs, its driver, and how it is recognised.
@Suite("driver why PERIPHERAL", .timeLimit(.minutes(60))) struct PeripheralWhyTests {
  private let id = "\(WhyFixture.peripheral)"

  private func why(
    _ change: (inout WhyFixture) throws -> Void = { _ in }
  ) async throws -> DriverWhy {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    var fixture = try WhyFixture(in: sandbox)
    try change(&fixture)
    return try await fixture.why(id)
  }

  @Test func aGoodEntryTellsWhatADeviceMustShow() async throws {
    let why = try await why()
    #expect(why.answer == .usable && why.peripheral == WhyFixture.peripheral && why.driver == WhyFixture.driver)
    #expect(why.candidates.map(\.stage) == [.peripheral, .peripheral, .entry, .library, .bundle, .driver, .match])
    #expect(why.candidates[1].reason.contains("connection kind connect"))
    #expect(
      why.candidates.last?.reason == "fits a device that advertises service 1808, has a name that begins \"FROZEN-\"")
  }

  @Test func disabledApprovalAndCredentialsAreNamed() async throws {
    let why = try await why { fixture in
      fixture.meter["disabled"] = true
      fixture.meter["approval_needed"] = true
      fixture.meter["credentials"] = [
        ["name": "encryption-key", "format": "hex_32", "scope": "meter", "required": true],
        ["name": "licence", "format": "license_file", "scope": "gateway", "required": false],
      ]
    }
    #expect(why.answer == .refused && why.summary.contains("disabled"))
    let found = why.candidates.filter { $0.verdict != .passed }
    #expect(found.map(\.code) == ["disabled", "approval_needed", "key_missing", "licence_missing"])
    #expect(found.map(\.rule) == ["R21", "R22", "R22", "R22"])
    #expect(found.map(\.verdict) == [.failed, .failed, .failed, .warning])
    #expect(found.allSatisfy { $0.cure?.isEmpty == false })
    // The driver is followed all the same: its own faults are worth knowing at once.
    #expect(why.candidates.contains { $0.stage == .driver && $0.verdict == .passed })
  }

  @Test func aStoredCredentialIsNoObstacle() async throws {
    try await Sandbox.with { sandbox in
      var fixture = try WhyFixture(in: sandbox)
      fixture.meter["credentials"] = [["name": "k", "format": "text", "scope": "gateway", "required": true]]
      #expect(try await fixture.why(id).answer == .refused)
      let inquiry = WhyInquiry(locations: try fixture.locations()) { credential, _ in
        credential.name == "k" ? .here : .missing
      }
      #expect(await inquiry.explain(id).answer == .usable)
      // What cannot be looked up is said, and refuses nothing.
      let busy = await WhyInquiry(locations: try fixture.locations()) { _, _ in .unknown("it is in use") }.explain(id)
      let doubt = try #require(busy.candidates.first { $0.code == "credential_unknown" })
      #expect(busy.answer == .usable && doubt.verdict == .warning && doubt.reason.contains("it is in use"))
    }
  }

  @Test func anEntryWithoutDriverSaysSo() async throws {
    let why = try await why { fixture in
      fixture.meter["driver"] = nil
      fixture.meter["disabled"] = true
    }
    #expect(why.answer == .refused && why.candidates.contains { $0.code == "no_driver" && $0.rule == "R22" }, "\(why)")
  }

  @Test func tiesNameTheOtherEntry() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try WhyFixture(in: sandbox)
      let again = try fixture.text().replacing("900001", with: "900002").replacing(
        "org.meterhost.frozen", with: "org.meterhost.other"
      )
      .replacing("\"frozen\"", with: "\"other\"")
      try fixture.write("60-other.json", again)
      let why = try await fixture.why(id)
      let tie = try #require(why.candidates.first { $0.code == "ambiguous" })
      #expect(why.answer == .usable && tie.verdict == .warning && tie.rule == "R21")
      #expect(tie.reason.contains("bluetooth 900002") && tie.cure?.isEmpty == false)
      let findings = await Doctor(locations: try fixture.locations()).examine()
      let finding = try #require(findings.first { $0.check == "matching" })
      #expect(finding.status == .warning && finding.message.contains("R21"))
      #expect(finding.message.contains("900001") && finding.message.contains("900002"))
    }
  }

  @Test func rulesThatTieForSomeDevicesAreMentioned() async throws {
    let why = try await why { $0.meter["match"] = [["services": ["1809"]]] }
    #expect(why.answer == .usable)
    #expect(why.candidates.last?.verdict == .passed && why.candidates.last?.reason.contains("bluetooth 1000") == true)
  }

  @Test func aDuplicateNumberIsListedInEveryFile() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try WhyFixture(in: sandbox)
      let again = try fixture.text().replacing("org.meterhost.frozen", with: "org.meterhost.other")
        .replacing("\"frozen\"", with: "\"other\"")
      try fixture.write("60-other.json", again)
      let why = try await fixture.why(id)
      #expect(why.answer == .usable && why.driver == WhyFixture.driver)
      let places = why.candidates.filter { $0.stage == .peripheral }.map(\.place)
      #expect(places.contains { $0.contains("60-other.json") && $0.hasSuffix("$.peripherals[0]") }, "\(places)")
      #expect(why.candidates.contains { $0.code == "duplicate_id" && $0.stage == .peripheral })
    }
  }

  @Test func aRefusedDriverRefusesTheMeter() async throws {
    let why = try await why { $0.entry["sha256"] = String(repeating: "00", count: 32) }
    #expect(why.answer == .refused && why.candidates.contains { $0.code == "wrong_hash" })
    #expect(why.summary.contains("SHA-256"))
  }
}
