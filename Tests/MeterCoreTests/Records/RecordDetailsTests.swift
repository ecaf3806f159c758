import Foundation
import HostPrimitives
import RecordSupport
import Testing

@testable import MeterCore

@Suite("Details of a record")
struct RecordDetailsTests {
  @Test("come from drafts, in order of time")
  func drafts() throws {
    let night = try Fixture.night().record()
    #expect(night.details?.segments.first?.values.first?.metric == 0x7303)
    let series = try #require(try Fixture.glucoseSeries().record().details?.series)
    #expect(series.channels.first?.points.map(\.number.description) == ["112", "118", "400"])
    #expect(series.granularity == .init(interval: 5, unit: "min"))
    let food = try #require(try Fixture.meal().record().details?.segments.first?.foods.first)
    #expect(food.values.map(\.metric) == [0x7400, 0x7407] && food.servingAmount?.mantissa == 2)
  }

  @Test("survive the disk")
  func codable() throws {
    for draft in [Fixture.night(), Fixture.glucoseSeries(), Fixture.glucoseSeries(.intraday), Fixture.meal()] {
      let record = try draft.record()
      #expect(try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(record)) == record)
    }
  }

  @Test("change the content, each part of them")
  func content() throws {
    let night = try Fixture.night().record()
    let edits: [(inout RecordDraft) -> Void] = [
      { $0.segments = [] }, { $0.tags = [] }, { $0.extras.removeLast() }, { $0.segments[0].name = nil },
      { $0.segments[0].name = "deep" }, { $0.segments[0].endMicroseconds? += 1 },
      { $0.segments[0].values[0].value = "60.0" }, { $0.extras[1] = RecordExtra(name: "nap", value: .text("false")) },
    ]
    var hashes = Set([night.contentHash])
    for edit in edits {
      var draft = Fixture.night()
      edit(&draft)
      #expect(hashes.insert(try draft.record().contentHash).inserted)
    }
    var reordered = Fixture.night()
    reordered.extras.reverse()
    #expect(try reordered.record().contentHash == night.contentHash)
    var tagged = Fixture.night()
    tagged.tags = []
    #expect(try tagged.record().primaryHash == night.primaryHash, "a tag is no measured value")
    tagged.segments = []
    #expect(try tagged.record().primaryHash != night.primaryHash)
    var late = Fixture.glucoseSeries()
    late.channels[0].points.removeLast()
    #expect(try late.record().contentHash != Fixture.glucoseSeries().record().contentHash)
  }

  @Test("go along when a person changes the record, and move with its start")
  func changed() throws {
    let hour: Int64 = 3_600_000_000
    let night = try Fixture.night().record()
    #expect(night.changed() == night)
    let later = night.changed(
      time: .utc(Fixture.morning + hour, to: Fixture.morning + 9 * hour, zone: Fixture.berlin, source: .user))
    #expect(later.logID == night.logID && later.contentHash != night.contentHash)
    #expect(later.details?.segments.first?.startMicroseconds == Fixture.morning + hour)
    #expect(later.details?.tags == night.details?.tags && later.details?.extras == night.details?.extras)
    #expect(later.changed(time: night.time) == night)
    let series = try Fixture.glucoseSeries().record()
    let moved = series.changed(time: .utc(Fixture.morning - hour, zone: Fixture.berlin, source: .user))
    #expect(moved.details?.series?.channels.first?.points.first?.timeMicroseconds == Fixture.morning - hour)
    let shorter = night.changed(values: [night.values[0]], origin: .unknown, flags: .clockSuspect)
    #expect(shorter.values.count == 1 && shorter.origin == .unknown && shorter.flags == .clockSuspect)
    #expect(shorter.details == night.details && shorter.notes == night.notes)
  }

  @Test("do not depend on the gateway's zone for a civil time")
  func zones() throws {
    func record(_ zone: TimeZone) throws -> Record {
      var draft = Fixture.night()
      draft.time = .local(Fixture.morning, to: Fixture.morning + 28_800_000_000, zone: zone, source: .gateway)
      draft.segments[0].startMicroseconds = draft.time.startMicroseconds + 5
      draft.segments[0].endMicroseconds = draft.time.startMicroseconds + 6
      return try draft.record()
    }
    #expect(try record(Fixture.berlin).contentHash == record(.gmt).contentHash)
  }

  @Test("are refused where they do not belong or do not fit")
  func refusals() {
    func code(_ draft: RecordDraft, _ edit: (inout RecordDraft) -> Void) -> DraftError.Code? {
      var draft = draft
      edit(&draft)
      do { _ = try draft.record() } catch { return error.code }
      return nil
    }
    let night = Fixture.night()
    #expect(code(night) { $0.segments[0].endMicroseconds = nil } == .badTime)
    #expect(code(night) { $0.segments[0].startMicroseconds = Fixture.morning - 1 } == .badTime)
    #expect(code(night) { $0.segments[0].values = [.init("blood_glucose", "100", "mg/dL")] } == .notOfType)
    #expect(code(night) { $0.segments[0].foods = [.init(name: "Toast", values: [])] } == .notOfType)
    #expect(code(night) { $0.extras.append($0.extras[0]) } == .duplicate)
    #expect(code(night) { $0.tags = [RecordTag(name: "", value: "x")] } == .badText)
    #expect(code(night) { $0.channels = Fixture.glucoseSeries().channels } == .notOfType)
    #expect(
      code(Fixture.draft(.diabetes, [.init("blood_glucose", "100", "mg/dL")])) { draft in
        draft.segments = [.init(values: [.init("blood_glucose", "100", "mg/dL")])]
      } == .notOfType)
    let series = Fixture.glucoseSeries()
    #expect(code(series) { $0.channels = [] } == .badSeries)
    #expect(code(series) { $0.values = [.init("blood_glucose", "100", "mg/dL")] } == .notOfType)
    #expect(code(series) { $0.granularity = nil } == nil)
    #expect(code(Fixture.glucoseSeries(.intraday)) { $0.granularity = nil } == .badSeries)
    #expect(code(night) { $0.values = [] } == .noValue)
    #expect(code(Fixture.words()) { _ in } == nil)
    #expect(code(Fixture.words()) { $0.isOfWords = false } == .noValue)
    #expect(code(Fixture.words()) { $0.extras = [] } == .noValue)
    #expect(code(Fixture.words()) { $0.type = .weight } == .noValue)
    #expect(code(Fixture.meal()) { $0.segments[0].foods[0].servingUnit = nil } == .badText)
    #expect(code(series) { $0.channels[0].points = [] } == .badSeries)
    #expect(code(series) { $0.channels[0].points.append($0.channels[0].points[0]) } == .badSeries)
    #expect(code(series) { $0.channels[0].points[0].timeMicroseconds = 0 } == .badSeries)
    #expect(code(series) { $0.channels[0].points[0].value = "nan" } == .notANumber)
    #expect(code(series) { $0.channels[0].metric = "body_weight" } == .notOfType)
    #expect(code(series) { $0.channels.append($0.channels[0]) } == .duplicate)
    #expect(code(series) { $0.granularity = .init(interval: 0, unit: "min") } == .badSeries)
    #expect(code(series) { $0.granularity = .init(interval: 1, unit: "week") } == .badSeries)
    #expect(
      code(series) { draft in
        draft.channels[0].points = (0...Int64(RecordDraft.pointLimit)).map { .init(Fixture.morning + $0, "100") }
      } == .badSeries)
  }
}

/// Frozen: a changed byte would deliver every reading of every meter again.
@Suite("Content of a meter's readings")
struct RecordContentTests {
  @Test("has the bytes that it always had")
  func golden() {
    let record = Fixture.glucose(7, mantissa: 620, exponent: -2, unit: 3, context: [Fixture.beforeMeal])
    let noted = Record(
      logID: record.logID, identityClass: .stored, type: .diabetes, time: record.time, deviceSequence: 7, deviceUser: 2,
      values: record.values, notes: [RecordNote(field: 304, text: "ok")], source: record.source)
    let content = RecordContent(
      type: noted.type, time: noted.time, deviceSequence: 7, deviceUser: 2, values: noted.values, notes: noted.notes,
      origin: .device, flags: [], details: nil)
    let frames = [
      "\u{1}", "diabetes", "civil", "1772352000000000 0", "7", "2", "device", "0", "2", "1 3 620 -2", "exact",
      "100 1 1 0", "exact", "304", "ok",
    ]
    let expected: [UInt8] = frames.flatMap { frame -> [UInt8] in
      [0, 0, 0, UInt8(frame.utf8.count)] + Array(frame.utf8)
    }
    #expect(content.bytes == expected)
    #expect(noted.contentHash == content.hash)
    let empty = Record(
      logID: noted.logID, identityClass: .stored, type: .diabetes, time: noted.time, deviceSequence: 7, deviceUser: 2,
      values: noted.values, notes: noted.notes, source: noted.source, details: RecordDetails())
    #expect(empty == noted, "nothing and empty details are one content")
  }

  @Test(
    "of records with details never changes either",
    arguments: [
      (Fixture.night(), "58ae5f393511c65633ab18c74ee446b537c0bc335ea1ae3ce9037dbaed44eb2b"),
      (Fixture.glucoseSeries(), "8c2f5e0395703854de1eb05ea5ad52d9c836deb0494e4208cff782cb19c2deb1"),
      (Fixture.meal(), "e5b89a6984a3f58aa1eb115d29ee224ab4842763d46e6e62f83f4a946575b34d"),
    ])
  func details(draft: RecordDraft, hash: String) throws {
    #expect(try draft.record().contentHash.hexadecimal == hash)
  }

  @Test("of a state folder without details is read")
  func earlier() throws {
    let record = Fixture.glucose(1)
    let text = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
    #expect(!text.contains("details"), "a reading's row stays as it was")
    #expect(try JSONDecoder().decode(Record.self, from: Data(text.utf8)) == record)
  }
}
