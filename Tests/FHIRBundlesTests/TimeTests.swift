import MeterCore
import StrictJSON
import Testing

@testable import FHIRBundles

/// When a reading was taken, and by which clock.
@Suite("Times in FHIR", .timeLimit(.minutes(60)))
struct TimeTests {
  private func time(
    _ offset: Int?, kind: RecordTime.Kind = .utc, start: Int64 = Fixture.morning, end: Int64? = nil,
    civil: Int64? = nil
  ) -> RecordTime {
    RecordTime(
      startMicroseconds: start, endMicroseconds: end ?? start, civilMicroseconds: civil, utcOffsetSeconds: offset,
      zoneSource: offset == nil ? nil : .gateway, kind: kind)
  }

  private func read(_ time: RecordTime, _ beside: [RecordValue] = []) throws -> ReadBundle {
    try ReadBundle(Fixture.maker.bundle(for: Fixture.glucose(beside, time: time)))
  }

  @Test(
    "a moment has the offset that it was taken with",
    arguments: [
      (Int?.some(3_600), "2026-03-01T08:00:00+01:00"), (0, "2026-03-01T07:00:00+00:00"),
      (-12_600, "2026-03-01T03:30:00-03:30"), (50_400, "2026-03-01T21:00:00+14:00"),
      // UTC is known, and the offset is not.
      (nil, "2026-03-01T07:00:00-00:00"),
      // FHIR has no way to write these.
      (3_601, "2026-03-01T07:00:00Z"), (54_000, "2026-03-01T07:00:00Z"),
    ])
  func offsets(offset: Int?, text: String) throws {
    let main = try read(time(offset)).observation("2339-0")
    #expect(main.text("effectiveDateTime") == text && main.at("effectivePeriod") == nil)
  }

  @Test("a fraction of a second has as many digits as it takes, and no year has five")
  func bounds() {
    #expect(FHIRTime(time(nil)).text(Fixture.morning + 250_000) == "2026-03-01T07:00:00.25-00:00")
    #expect(FHIRTime(time(3_600)).text(253_402_300_799_000_000) == "9999-12-31T23:59:59Z")
  }

  @Test("an interval is a period")
  func intervals() throws {
    let main = try read(time(3_600, end: Fixture.morning + Fixture.hour)).observation("2339-0")
    #expect(main.at("effectiveDateTime") == nil)
    #expect(main.text("effectivePeriod.start") == "2026-03-01T08:00:00+01:00")
    #expect(main.text("effectivePeriod.end") == "2026-03-01T09:00:00+01:00")
  }

  @Test("a clock that is ahead is told with what both showed, and the reading keeps the meter's time")
  func ahead() throws {
    let offset = try Fixture.value("clock_offset", "78", "s")
    let read = try read(Fixture.civil, [offset])
    let clock = try read.observation("67975")
    #expect(clock.text("effectiveDateTime") == "2026-03-01T07:58:42+01:00")
    #expect(clock.text("valueDateTime") == "2026-03-01T08:00:00+01:00")
    #expect(try read.observation("2339-0").text("effectiveDateTime") == "2026-03-01T08:00:00+01:00")
    #expect(read.entries[2].text("resource.identifier.0.value") == "\(Fixture.name(Fixture.logID("glucose"))).clock")
    #expect(try self.read(time(3_600), [offset]).observation("68226").text("valueDateTime") != nil)
  }

  @Test("a start that is not what the meter showed is told likewise")
  func corrected() throws {
    let shown = Fixture.morning + Fixture.hour - 90_000_000
    let clock = try read(time(3_600, kind: .civil, civil: shown)).observation("67975")
    #expect(clock.text("effectiveDateTime") == "2026-03-01T08:00:00+01:00")
    #expect(clock.text("valueDateTime") == "2026-03-01T07:58:30+01:00")
  }

  @Test("a comparison that somebody else has made is told")
  func given() throws {
    let record = try Fixture.glucose()
    var meter = try #require(FHIRMeter(record))
    #expect(meter.clock == nil)
    meter.clock = FHIRMeter.ClockReading(
      hostMicroseconds: Fixture.morning + 60_000_000, aheadMicroseconds: -30_000_000)
    let clock = try ReadBundle(Fixture.maker.bundle(for: record, of: meter)).observation("67975")
    #expect(clock.text("effectiveDateTime") == "2026-03-01T08:01:00+01:00")
    #expect(clock.text("valueDateTime") == "2026-03-01T08:00:30+01:00")
  }

  @Test("without a meter's time, or where both clocks agree, there is nothing to compare")
  func nothing() throws {
    let offset = try Fixture.value("clock_offset", "78", "s")
    let agreed = try Fixture.value("clock_offset", "0", "s")
    let bundles = [
      try read(time(3_600, kind: .none), [offset]), try read(Fixture.civil), try read(Fixture.civil, [agreed]),
    ]
    for bundle in bundles {
      #expect(bundle.resources("Observation").count == 1)
      #expect(try bundle.observation("2339-0").at("extension")?.elements.count == 1)
    }
  }
}
