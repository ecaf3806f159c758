import DriverContract
import Foundation
import HostPrimitives
import MeterCore
import RecordSupport
import TestSupport

@testable import MeterHealth

/// A store with a session, and exports that are submitted to it.
final class SubmissionStage {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(
      Fixture.user, token: Fixture.token, options: SessionOptions(receiver: .unknown())
    ).session.generation
  }

  /// A time of March 2026, UTC.
  static func time(_ text: String) -> Int64 { Export.time(text) }

  /// Submits what an export comes to.
  ///
  /// - Parameters:
  ///   - written: When the export says that it was written.
  ///   - pieces: The same as what an automation has posted.
  @discardableResult
  func submit(
    _ export: Export, written: String = "31 20:00", now: String = "31 21:00", pieces: HealthPieces? = nil,
    subscription: HealthSubscription = .all, isForced: Bool = false, isPartial: Bool = false,
    family: HealthFamily = .apple
  ) async throws -> HealthSubmissionReport {
    var export = export
    for quantity in HealthQuantity.allCases where quantity != .other { export.collector.noteQuantity(quantity) }
    var result = export.result
    if isPartial { result.isPartial = true }
    return try await submit(
      result, written: written, now: now, pieces: pieces, subscription: subscription, isForced: isForced, family: family
    )
  }

  func submit(
    _ result: HealthResult, written: String = "31 20:00", now: String = "31 21:00", pieces: HealthPieces? = nil,
    subscription: HealthSubscription = .all, isForced: Bool = false, family: HealthFamily = .apple
  ) async throws -> HealthSubmissionReport {
    let outcome = HealthImporter.Outcome(
      driver: "test", format: "apple-health", size: 1, exportedMicroseconds: Self.time(written), result: result,
      family: family, driverVersion: "1.0.0", pieces: pieces)
    var wish = HealthSubmission.Wish(subscription, borders: Self.borders, now: Self.time(now))
    wish.isForced = isForced
    return try await HealthSubmission(store, of: generation).submit(outcome, wish)
  }

  static let borders = DayBorders(
    from: CivilDate(text: "2026-03-01".utf8) ?? CivilDate(daysSince1970: 0),
    through: CivilDate(text: "2026-03-31".utf8) ?? CivilDate(daysSince1970: 0), in: ZoneTable(.gmt))

  /// All records of a type that wait, the values of each by name.
  func waiting(_ type: RecordType) throws -> [[String: String]] {
    var records = try store.queueSnapshot().compactMap(\.record).filter { $0.type == type }
    records.sort { $0.time.startMicroseconds < $1.time.startMicroseconds }
    return records.map { record in
      var values: [String: String] = [:]
      for value in record.values { values[value.metricName] = "\(value.number)" }
      return values
    }
  }

  /// The revisions of a type's records.
  func revisions(_ type: RecordType) throws -> [Int] {
    try store.queueSnapshot().compactMap(\.record).filter { $0.type == type }.map(\.revision).sorted()
  }
}
