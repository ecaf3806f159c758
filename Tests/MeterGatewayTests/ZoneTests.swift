import Foundation
import MeterBluetooth
import MeterCore
import MeterDrivers
import MeterGateway
import TestSupport
import Testing

/// The user's own time zone.
@Suite(.timeLimit(.minutes(60))) struct ZoneTests {
  private func start(_ zone: String?, in store: MeterStore) async throws {
    // Nobody listens on the discard port of this machine.
    var account = GatewayFixture.account(port: 9)
    account.zone = zone
    _ = try await GatewayDelivery.start(account, store: store)
  }

  @Test func whatAMeterShowsIsInTheUsersZone() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      try await start("Asia/Tokyo", in: store)
      let first = try await GatewayFixture.read("contour-next-one.json", as: 1000, into: store, sandbox: sandbox)
      #expect(first?.records.count == 2)
      for record in try store.queueSnapshot().compactMap(\.record) {
        #expect(record.time.zoneSource == .user && record.time.utcOffsetSeconds == 9 * 3600)
        let civil = try #require(record.time.civilMicroseconds)
        #expect(record.time.startMicroseconds == civil - 9 * 3_600_000_000)
      }
      try await start(nil, in: store)
      #expect(try store.currentSession().options.zone == "Asia/Tokyo", "a new token does not move the user")
      try await start("Europe/Berlin", in: store)
      let again = try await GatewayFixture.read("contour-next-one.json", as: 1000, into: store, sandbox: sandbox)
      #expect(again?.records.isEmpty == true, "another zone makes no other reading")
      _ = try store.endSession()
      try await start(nil, in: store)
      #expect(try store.currentSession().options.zone == nil, "it goes with the session")
    }
  }

  @Test func aRecordWithoutAZoneIsInTheUsers() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
      for (zone, source, offset) in [("Asia/Tokyo", RecordTime.ZoneSource.user, 32_400), (nil, .gateway, 0)] {
        _ = try store.endSession()
        try await start(zone, in: store)
        let text = """
          {"type": "weight", "time": "2026-03-01T08:00:00",
           "values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}
          """
        var request = SubmitRequest([SubmitRequest.Document(name: "test", text: text)], zone: .gmt)
        request.delivers = false
        _ = try await request.perform(on: owner)
        let record = try #require(try store.queueSnapshot().first?.record)
        #expect(record.time.zoneSource == source && record.time.utcOffsetSeconds == offset)
      }
    }
  }

  @Test(arguments: ["", "Mars/Olympus", "Europe/Berlin\n"])
  func aZoneThatThereIsNotIsRefused(_ zone: String) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      await #expect { try await start(zone, in: store) } throws: { ($0 as? GatewayError)?.code == "unknown_zone" }
      #expect(try store.currentSession().user == nil)
    }
  }
}
