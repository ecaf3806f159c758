import DriverContract
import MeterCore
import RecordSupport
import TestSupport
import Testing

@testable import MeterHealth

@Suite("What an import puts into the queue")
struct SubmissionTests {
  /// A day with a night, a workout and measurements.
  private func export(_ change: (inout Export) -> Void = { _ in }) -> Export {
    var export = Export()
    export.add(.steps, "Phone", "10 10:00", "10 10:10", "1000")
    export.add(.energyActive, "Phone", "10 10:00", "10 10:10", "40.123")
    export.add(.weight, "Scale", "10 06:00", nil, "81.6466")
    export.sleep(.core, "Watch", "09 23:00", "10 06:00")
    export.add(.workout, "Watch", "10 17:00", "10 17:30") { $0.text = "HKWorkoutActivityTypeYoga" }
    export.add(.dietProtein, "Diary", "10 12:00", nil, "10.5")
    change(&export)
    return export
  }

  @Test("The same export again brings nothing")
  func again() async throws {
    let stage = try SubmissionStage()
    let first = try await stage.submit(export())
    #expect(first.new == [.routine: 1, .weight: 1, .sleep: 1, .fitness: 1, .nutrition: 1])
    #expect(first.revised.isEmpty && first.refused.isEmpty && first.held.isEmpty)
    let second = try await stage.submit(export(), written: "31 20:30")
    #expect(second.new.isEmpty && second.revised.isEmpty && second.unchanged == 5)
    #expect(try stage.store.queueSnapshot().count == 5)
  }

  @Test("Another unit is no other value, a changed value is a revision")
  func units() async throws {
    let stage = try SubmissionStage()
    try await stage.submit(export())
    // 180 lb are printed with six digits: 81.6466 kg, or 81.64663 of what is counted back.
    var pounds = Export()
    pounds.add(.weight, "Scale", "10 06:00", nil, "180", unit: "lb")
    pounds.add(.energyActive, "Phone", "10 10:00", "10 10:10", "167.874", unit: "kJ")
    pounds.add(.steps, "Phone", "10 10:00", "10 10:10", "1000")
    let same = try await stage.submit(pounds)
    #expect(same.new.isEmpty && same.revised.isEmpty && same.unchanged == 2)
    var corrected = Export()
    corrected.add(.steps, "Phone", "10 10:00", "10 10:10", "1000")
    corrected.add(.energyActive, "Phone", "10 10:00", "10 10:10", "40.123")
    corrected.add(.weight, "Scale", "10 06:00", nil, "81.7")
    let changed = try await stage.submit(corrected)
    #expect(changed.revised == [.weight: 1] && changed.new.isEmpty)
    #expect(try stage.waiting(.weight) == [["body_weight": "81.7"]])
    #expect(try stage.revisions(.weight) == [2])
  }

  @Test("A later export raises a sum, an older one lowers none unless it is forced to")
  func older() async throws {
    let stage = try SubmissionStage()
    try await stage.submit(export(), written: "20 12:00")
    let grown = export { $0.add(.steps, "Phone", "10 12:00", "10 12:10", "500") }
    let newer = try await stage.submit(grown, written: "21 12:00")
    #expect(newer.revised == [.routine: 1])
    let older = try await stage.submit(export(), written: "20 12:00")
    #expect(older.revised.isEmpty && older.unchanged == 5)
    #expect(try stage.waiting(.routine).map { $0["steps"] } == ["1500"])
    let forced = try await stage.submit(export(), written: "20 12:00", isForced: true)
    #expect(forced.revised == [.routine: 1])
    #expect(try stage.waiting(.routine).map { $0["steps"] } == ["1000"])
  }

  @Test("A later export that has less lowers the sum; a day that became empty is 0")
  func deleted() async throws {
    let stage = try SubmissionStage()
    try await stage.submit(export { $0.add(.steps, "Phone", "11 12:00", "11 12:10", "500") }, written: "20 12:00")
    let later = try await stage.submit(export(), written: "21 12:00")
    #expect(later.revised == [.routine: 1] && later.new.isEmpty)
    #expect(try stage.waiting(.routine).map { $0["steps"] } == ["1000", "0"])
    let again = try await stage.submit(export(), written: "22 12:00")
    #expect(again.revised.isEmpty)
  }

  @Test("Of a damaged export no sums are delivered, and nothing has vanished")
  func partial() async throws {
    let stage = try SubmissionStage()
    try await stage.submit(export(), written: "20 12:00")
    var rest = Export()
    rest.add(.steps, "Phone", "10 10:00", "10 10:10", "300")
    rest.add(.weight, "Scale", "12 06:00", nil, "82")
    let report = try await stage.submit(rest, written: "21 12:00", isPartial: true)
    #expect(report.new == [.weight: 1] && report.revised.isEmpty && report.vanished.isEmpty)
    #expect(report.withheldSums == 1)
    #expect(try stage.waiting(.routine).map { $0["steps"] } == ["1000"])
  }

  @Test("An export that begins later, as another phone's, empties no day before it and misses nothing there")
  func later() async throws {
    let stage = try SubmissionStage()
    try await stage.submit(export(), written: "20 12:00")
    var other = Export()
    other.add(.steps, "Phone", "15 10:00", "15 10:10", "300")
    other.add(.weight, "Scale", "15 06:00", nil, "82")
    other.sleep(.core, "Watch", "14 23:00", "15 06:00")
    let report = try await stage.submit(other, written: "21 12:00")
    #expect(report.revised.isEmpty && report.vanished.isEmpty)
    #expect(try stage.waiting(.routine).map { $0["steps"] } == ["1000", "300"])
  }

  @Test("A damaged export shortens no night that is known") func partialNight() async throws {
    let stage = try SubmissionStage()
    try await stage.submit(export(), written: "20 12:00")
    var cut = Export()
    cut.sleep(.core, "Watch", "09 23:00", "10 02:00")
    let report = try await stage.submit(cut, written: "21 12:00", isPartial: true)
    #expect(report.processed.isEmpty && report.kept == 1)
    #expect(try stage.waiting(.sleep).map { $0["sleep_duration"] } == ["25200"])
  }

  @Test("What was posted by its time and exported by a name of its own is one record", arguments: [true, false])
  func namedTwice(postedFirst: Bool) async throws {
    let stage = try SubmissionStage()
    func weight(_ id: String?) -> Export {
      var export = Export(.healthConnect)
      export.add(.weight, "App", "10 06:00", nil, "81") { $0.id = id }
      return export
    }
    let order = postedFirst ? [nil, "6f9c"] : ["6f9c", nil]
    let first = try await stage.submit(weight(order[0]), written: "20 12:00", family: .healthConnect)
    let second = try await stage.submit(weight(order[1]), written: "21 12:00", family: .healthConnect)
    #expect(first.new == [.weight: 1] && second.processed.isEmpty && second.unchanged == 1)
    #expect(try stage.waiting(.weight).count == 1)
  }

  @Test("What vanished is told once, and not where the whole type is absent")
  func vanished() async throws {
    let stage = try SubmissionStage()
    try await stage.submit(export { $0.add(.weight, "Scale", "12 06:00", nil, "82") }, written: "20 12:00")
    let later = try await stage.submit(export(), written: "21 12:00")
    #expect(later.vanished.map(\.word) == ["body_weight"])
    #expect(try await stage.submit(export(), written: "22 12:00").vanished.isEmpty)
    // It comes back: nothing is delivered again, and it can vanish once more.
    let back = try await stage.submit(
      export { $0.add(.weight, "Scale", "12 06:00", nil, "82") }, written: "23 12:00")
    #expect(back.new.isEmpty && back.revised.isEmpty && back.vanished.isEmpty)
    #expect(try await stage.submit(export(), written: "24 12:00").vanished.count == 1)
    var withoutWeights = Export()
    withoutWeights.add(.steps, "Phone", "10 10:00", "10 10:10", "1000")
    withoutWeights.collector.noteQuantity(.steps)
    let absent = try await stage.submit(withoutWeights.result, written: "25 12:00")
    #expect(absent.vanished.isEmpty)
  }

  @Test("A sample that an app replaced under its own name is the same record with other times")
  func synchronised() async throws {
    let stage = try SubmissionStage()
    func weight(_ time: String, _ value: String) -> Export {
      var export = Export()
      export.add(.weight, "App", time, nil, value) {
        $0.attributes = [HealthAttribute(HealthAttribute.Key.syncID, "w-17")]
      }
      return export
    }
    try await stage.submit(weight("10 06:00", "81"), written: "20 12:00")
    let moved = try await stage.submit(weight("10 06:05", "81.2"), written: "21 12:00")
    #expect(moved.new.isEmpty && moved.revised == [.weight: 1] && moved.vanished.isEmpty)
    #expect(try stage.waiting(.weight) == [["body_weight": "81.2"]])
    let again = try await stage.submit(weight("10 06:05", "81.2"), written: "22 12:00")
    #expect(again.new.isEmpty && again.revised.isEmpty && again.unchanged == 1)
  }

  @Test("What a source had merged itself is not lowered by a sum of samples")
  func merged() async throws {
    let stage = try SubmissionStage()
    var told = Export()
    told.add(.steps, "Phone", "10 00:00", "11 00:00", "1500") {
      $0.flags = .merged
      $0.attributes = [HealthAttribute(HealthAttribute.Key.date, "2026-03-10")]
    }
    try await stage.submit(told, written: "20 12:00")
    let report = try await stage.submit(export(), written: "21 12:00")
    #expect(report.revised == [.routine: 1])
    #expect(try stage.waiting(.routine).map { $0["steps"] } == ["1500"])
  }

  @Test("A day between two sources keeps its order when another export has them the other way round")
  func sources() async throws {
    let stage = try SubmissionStage()
    try await stage.submit(export(), written: "20 12:00")
    #expect(try stage.store.healthSources(family: "apple_health").map(\.key).contains("Phone"))
    let orders = try HealthSubmission(stage.store, of: stage.generation).orders()
    #expect(orders[.apple]?.known.first?.key == "Watch")
  }

  @Test("The end of a session forgets what was imported; the order of sources stays")
  func ended() async throws {
    let stage = try SubmissionStage()
    try await stage.submit(export())
    try stage.store.endSession()
    let generation = try stage.store.startSession(
      Fixture.user, token: Fixture.token, options: SessionOptions(receiver: .unknown())
    ).session.generation
    let borders = SubmissionStage.borders
    #expect(
      try stage.store.importedTraces(family: "apple_health", from: borders.start, until: borders.end).isEmpty)
    #expect(try !stage.store.healthSources(family: "apple_health").isEmpty)
    // What was not delivered comes again.
    var again = export()
    for quantity in HealthQuantity.allCases where quantity != .other { again.collector.noteQuantity(quantity) }
    let outcome = HealthImporter.Outcome(
      driver: "test", format: "apple-health", size: 1, exportedMicroseconds: Export.time("31 20:00"),
      result: again.result, family: .apple, driverVersion: "1.0.0", pieces: nil)
    let report = try await HealthSubmission(stage.store, of: generation).submit(
      outcome, HealthSubmission.Wish(.all, borders: borders, now: Export.time("31 21:00")))
    #expect(report.processed.values.reduce(0, +) == 5)
  }

  @Test("Only what is subscribed to comes")
  func subscribed() async throws {
    let stage = try SubmissionStage()
    let report = try await stage.submit(
      export(), subscription: HealthSubscription(sets: [.sleep, .weight], types: [], processesIntraday: false))
    #expect(report.new == [.weight: 1, .sleep: 1])
  }
}
