import DriverContract
import Foundation
import MeterCore
import TestSupport
import Testing

@testable import MeterHealth

@Suite("Pieces that automations post")
struct PieceTests {
  private func piece(_ samples: [HealthSample], _ name: String = "Phone") -> HealthPieces {
    var pieces = HealthPieces()
    pieces.sources = [HealthSource(name)]
    pieces.samples = samples
    return pieces
  }

  private func steps(_ start: String, _ end: String, _ value: Int64) -> HealthSample {
    HealthSample(.steps, start: Export.time(start), end: Export.time(end), value: Fraction(value))
  }

  private func submit(_ pieces: HealthPieces, to stage: SubmissionStage) async throws -> HealthSubmissionReport {
    try await stage.submit(Export(), pieces: pieces)
  }

  @Test("A day is the sum of all that has come for it; a piece that comes again brings nothing")
  func day() async throws {
    let stage = try SubmissionStage()
    let morning = piece([steps("10 10:00", "10 10:10", 1000)])
    #expect(try await submit(morning, to: stage).new == [.routine: 1])
    let noon = piece([steps("10 12:00", "10 12:10", 500)])
    #expect(try await submit(noon, to: stage).revised == [.routine: 1])
    #expect(try stage.waiting(.routine).map { $0["steps"] } == ["1500"])
    let again = try await submit(noon, to: stage)
    #expect(again.newSamples == 0 && again.processed.isEmpty)
    #expect(try stage.waiting(.routine).map { $0["steps"] } == ["1500"])
  }

  @Test("A minute that was not over is replaced, not added")
  func growing() async throws {
    let stage = try SubmissionStage()
    _ = try await submit(piece([steps("10 10:00", "10 11:00", 300)]), to: stage)
    let report = try await submit(piece([steps("10 10:00", "10 11:00", 800)]), to: stage)
    #expect(report.newSamples == 1)
    #expect(try stage.waiting(.routine).map { $0["steps"] } == ["800"])
  }

  @Test("A piece lowers no day of a whole export, and other days are not looked at")
  func whole() async throws {
    let stage = try SubmissionStage()
    var export = Export()
    export.add(.steps, "Phone", "10 10:00", "10 10:10", "5000")
    export.add(.steps, "Phone", "12 10:00", "12 10:10", "4000")
    try await stage.submit(export, written: "20 12:00")
    let report = try await submit(piece([steps("10 10:00", "10 10:10", 1000)]), to: stage)
    #expect(report.processed.isEmpty)
    #expect(try stage.waiting(.routine).map { $0["steps"] } == ["5000", "4000"])
  }

  @Test("A night that comes in two pieces is one night")
  func night() async throws {
    let stage = try SubmissionStage()
    func stretch(_ start: String, _ end: String, _ stageOf: SleepStage) -> HealthSample {
      var sample = HealthSample(.sleep, start: Export.time(start), end: Export.time(end))
      sample.stage = stageOf
      return sample
    }
    _ = try await submit(piece([stretch("09 22:00", "10 01:00", .core)], "Watch"), to: stage)
    _ = try await submit(piece([stretch("10 01:00", "10 06:00", .deep)], "Watch"), to: stage)
    #expect(try stage.waiting(.sleep).map { $0["sleep_duration"] } == ["28800"])
  }

  @Test("Two equal things that were eaten at one time are two, in one piece and in the same one again")
  func food() async throws {
    let stage = try SubmissionStage()
    func apple() -> HealthSample {
      HealthSample(.dietCarbohydrates, start: Export.time("10 12:00"), value: Fraction(14))
    }
    var second = apple()
    second.modified = 5
    let meal = piece([apple(), second], "Diary")
    _ = try await submit(meal, to: stage)
    _ = try await submit(meal, to: stage)
    #expect(try stage.waiting(.nutrition).map { $0["carbohydrate_consumed"] } == ["28"])
  }

  @Test("What is kept of a sample is the whole sample")
  func kept() throws {
    var sample = HealthSample(
      .workout, start: 1, end: 60_000_000, value: Fraction(1, over: 3), source: 0)
    sample.utcOffset = 3600
    sample.flags = [.manual]
    sample.text = "yoga"
    sample.id = "w-1"
    sample.modified = 7
    sample.attributes = [HealthAttribute("distance", Fraction(5)), HealthAttribute("date", "2026-03-10")]
    var part = HealthSample(.workout, start: 2, end: 3)
    part.text = "pause"
    sample.parts = [part]
    let source = HealthSource("Riley's Watch", key: "w", detail: "name:x", flags: .watch)
    let kept = try JSONDecoder().decode(
      KeptSample.self, from: JSONEncoder().encode(KeptSample(sample, of: source)))
    #expect(kept.sample(source: 0) == sample)
    #expect(kept.keptSource == source)
  }
}
