import DriverContract
import MeterCore
import TestSupport
import Testing

@testable import MeterHealth

@Suite("What is remembered of a record tells its type")
struct TracedTypeTests {
  private func trace(_ draft: HealthRecordDraft) -> ImportedTrace {
    ImportedTrace(
      logID: draft.name.logID, family: HealthFamily.apple.rawValue, kind: draft.kind.rawValue, word: draft.word,
      startMicroseconds: 0, endMicroseconds: 0, source: "", content: "", exportedMicroseconds: 0)
  }

  @Test(
    "of every measured quantity, and of nights and workouts",
    arguments: HealthQuantity.allCases.filter { [.measurement, .reproductive].contains($0.kind) })
  func everyQuantity(quantity: HealthQuantity) {
    var export = Export()
    export.sleep(.core, "Watch", "01 23:00", "02 06:00")
    export.add(.workout, "Watch", "03 10:00", "03 11:00") { $0.text = "HKWorkoutActivityTypeYoga" }
    export.add(quantity, "App", "04 10:00", nil, quantity.kind == .reproductive ? nil : "37") { $0.text = "light" }
    let drafts = export.result.drafts(of: .apple, driver: "test", version: "1.0.0")
    #expect(drafts.count >= 2)
    for draft in drafts { #expect(trace(draft).recordType == draft.draft.type, "\(draft.word)") }
  }

  @Test("what no version of this host has written has none", arguments: ["", "glance"])
  func unknown(kind: String) {
    let trace = ImportedTrace(
      logID: HealthIdentity.sample("weight", start: 0, end: 0, of: .apple).logID, family: "apple_health", kind: kind,
      word: "body_weight", startMicroseconds: 0, endMicroseconds: 0, source: "", content: "", exportedMicroseconds: 0)
    #expect(trace.recordType == nil)
  }
}
