import DriverContract
import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import InformSink

@Suite("Record admission")
struct RecordAdmissionTests {
  static let clock = HostClockReading(utcMicroseconds: Fixture.morning, isSynchronized: true)

  static func context(_ assignment: MeterAssignment? = nil) -> AdmissionContext {
    AdmissionContext(
      meter: Fixture.meter, source: Fixture.source, gatewayZone: Fixture.berlin, assignment: assignment)
  }

  static func reported(
    _ values: [DriverValue] = [glucose()], change: (inout DriverRecord) -> Void = { _ in }
  ) -> DriverRecord {
    var record = DriverRecord(
      kind: .measurement, timeKind: .civil, startMicroseconds: Fixture.morning - 86_400_000_000, deviceSequence: 7,
      identity: [7],
      identityClass: .stored, values: values)
    change(&record)
    return record
  }

  static func glucose(
    _ raw: Int64 = 112, _ exponent: Int8 = 0, unit: UInt16 = 2, value: Double? = nil,
    qualifier: DriverQualifier = .exact
  ) -> DriverValue {
    DriverValue(
      metric: 1, unit: unit, exponent: exponent, qualifier: qualifier,
      value: value ?? ReportedNumber(mantissa: raw, exponent: exponent).doubleValue, raw: raw)
  }

  static func code(_ metric: UInt16, _ raw: Int64) -> DriverValue {
    DriverValue(metric: metric, unit: 1, exponent: 0, qualifier: .exact, value: Double(raw), raw: raw)
  }

  func admit(
    _ record: DriverRecord, clock: HostClockReading = clock, assignment: MeterAssignment? = nil
  ) throws -> Admission {
    var admission = RecordAdmission(context: Self.context(assignment))
    return try #require(admission.admit([record], clock: clock).first)
  }

  func commit(
    _ record: DriverRecord, clock: HostClockReading = clock, assignment: MeterAssignment? = nil
  ) throws -> CommitRecord {
    guard case .commit(let result) = try admit(record, clock: clock, assignment: assignment) else {
      throw NotCommitted()
    }
    return result
  }

  struct NotCommitted: Error {}

  @Test("takes a sane reading as pending with the gateway's zone")
  func sane() throws {
    let result = try commit(Self.reported())
    #expect(result.disposition == .pending)
    #expect(result.record.time.utcOffsetSeconds == 3600)
    #expect(result.record.time.zoneSource == .gateway)
    #expect(result.record.time.startMicroseconds == Fixture.morning - 90_000_000_000)
    #expect(result.record.type == .diabetes)
    #expect(result.record.logID == .stored(meter: Fixture.meter, identity: [7]))
    #expect(result.record.values.first?.number.description == "112")
  }

  @Test(
    "refuses what breaks the contract",
    arguments: [
      (reported([]), .noValue),
      (reported([code(100, 1)]), .noValue),
      (reported([glucose(112, 0, value: 11.2)]), .inconsistentNumber),
      (reported([glucose(112, 0, value: .nan)]), .inconsistentNumber),
      (reported([glucose(112, 0, value: .infinity)]), .inconsistentNumber),
      (reported([glucose(0, 0, value: 1e-300)]), .inconsistentNumber),
      (reported([glucose(62, -1, unit: 10)]), .unitNotAllowed),
      (reported([DriverValue(metric: 300, unit: 1, exponent: 0, qualifier: .exact, value: 1, raw: 1)]), .wrongKind),
      (
        reported([glucose(), DriverValue(metric: 100, unit: 1, exponent: -1, qualifier: .exact, value: 0.1, raw: 1)]),
        .wrongKind
      ),
      (reported { $0.texts = [DriverText(field: 1, text: "x")] }, .wrongKind),
      (reported { $0.identity = [] }, .noIdentity),
      (
        reported {
          $0.startMicroseconds = .max; $0.endMicroseconds = .max
        }, .impossibleTime
      ),
      (reported { $0.startMicroseconds = .min }, .impossibleTime),
      (reported { $0.endMicroseconds -= 1 }, .impossibleTime),
      (reported { $0.timeKind = .civilWithOffset }, .impossibleTime),
      (
        reported {
          $0.timeKind = .civilWithOffset; $0.utcOffsetSeconds = .min
        }, .impossibleTime
      ),
    ] as [(DriverRecord, AdmissionRejection.Code)])
  func refusals(record: DriverRecord, code: AdmissionRejection.Code) throws {
    guard case .rejected(let rejection) = try admit(record) else {
      Issue.record("admitted")
      return
    }
    #expect(rejection.code == code)
  }

  @Test(
    "holds or excludes what must not be delivered by itself",
    arguments: [
      (reported([glucose(5)]), .held(.implausibleValue)),
      (reported([glucose(112, qualifier: .questionable)]), .held(.questionableValue)),
      (reported([glucose(62, -1, unit: 9999)]), .held(.unknownMetric)),
      (
        reported([DriverValue(metric: 99, unit: 2, exponent: 0, qualifier: .exact, value: 1, raw: 1)]),
        .held(.unknownMetric)
      ),
      (
        reported([glucose(), DriverValue(metric: 199, unit: 2, exponent: 0, qualifier: .exact, value: 1, raw: 1)]),
        .held(.unknownMetric)
      ),
      (
        reported([glucose(), DriverValue(metric: 0x8001, unit: 9999, exponent: 0, qualifier: .exact, value: 1, raw: 1)]
        ),
        .held(.unknownMetric)
      ),
      (reported { $0.texts = [DriverText(field: 399, text: "x")] }, .held(.unknownMetric)),
      (reported { $0.flags = .control }, .excluded(.controlSolution)),
      (reported([glucose(), code(120, 10)]), .excluded(.controlSolution)),
      (reported([glucose(), code(121, 4)]), .excluded(.controlSolution)),
      (reported { $0.flags = .held }, .held(.driverAsks)),
      (reported { $0.flags = .tombstone }, .held(.takenBack)),
      (reported { $0.flags = .clockSuspect }, .held(.clockSuspect)),
      (
        reported {
          $0.startMicroseconds = 0; $0.endMicroseconds = 0
        }, .held(.clockSuspect)
      ),
      (
        reported {
          $0.startMicroseconds = 946_684_799_999_999; $0.endMicroseconds = $0.startMicroseconds
        },
        .held(.clockSuspect)
      ),
      (
        reported {
          $0.timeKind = .utc
          $0.startMicroseconds = Fixture.morning + 600_000_001
          $0.endMicroseconds = $0.startMicroseconds
        }, .held(.clockInFuture)
      ),
      (
        reported {
          $0.timeKind = .utc
          $0.startMicroseconds = Fixture.morning + 600_000_000
          $0.endMicroseconds = $0.startMicroseconds
        }, .pending
      ),
      (
        reported([DriverValue(metric: 0x8001, unit: 1, exponent: 0, qualifier: .exact, value: 1, raw: 1)]),
        .held(.notDeliverable)
      ),
      (reported([glucose(), glucose(113)]), .held(.notDeliverable)),
    ] as [(DriverRecord, Disposition)])
  func dispositions(record: DriverRecord, disposition: Disposition) throws {
    let result = try commit(record)
    #expect(result.disposition == disposition)
    let isClockSuspect = [.held(.clockSuspect), .held(.clockInFuture)].contains(disposition)
    #expect(result.record.flags.contains(.clockSuspect) == isClockSuspect)
    #expect(result.record.flags.contains(.control) == (disposition == .excluded(.controlSolution)))
  }

  @Test("knows whose reading it is by slot and date")
  func assignments() throws {
    let mine = MeterAssignment(slot: 1, sinceMicroseconds: nil)
    #expect(try commit(Self.reported { $0.deviceUser = 1 }, assignment: mine).disposition == .pending)
    #expect(try commit(Self.reported { $0.deviceUser = 2 }, assignment: mine).disposition == .held(.unknownOwner))
    #expect(try commit(Self.reported(), assignment: mine).disposition == .held(.unknownOwner))
    let whole = MeterAssignment(slot: nil, sinceMicroseconds: nil)
    #expect(try commit(Self.reported(), assignment: whole).disposition == .pending)
    #expect(try commit(Self.reported { $0.deviceUser = 1 }, assignment: whole).disposition == .held(.unknownOwner))
    let new = MeterAssignment(slot: nil, sinceMicroseconds: Fixture.morning - 1)
    #expect(try admit(Self.reported(), assignment: new) == .left(.beforeAssignment))
    var forgetful = RecordAdmission(context: Self.context(new))
    let kept = forgetful.admit([Self.reported()], clock: Self.clock, meterMayForget: true).first
    guard case .commit(let record)? = kept else {
      Issue.record("a reading that the meter may forget was left in it")
      return
    }
    #expect(record.disposition == .held(.notAskedFor))
    let early = Int64.min..<Fixture.morning
    let shared = MeterAssignment(slot: nil, sinceMicroseconds: nil, othersMicroseconds: [early])
    #expect(try commit(Self.reported(), assignment: shared).disposition == .held(.unknownOwner))
  }

  @Test("holds a reading without time while the host's clock is not set")
  func hostClock() throws {
    let live = Self.reported { record in
      record.timeKind = .none
      record.identityClass = .live
    }
    let unset = HostClockReading(utcMicroseconds: 5_000_000, isSynchronized: false)
    #expect(try commit(live, clock: unset).disposition == .held(.hostClockUnsynchronized))
    // A meter whose clock is not set may send what it has kept: no date of this host is that of such a reading.
    var unknown = live
    unknown.flags = .clockSuspect
    for clock in [unset, Self.clock] {
      let kept = try commit(unknown, clock: clock)
      #expect(kept.disposition == .held(.clockSuspect) && kept.isUntimed == !clock.isSynchronized)
    }
    #expect(try commit(live).record.time.startMicroseconds == Fixture.morning)
    // A meter that knows the time is ahead of a host that does not: nothing to hold.
    #expect(try commit(Self.reported(), clock: unset).disposition == .pending)
  }

  @Test(
    "reads civil times by the zone's rules, daylight saving included",
    arguments: [
      // 2026-03-29 in Berlin: 02:00 becomes 03:00. 02:30 does not exist: read as if the clock had not gone forward.
      ("2026-03-29T01:59:59Z", 3600), ("2026-03-29T02:30:00Z", 3600), ("2026-03-29T03:00:00Z", 7200),
      // 2026-10-25: 03:00 becomes 02:00. 02:30 exists twice: the first one.
      ("2026-10-25T01:59:59Z", 7200), ("2026-10-25T02:30:00Z", 7200), ("2026-10-25T03:00:00Z", 3600),
      ("2026-01-15T12:00:00Z", 3600), ("2026-07-15T12:00:00Z", 7200),
    ])
  func daylightSaving(civil: String, offset: Int) throws {
    let date = try Date(civil, strategy: .iso8601)
    let micros = Int64(date.timeIntervalSince1970) * 1_000_000
    #expect(CivilTime(zone: Fixture.berlin).utcOffsetSeconds(atCivil: micros) == offset)
    let later = HostClockReading(utcMicroseconds: micros + 86_400_000_000, isSynchronized: true)
    let result = try commit(
      Self.reported {
        $0.startMicroseconds = micros; $0.endMicroseconds = micros
      }, clock: later)
    #expect(result.record.time.startMicroseconds == micros - Int64(offset) * 1_000_000)
    #expect(result.record.time.civilMicroseconds == micros)
  }

  @Test("prefers the meter's own offset")
  func meterOffset() throws {
    let result = try commit(
      Self.reported {
        $0.timeKind = .civilWithOffset
        $0.utcOffsetSeconds = -18_000
      })
    #expect(result.record.time.zoneSource == .meter)
    #expect(result.record.time.startMicroseconds == Fixture.morning - 86_400_000_000 + 18_000_000_000)
  }

  @Test("joins a context to its measurement and keeps one that came alone apart")
  func contexts() throws {
    let context = Self.reported([Self.code(100, 1), Self.glucose(500)]) { $0.kind = .context }
    let lonely = Self.reported([Self.code(100, 1)]) { record in
      record.kind = .context
      record.deviceSequence = 8
    }
    var admission = RecordAdmission(context: Self.context())
    let answers = admission.admit([Self.reported(), context, lonely], clock: Self.clock)
    guard case .commit(let joined) = answers[0] else {
      Issue.record("\(answers[0])")
      return
    }
    #expect(joined.record.values.map(\.metric) == [1, 100])
    #expect(joined.record.values.first?.number.mantissa == 112, "a context overrules no measured value")
    #expect(answers[1] == .joined(sequence: 7))
    #expect(answers[2] == .unmatchedContext(lonely))
  }

  @Test("names a live reading once in a session and anew in the next")
  func live() throws {
    let live = Self.reported { record in
      record.timeKind = .none
      record.identityClass = .live
    }
    var first = RecordAdmission(context: Self.context())
    var second = RecordAdmission(context: Self.context())
    let names = (first.admit([live, live], clock: Self.clock) + second.admit([live], clock: Self.clock)).map { answer in
      if case .commit(let item) = answer { item.record.logID } else { LogID.live() }
    }
    #expect(names[0] == names[1])
    #expect(names[0] != names[2])
  }

  @Test("never commits progress and protocol facts")
  func kinds() throws {
    guard case .provisional = try admit(Self.reported { $0.flags = .provisional }) else {
      Issue.record("committed")
      return
    }
    let diagnostic = Self.reported([]) { $0.kind = .diagnostic }
    #expect(try admit(diagnostic) == .diagnostic(diagnostic))
    let information = Self.reported([]) { $0.kind = .deviceInfo }
    #expect(try admit(information) == .deviceInformation(information))
  }

  @Test("survives any values, times and codes")
  func fuzz() throws {
    var generator = SeededGenerator(seed: 42)
    var admission = RecordAdmission(context: Self.context())
    for _ in 0..<3000 {
      let raw = Int64.random(in: .min ... .max, using: &generator) >> Int64.random(in: 0...63, using: &generator)
      let exponent = Int8.random(in: .min ... .max, using: &generator)
      let number = ReportedNumber(mantissa: raw, exponent: exponent)
      let value = DriverValue(
        metric: .random(in: 0...310, using: &generator), unit: .random(in: 0...27, using: &generator),
        exponent: exponent, qualifier: .exact,
        value: Bool.random(using: &generator) ? number.doubleValue : .greatestFiniteMagnitude, raw: raw)
      let start = Int64.random(in: .min ... .max, using: &generator) >> Int64.random(in: 0...40, using: &generator)
      let record = DriverRecord(
        kind: .measurement, flags: .init(rawValue: .random(in: 0...63, using: &generator)),
        timeKind: try #require(.init(rawValue: .random(in: 0...3, using: &generator))), startMicroseconds: start,
        endMicroseconds: .random(in: .min ... .max, using: &generator), utcOffsetSeconds: 0, identity: [1],
        identityClass: .stored, values: [value])
      if case .commit(let item) = try #require(admission.admit([record], clock: Self.clock).first),
        item.disposition == .pending
      {
        #expect(item.record.values.allSatisfy(RecordRules.contract.isPlausible))
        _ = try InformV2Encoder().encode(item.record)
      }
    }
  }
}
