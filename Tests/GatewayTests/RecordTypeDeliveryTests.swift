import Foundation
import MeterCore
import GatewayEngine
import MeterReceiver
import TestSupport
import Testing

/// Every type of record goes from the store to the receiver's store, and is there once.
@Suite(.timeLimit(.minutes(60))) struct RecordTypeDeliveryTests {
  /// 2026-03-01T08:00:00Z.
  private static let morning: Int64 = 1_772_352_000_000_000
  private static let hour: Int64 = 3_600_000_000

  private static func draft(_ type: MeterCore.RecordType) -> RecordDraft {
    let time = RecordTime(
      startMicroseconds: morning, endMicroseconds: morning + 8 * hour, civilMicroseconds: nil, utcOffsetSeconds: 3600,
      zoneSource: .user, kind: .utc)
    let source = RecordSource(
      peripheralID: 0, manufacturer: "Example", model: "Watch", deviceID: "watch-1", driverID: "import",
      driverVersion: "1.0.0")
    var draft = RecordDraft(type: type, time: time, source: source, origin: .device)
    let points = [RecordDraft.Point(morning, "101"), RecordDraft.Point(morning + hour, "112")]
    switch type {
    case .biometrics: draft.values = [.init("systolic", "121", "mm[Hg]"), .init("diastolic", "79", "mm[Hg]")]
    case .diabetes: draft.values = [.init("blood_glucose", "5.6", "mmol/L")]
    case .weight: draft.values = [.init("body_weight", "70.5", "kg")]
    case .routine: draft.values = [.init("steps", "8123")]
    case .nutrition: draft.values = [.init("carbohydrate_consumed", "60", "g")]
    case .fitness: draft.values = [.init("active_duration", "1800", "s")]
    case .sleep: draft.values = [.init("sleep_duration", "25200", "s")]
    case .intraday:
      draft.granularity = RecordSeries.Granularity(interval: 1, unit: "h")
      draft.channels = [.init("pulse", unit: "/min", points: points)]
    case .cgm: draft.channels = [.init("blood_glucose", unit: "mg/dL", points: points)]
    }
    return draft
  }

  @Test func everyTypeIsStoredOnce() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      try await GatewayFixture.withReceiver(sandbox) { _, port in
        let started = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        let meter = MeterIdentity(serial: "watch-1", model: "Watch", systemID: nil, address: "00:00:00:00:00:01")
        for type in MeterCore.RecordType.allCases {
          let record: Record
          do throws(DraftError) { record = try Self.draft(type).record() } catch {
            Issue.record("\(type): \(error)")
            continue
          }
          let unit = CommitUnit(
            generation: started.session.generation, meter: meter, family: "import",
            records: [CommitRecord(record: record, disposition: .pending)])
          #expect(try await store.submit([unit])[0].new.count == 1)
        }
        _ = await started.delivery.drain()
        let left = try store.queueSnapshot().map { "\($0.record?.type.rawValue ?? "?"): \($0.lastError ?? "")" }
        #expect(left == [], "the receiver takes every type")
      }
    }
  }
}
