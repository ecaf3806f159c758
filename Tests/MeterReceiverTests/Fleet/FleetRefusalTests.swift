import Foundation
import TestSupport
import Testing

@testable import MeterReceiver

@Suite("Messages that are refused for good", .everyStorage) struct FleetRefusalTests {
  private func withFleet(_ body: (FleetSamples) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let store = try ReceiverStore(path: try await Storage.current.place(in: folder))
      try store.createOrganization(FleetSamples.organization)
      for user in ["anna", "bert"] {
        try store.createUser(organization: FleetSamples.organization, uid: user, token: FleetSamples.token(user))
      }
      try await body(FleetSamples(store: store))
      try store.close()
    }
  }

  private func refusal(_ verdict: FleetVerdict?) -> String? {
    if case .refused(let reason, _)? = verdict { reason } else { nil }
  }

  @Test("each reason has its word, and the message is kept once with what was in it, however often it comes")
  func reasons() async throws {
    try await withFleet { fleet async throws in
      var wrong = measurementObject(logID: logID(1))
      wrong["metrics"] = .array([])
      let large = Array(repeating: UInt8(ascii: " "), count: (1 << 20) + 1)
      let messages: [(String, FleetMessage)] = [
        ("invalid", FleetSamples.message("anna", wrong)),
        ("syntax", FleetSamples.message("anna", payload: Array("{".utf8), name: "a:1:0")),
        ("syntax", FleetSamples.message("anna", payload: [], name: "b:1:0")),
        ("type", FleetSamples.message("anna", revised(2), collection: "nothing")),
        ("type", FleetSamples.message("anna", revised(3), collection: "measurements.more")),
        (
          "invalid",
          FleetSamples.message("anna", payload: Array(#"{"\u0000x":1e999,"type":"\u0000"}"#.utf8), name: "d:1:0")
        ),
        (
          "invalid",
          FleetSamples.message(
            "anna", payload: Array(("{\"a" + String(repeating: "\u{301}", count: 300_000) + "\":1}").utf8),
            name: "e:1:0")
        ),
        ("too_large", FleetSamples.message("anna", payload: large, name: "c:1:0")),
      ]
      for _ in 0..<2 {
        let verdicts = try await fleet.store.take(messages.map(\.1), by: FleetSamples.rules)
        #expect(verdicts.map { refusal($0) } == messages.map(\.0))
        #expect(verdicts.allSatisfy { $0.isFinalRefusal && $0.confirmation(messageID: "x").count < 1024 })
      }
      let kept = try fleet.store.refusedMessages(organization: nil)
      #expect(kept.map(\.subject) == messages.map(\.1.subject) && kept.map(\.payload) == messages.map(\.1.payload))
      #expect(try fleet.store.refusedMessages(organization: "nowhere").isEmpty)
      #expect(try fleet.stored("anna").isEmpty)
    }
  }

  @Test("a conflict is refused, and what is stored stays") func conflict() async throws {
    try await withFleet { fleet async throws in
      let verdicts = try await fleet.store.take(
        [FleetSamples.message("anna", revised(1)), FleetSamples.message("anna", revised(1, value: 112))],
        by: FleetSamples.rules)
      #expect(verdicts[0].word == "created" && refusal(verdicts[1]) == "conflict")
      #expect(try fleet.store.records(organization: "clinic", uid: "anna").first?.metrics.first?.value == 111)
      #expect(try fleet.store.refusedMessages(organization: "clinic").count == 1)
    }
  }

  @Test("what is kept goes with its user, and is the newest of each") func bounds() async throws {
    try await withFleet { fleet async throws in
      let count = ReceiverStore.refusedLimit + 7
      let batch = (0..<count).map { FleetSamples.message("anna", payload: Array("\($0)x".utf8), name: "\($0):1:0") }
      _ = try await fleet.store.take(
        [FleetSamples.message("bert", payload: [0], name: "b:1:0")], by: FleetSamples.rules)
      for start in stride(from: 0, to: count, by: 500) {
        _ = try await fleet.store.take(Array(batch[start..<min(start + 500, count)]), by: FleetSamples.rules)
      }
      let kept = try fleet.store.refusedMessages(organization: nil)
      #expect(kept.count == ReceiverStore.refusedLimit + 1)
      #expect(kept.last?.messageID == "\(count - 1):1:0" && kept.dropFirst().first?.messageID == "7:1:0")
      _ = try fleet.store.deleteUser(organization: "clinic", uid: "anna", withReadings: false)
      #expect(try fleet.store.refusedMessages(organization: nil).map(\.messageID) == ["b:1:0"])
    }
  }

  @Test("a confirmation says what became of a message, and quotes nothing of it") func confirmations() throws {
    func text(_ verdict: FleetVerdict) -> String {
      String(decoding: verdict.confirmation(messageID: "x:2:0"), as: UTF8.self)
    }
    #expect(
      text(.stored(.created, id: "7", logID: "x", revision: 2))
        == #"{"msg_id":"x:2:0","outcome":"created","id":"7","log_id":"x","revision":2}"#)
    #expect(
      text(.refused(reason: "invalid", text: "metrics: is missing"))
        == #"{"msg_id":"x:2:0","outcome":"refused","reason":"invalid","text":"metrics: is missing"}"#)
    #expect(
      text(.unauthorized(text: "no"))
        == #"{"msg_id":"x:2:0","outcome":"unauthorized","reason":"unauthorized","text":"no"}"#)
  }
}
