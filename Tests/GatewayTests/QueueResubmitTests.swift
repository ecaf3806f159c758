import Foundation
import MeterDrivers
import TestSupport
import Testing

@testable import MeterCore
@testable import GatewayAPI
@testable import GatewayEngine
import InformSink

/// What a receiver has refused by mistake is sent again, all of it in one request.
@Suite("Queue resubmit", .timeLimit(.minutes(60))) struct QueueResubmitTests {
  /// Commits readings and has each refused for a reason.
  private func refuse(_ reasons: [String], in store: MeterStore) throws -> [LogID] {
    try reasons.enumerated().map { number, reason in
      let text =
        #"{"type": "weight", "time": "2026-03-01T08:0\#(number):00Z", "#
        + #""values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}"#
      let record = try RecordDocument(Array(text.utf8), name: "x").entries[0].record()
      _ = try store.commit([
        CommitUnit(
          generation: try store.currentSession().generation,
          records: [CommitRecord(record: record, disposition: .pending)])
      ])
      let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
      #expect(try store.resolve([(ticket, .dead(reason: reason, error: "HTTP 404"))]) == [true])
      return record.logID
    }
  }

  @Test(arguments: [nil, "http-404", "http-422"])
  func whatWasRefusedIsDelivered(reason: String?) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      try await GatewayFixture.withReceiver(sandbox) { _, port in
        _ = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
        let reasons = ["http-404", "http-422", "http-404"]
        let names = try refuse(reasons, in: store)
        let wanted = zip(names, reasons).filter { reason == nil || $1 == reason }.map(\.0)
        let request = QueueResubmitRequest(reason: reason)
        #expect(Set(try await request.perform(on: owner)) == Set(wanted))
        #expect(try store.queueSnapshot(states: [.dead]).count == names.count - wanted.count)
        #expect(try wanted.allSatisfy { try store.queueEntry($0).first?.state == .delivered })
        #expect(try await request.perform(on: owner).isEmpty)
      }
    }
  }

  @Test func aFurtherReceiverWithAnAddressThatCannotBeHoldsNoOtherOneUp() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      try await GatewayFixture.withReceiver(sandbox) { _, port in
        _ = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        // As an earlier version has taken it.
        let setting = ReceiverSetting(receiver: "https://research.example\r\n")
        try store.setSink("research", setting.stored(), token: AccessToken("token-of-research-1"))
        let delivery = try #require(try GatewayDelivery.configured(store: store))
        #expect(delivery.engines.map(\.sink) == [MeterStore.defaultSink])
        #expect(throws: ReceiverSettingError.self) { try setting.checked() }
      }
    }
  }
}
