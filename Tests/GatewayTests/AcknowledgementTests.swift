import Foundation
import MeterDrivers
import TestSupport
import Testing

@testable import MeterCore
@testable import GatewayAPI
@testable import GatewayEngine

/// Receivers and queue say whose word it is that a reading is delivered.
@Suite("Acknowledgements", .timeLimit(.minutes(60))) struct AcknowledgementTests {
  private static let secret = AccessToken("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

  private func opened(_ sandbox: Sandbox) throws -> MeterStore {
    let store = try MeterStore(folder: URL(filePath: sandbox.path("state")), sinkKinds: .gateway)
    let hook = try SinkKinds.gateway.setting(
      "webhook", ["address": .text("https://example.org/hook"), "keep_days": .integer(2)])
    _ = try store.startSession(
      SessionUser(userID: "u", organizationID: "o"), token: Self.secret,
      options: SessionOptions(receiver: try hook.stored()))
    let files = try SinkKinds.gateway.setting("file", ["folder": .text(sandbox.path("readings"))])
    try store.setSink("archive", files.stored(), token: nil)
    return store
  }

  @Test func listsSayWhoseWordItIs() async throws {
    try await Sandbox.with { sandbox in
      let store = try opened(sandbox)
      let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
      let sinks = try SinkListRequest().perform(on: owner)
      #expect(sinks.map(\.acknowledgement) == ["endpoint", "disk"] && sinks.map(\.keepsContent) == [172_800, nil])
      #expect(sinks.map(\.acknowledgementText) == ["the endpoint has answered", "it is on this machine's disk"])
      let text =
        #"{"type": "weight", "time": "2026-03-01T08:00:00Z", "#
        + #""values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}"#
      let record = try RecordDocument(Array(text.utf8), name: "x").entries[0].record()
      _ = try store.commit([
        CommitUnit(
          generation: try store.currentSession().generation,
          records: [CommitRecord(record: record, disposition: .pending)])
      ])
      let waiting = try QueueListRequest().perform(on: owner).items
      #expect(waiting.map(\.sink) == ["archive", "inform"])
      #expect(
        waiting.map(\.acknowledgement) == ["disk", "endpoint"] && waiting.map(\.stateText) == ["pending", "pending"])
      let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
      let until: Int64 = 1_804_000_000_000_000
      #expect(try store.resolve([(ticket, .delivered(receiverID: nil, keptUntilMicroseconds: until))]) == [true])
      #expect(try store.removeSink("archive"))
      #expect(try QueueListRequest().perform(on: owner).items.isEmpty, "it is delivered")
      let kept = try QueueListRequest(states: [.delivered]).perform(on: owner).items
      #expect(kept.map(\.stateText) == ["delivered: the endpoint has answered"])
      #expect(kept.map(\.keptUntil) == [utcText(until)])
      #expect(try QueueShowRequest(QueueName(record.logID)).perform(on: owner).map(\.keptUntil) == [utcText(until)])
      #expect(try store.resubmitKept() == [record.logID] && store.tally() == [.pending: 1])
    }
  }

  @Test func aSecretThatCanBeNoneIsRefusedBeforeAnybodyIsAsked() async throws {
    try await Sandbox.with { sandbox in
      let store = try opened(sandbox)
      let hook = try SinkKinds.gateway.setting("webhook", ["address": .text("https://example.org/hook")])
      await #expect(throws: SinkSettingError.self) {
        _ = try await GatewaySink.add("hook", setting: hook, token: AccessToken("secret"), to: store)
      }
      #expect(try store.sinkNames() == [MeterStore.defaultSink, "archive"])
    }
  }
}
