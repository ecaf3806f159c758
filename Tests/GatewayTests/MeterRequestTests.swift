import Foundation
import MeterBluetooth
import MeterCore
import MeterDrivers
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

/// The meters that a gateway knows, as commands ask for them.
@Suite(.timeLimit(.minutes(60))) struct MeterRequestTests {
  private let meter = MeterIdentity(serial: "S-1", model: "M", systemID: nil, address: "C0:FF:EE:00:00:01")
  private var uuid: String { meter.peripheralUUID.uuidString }
  private var sighting: MeterSighting {
    MeterSighting(meter, peripheral: 1000, address: "C0:FF:EE:00:00:01", addressKind: .random, isRead: true)
  }

  private func with(_ body: (GatewayOwner) async throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      try store.noteMeter(sighting)
      let air = sandbox.path("air")
      try await body(
        GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store, radio: RadioChoice(air: air)))
    }
  }

  private func code(_ body: () async throws -> Void) async throws -> String? {
    do {
      try await body()
      return nil
    } catch let error as GatewayError {
      return error.code
    }
  }

  @Test func theListSaysAllThatIsKnown() async throws {
    try await with { owner async throws in
      try owner.store.notePairing(sighting, bond: .bluetoothd)
      let shown = try #require(try MetersListRequest(paired: true).perform(on: owner).first)
      #expect(shown.uuid == uuid.lowercased() && shown.name == "S-1" && shown.peripheral == 1000)
      #expect(shown.peripheralName?.isEmpty == false && shown.addressKind?.known == .random)
      #expect(shown.paired?.bond.known == .bluetoothd && shown.lastRead != nil && shown.assigned.isEmpty)
      #expect(shown.settings == .init(syncClock: false, holdOff: 5, peripheral: nil))
      #expect(shown.battery == nil && shown.firmware == nil)
      var telling = sighting
      telling.told.batteryPercent = 35
      telling.told.take(firmware: "2.1")
      try owner.store.noteMeter(telling)
      let told = try #require(try MetersListRequest().perform(on: owner).first)
      #expect(told.battery?.percent == 35 && told.battery?.told == told.lastSeen && told.firmware == "2.1")
      try owner.store.forgetMeter(meter.peripheralUUID)
      #expect(try MetersListRequest().perform(on: owner).isEmpty)
    }
  }

  @Test func onlyPairedOnesAreListedWhenThatIsAskedFor() async throws {
    try await with { owner async throws in
      #expect(try MetersListRequest().perform(on: owner).count == 1)
      #expect(try MetersListRequest(paired: true).perform(on: owner).isEmpty)
    }
  }

  @Test func settingsAreCheckedBeforeTheyAreKept() async throws {
    try await with { owner async throws in
      var request = MetersSetRequest(uuid)
      request.syncsClock = true
      request.choice = .peripheral(3000)
      #expect(
        try request.perform(on: owner).settings == .init(syncClock: true, holdOff: 5, peripheral: 3000))
      var other = MetersSetRequest(uuid.uppercased())
      other.holdOffSeconds = 15
      #expect(try other.perform(on: owner).settings == .init(syncClock: true, holdOff: 15, peripheral: 3000))
      other.holdOffSeconds = 16
      #expect(try await code { _ = try other.perform(on: owner) } == "meter_setting")
      var wrong = MetersSetRequest(uuid)
      wrong.choice = .peripheral(.max)
      #expect(try await code { _ = try wrong.perform(on: owner) } == "unknown_peripheral")
      wrong.isShared = true
      wrong.weighsAnybody = true
      #expect(try await code { _ = try wrong.perform(on: owner) } == "unknown_peripheral")
      wrong.choice = MetersSetRequest.Choice.none
      #expect(try await code { _ = try wrong.perform(on: owner) } == "meter_setting")
      wrong.weighsAnybody = nil
      #expect(try wrong.perform(on: owner).settings.isShared)
      var anybody = MetersSetRequest(uuid)
      anybody.weighsAnybody = true
      #expect(try anybody.perform(on: owner).settings.isShared == false, "what was said last")
      #expect(try wrong.perform(on: owner).settings.peripheral == nil)
    }
  }

  @Test(arguments: ["", "x", "5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11", "\u{1B}[2J"])
  func aMeterThatNobodyKnowsIsNamed(text: String) async throws {
    try await with { owner async throws in
      let forget = try await code { _ = try await MetersForgetRequest(text).perform(on: owner) }
      let set = try await code { _ = try MetersSetRequest(text).perform(on: owner) }
      let assign = try await code { _ = try MetersAssignRequest(text).perform(on: owner) }
      #expect([forget, set, assign] == ["unknown_meter", "unknown_meter", "unknown_meter"])
    }
  }

  @Test func aMeterIsAssignedWithoutARead() async throws {
    try await with { owner async throws in
      var request = MetersAssignRequest(uuid)
      request.trustsClock = true
      request.slot = 255
      #expect(try await code { _ = try request.perform(on: owner) } == "user_slot")
      request.slot = 2
      #expect(try await code { _ = try request.perform(on: owner) } == "no_session")
      _ = try owner.store.startSession(
        SessionUser(userID: "ada", organizationID: "clinic"), token: AccessToken("token"))
      let assigned = try #require(try request.perform(on: owner).assigned.first)
      #expect(assigned.user == "ada" && assigned.organization == "clinic" && assigned.slot == 2)
      #expect(assigned.since != nil)
      request.takesHistory = true
      #expect(try request.perform(on: owner).assigned.map(\.since) == [nil])
      request.toNobody = true
      request.slot = 3
      #expect(try request.perform(on: owner).assigned.count == 1)
      request.slot = nil
      #expect(try request.perform(on: owner).assigned.isEmpty)
    }
  }

  @Test func aMeterIsForgottenWithItsBond() async throws {
    try await with { owner async throws in
      try owner.store.notePairing(sighting)
      try owner.store.setBond([1], with: sighting.address)
      let forgotten = try await MetersForgetRequest(uuid).perform(on: owner)
      #expect(forgotten.name == "S-1" && forgotten.paired?.bond.known == .store)
      #expect(try owner.store.bond(with: sighting.address) == nil && owner.store.meters().isEmpty)
    }
  }
}
