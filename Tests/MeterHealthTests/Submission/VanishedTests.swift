import DriverContract
import MeterCore
import RecordSupport
import TestSupport
import Testing

@testable import MeterHealth

@Suite("Forgetting what has vanished")
struct VanishedTests {
  private static func export(_ weights: [String]) -> Export {
    var export = Export()
    export.add(.steps, "Phone", "10 10:00", "10 10:10", "1000")
    for (day, value) in zip(10..., weights) { export.add(.weight, "Scale", "\(day) 06:00", nil, value) }
    return export
  }

  /// A stage with three weights, of which a later export has two.
  private static func stage() async throws -> (stage: SubmissionStage, vanished: VanishedRecord) {
    let stage = try SubmissionStage()
    try await stage.submit(export(["81", "82", "83"]), written: "20 12:00")
    try await stage.submit(export(["81", "82"]), written: "21 12:00")
    let names = try stage.store.vanishedNames()
    return (stage, try #require(try stage.store.vanishedRecords(names).first))
  }

  private static func forget(_ record: VanishedRecord, _ stage: SubmissionStage) throws -> Bool {
    let samples = try PieceStore(stage.store, of: stage.generation).samples(of: record.trace)
    return try stage.store.forgetVanished(record, samples: samples, of: stage.generation)
  }

  @Test("takes back what waits, and a later export that has it brings it as new, by the old name")
  func again() async throws {
    let (stage, record) = try await Self.stage()
    #expect(record.trace.word == "body_weight" && record.trace.recordType == .weight)
    #expect(record.waiting == [MeterStore.defaultSink] && record.holders.isEmpty && !record.isBeingSent)
    #expect(try Self.forget(record, stage))
    #expect(try stage.waiting(.weight).map { $0["body_weight"] } == ["81", "82"])
    #expect(try stage.store.vanishedNames().isEmpty)
    #expect(try !Self.forget(record, stage), "it is not there any more")
    let back = try await stage.submit(Self.export(["81", "82", "83"]), written: "22 12:00")
    #expect(back.new == [.weight: 1] && back.names == [record.trace.logID])
    #expect(try stage.waiting(.weight).count == 3)
  }

  @Test("changes nothing where an export has it again meanwhile")
  func meanwhile() async throws {
    let (stage, record) = try await Self.stage()
    try await stage.submit(Self.export(["81", "82", "83"]), written: "22 12:00")
    #expect(try stage.store.vanishedRecords([record.trace.logID]).isEmpty)
    #expect(try !Self.forget(record, stage))
    #expect(try stage.waiting(.weight).count == 3)
  }

  @Test("changes nothing in another session")
  func otherSession() async throws {
    let (stage, record) = try await Self.stage()
    try stage.store.endSession()
    _ = try stage.store.startSession(
      Fixture.user, token: Fixture.token, options: SessionOptions(receiver: .unknown()))
    #expect(throws: StoreError.self) { _ = try Self.forget(record, stage) }
  }

  @Test("is forgotten under its further names, too")
  func aliases() async throws {
    let stage = try SubmissionStage()
    func named(_ time: String) -> Export {
      var export = Self.export(["81"])
      export.add(.weight, "App", time, nil, "84") {
        $0.attributes = [HealthAttribute(HealthAttribute.Key.syncID, "w-17")]
      }
      return export
    }
    try await stage.submit(named("14 06:00"), written: "20 12:00")
    try await stage.submit(Self.export(["81"]), written: "21 12:00")
    let record = try #require(try stage.store.vanishedRecords(try stage.store.vanishedNames()).first)
    #expect(try Self.forget(record, stage))
    // By its sync identifier it would be a revision of what is forgotten.
    let moved = try await stage.submit(named("14 06:05"), written: "22 12:00")
    #expect(moved.new == [.weight: 1] && moved.revised.isEmpty)
  }

  @Test("a later piece of the same day does not bring back what was forgotten")
  func pieces() async throws {
    let stage = try SubmissionStage()
    func piece(_ quantity: HealthQuantity, _ time: String, _ value: Int64) -> HealthPieces {
      var pieces = HealthPieces()
      pieces.sources = [HealthSource("Scale")]
      pieces.samples = [HealthSample(quantity, start: Export.time(time), value: Fraction(value))]
      return pieces
    }
    try await stage.submit(Export(), now: "20 12:00", pieces: piece(.weight, "12 06:00", 83))
    try await stage.submit(Self.export(["81"]), written: "21 12:00")
    let record = try #require(try stage.store.vanishedRecords(try stage.store.vanishedNames()).first)
    #expect(try Self.forget(record, stage))
    let later = try await stage.submit(Export(), pieces: piece(.restingHeartRate, "12 08:00", 51))
    #expect(later.new[.weight] == nil && later.revised.isEmpty)
    #expect(try stage.waiting(.weight).map { $0["body_weight"] } == ["81"])
  }
}
