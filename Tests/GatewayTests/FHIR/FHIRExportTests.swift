import Foundation
import InformSink
import MeterDrivers
import StrictJSON
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine
@testable import MeterCore

/// Readings of the queue as bundles, which are sent nowhere.
@Suite("Export of FHIR's bundles", .timeLimit(.minutes(60))) struct FHIRExportTests {
  private func record(_ values: String, type: String = "weight", at time: String = "08:00:00Z") throws -> Record {
    let text = #"{"type": "\#(type)", "time": "2026-03-01T\#(time)", "values": [\#(values)]}"#
    return try RecordDocument(Array(text.utf8), name: "x").entries[0].record()
  }

  private let weight = #"{"metric": "body_weight", "value": 70.50, "unit": "kg"}"#

  private func commit(_ records: [Record], _ disposition: Disposition = .pending, in store: MeterStore) throws {
    _ = try store.commit([
      CommitUnit(
        generation: try store.currentSession().generation,
        records: records.map { CommitRecord(record: $0, disposition: disposition) })
    ])
  }

  /// An owner with a session whose receiver is never asked.
  private func withOwner(_ body: (GatewayOwner, MeterStore) async throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      try await GatewayFixture.withReceiver(sandbox) { _, port in
        _ = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        try await body(GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store), store)
      }
    }
  }

  @Test("what waits for a receiver is written with its digits, and what waits for a person is not")
  func waiting() async throws {
    try await withOwner { owner, store in
      let waiting = try record(weight)
      try commit([waiting], in: store)
      try commit([try record(weight, at: "09:00:00Z")], .held(.awaitingConfirmation), in: store)
      let answer = try FHIRExportRequest(patient: "Patient/7").perform(on: owner)
      #expect(answer.bundles.map(\.logID) == ["\(waiting.logID)"] && answer.bundles[0].revision == 1)
      #expect(answer.held == 1 && answer.refused.isEmpty && answer.next == nil)
      let bundle = try JSONDocument(Array(answer.bundles[0].bundle.utf8), rules: JSONRules(depth: 24)).root
      let observation = try #require(bundle.member("entry")?.elements.first?.member("resource"))
      #expect(observation.member("subject")?.member("reference")?.asString == "Patient/7")
      #expect(observation.member("valueQuantity")?.member("value")?.numeral == "70.50")
    }
  }

  @Test("a reading without a form is named with its reason")
  func refused() async throws {
    try await withOwner { owner, store in
      let food = try record(#"{"metric": "protein", "value": 21, "unit": "g"}"#, type: "nutrition")
      try commit([food], in: store)
      let answer = try FHIRExportRequest(patientIdentifier: "urn:x|1").perform(on: owner)
      #expect(answer.bundles.isEmpty)
      #expect(answer.refused.map(\.logID) == ["\(food.logID)"] && answer.refused.map(\.code) == ["fhir_no_code"])
    }
  }

  @Test("bounds are moments, the last one not among them")
  func bounds() async throws {
    try await withOwner { owner, store in
      let records = try ["07", "08", "09"].map { try record(weight, at: "\($0):00:00Z") }
      try commit(records, in: store)
      let request = FHIRExportRequest(
        patient: "Patient/7", from: MomentText("2026-03-01T08:00Z"), to: MomentText("2026-03-01T09:00Z"))
      #expect(try request.perform(on: owner).bundles.map(\.logID) == ["\(records[1].logID)"])
    }
  }

  @Test("all of a queue comes in parts, each reading once, however many receivers it has")
  func parts() async throws {
    try await withOwner { owner, store in
      let setting = try #require(try GatewayFixture.receiver(of: store))
      try store.setSink("research", setting.stored(), token: AccessToken("token-of-research-1"))
      let records = try (0..<5).map { try record(weight, at: "08:0\($0):00Z") }
      for record in records { try commit([record], in: store) }
      var request = FHIRExportRequest(patient: "Patient/7", limit: 3)
      var found: [String] = []
      while true {
        let answer = try request.perform(on: owner)
        found += answer.bundles.map(\.logID)
        guard let next = answer.next else { break }
        #expect(next > request.after)
        request.after = next
      }
      #expect(found == records.map { "\($0.logID)" })
    }
  }

  @Test(
    "a patient who is not named as one is refused",
    arguments: [
      (nil, nil), ("Patient/1", "urn:x|1"), ("1", nil), ("Patient/../x", nil), (nil, "4711"),
    ] as [(String?, String?)])
  func patients(patient: String?, identifier: String?) async throws {
    try await withOwner { owner, _ in
      let error = #expect(throws: GatewayError.self) {
        try FHIRExportRequest(patient: patient, patientIdentifier: identifier).perform(on: owner)
      }
      #expect(error?.code == "fhir_patient" && error?.kind == .usage && error?.hint != nil)
    }
  }
}
