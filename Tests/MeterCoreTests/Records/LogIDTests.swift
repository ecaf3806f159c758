import Foundation
import HostPrimitives
import RecordSupport
import Testing

@testable import MeterCore

/// Frozen: a name that changes makes every reading of every meter new.
@Suite("Log ids")
struct LogIDTests {
  static let golden: [(MeterIdentity, [UInt8], String)] = [
    (Fixture.meter, [1, 2, 3], "d4d6556d-7907-804f-bed2-24104288d17d"),
    (
      MeterIdentity(serial: nil, model: "X", systemID: [1, 2, 3, 4, 5, 6, 7, 8], address: "a"), [1, 2, 3],
      "07f2d5ff-8e9f-8fa0-904a-c963d025523c"
    ),
    (
      MeterIdentity(serial: "", model: nil, systemID: nil, address: "c0:ff:ee:00:00:01"), [1, 2, 3],
      "34472012-85e1-8265-bd8d-2b5b9f25b06a"
    ),
    (Fixture.meter, [], "84c0cab0-c8fc-830e-bf30-d6928c7fa568"),
  ]

  @Test("of stored readings never change", arguments: golden)
  func stored(meter: MeterIdentity, identity: [UInt8], expected: String) {
    #expect(LogID.stored(meter: meter, identity: identity).description == expected)
  }

  @Test("of sums never change")
  func summary() {
    let name = LogID.summary(source: [9], kind: "steps", interval: "2026-03-29")
    #expect(name.description == "b1018ba1-dde8-8336-b222-5fd892b7ed96")
    #expect(name != LogID.summary(source: [9], kind: "step", interval: "s2026-03-29"), "frames keep parts apart")
  }

  @Test("of imports never change")
  func imported() {
    let name = LogID.imported(source: [9], identity: [1, 2, 3])
    #expect(name.description == "6f280a95-9eb5-8374-9962-3f93a5bf1c02")
    #expect(name != LogID.imported(source: [9, 1], identity: [2, 3]), "frames keep parts apart")
  }

  @Test("carry version and variant of RFC 9562")
  func shape() throws {
    for _ in 0..<100 {
      let live = LogID.live().description
      #expect(live.dropFirst(14).first == "4")
      #expect("89ab".contains(try #require(live.dropFirst(19).first)))
    }
    let stored = LogID.stored(meter: Fixture.meter, identity: [1]).description
    #expect(stored.dropFirst(14).first == "8")
    #expect(LogID.live() != LogID.live())
  }

  @Test("come back from text and JSON")
  func roundTrip() throws {
    for name in [LogID.live(), .stored(meter: Fixture.meter, identity: [7])] {
      #expect(LogID(name.description) == name)
      #expect(LogID(name.description.uppercased()) == name)
      #expect(try JSONDecoder().decode(LogID.self, from: JSONEncoder().encode(name)) == name)
    }
    for text in ["", "x", "+0000000-0000-8000-8000-000000000000", "00000000-0000-8000-8000-00000000000", "é"] {
      #expect(LogID(text) == nil)
    }
  }

  @Test("follow the meter, not its padding, case or a module's placeholder serial")
  func meters() {
    let padded = MeterIdentity(
      serial: " GM-0042\u{0}\u{0}", model: "Acme Gluco ", systemID: [1, 2, 3, 4, 5, 6, 7, 8], address: "00")
    #expect(padded == MeterIdentity(serial: "GM-0042", model: "Acme Gluco", systemID: nil, address: "other"))
    #expect(padded.basis == .serial)
    for serial in ["00000000", "Serial Number", "N/A", "", " ", "\u{0}"] {
      let meter = MeterIdentity(serial: serial, model: nil, systemID: nil, address: "c0:ff")
      #expect(meter.basis == .address)
      #expect(meter == MeterIdentity(serial: nil, model: nil, systemID: [0, 0, 0, 0, 0, 0, 0, 0], address: "C0:FF"))
    }
    #expect(
      MeterIdentity(serial: "A1", model: "B", systemID: nil, address: "")
        != MeterIdentity(serial: "A", model: "1B", systemID: nil, address: ""))
  }
}

@Suite("Content hashes")
struct ContentHashTests {
  @Test("never change")
  func golden() {
    #expect(
      Fixture.glucose(1).contentHash.hexadecimal == "08fc64424b7062283e717eec899b675893670bdf11a4557d2e09a853ddc983e7")
  }

  @Test("leave out what a gateway derives, and see what the meter says")
  func content() {
    let record = Fixture.glucose(1)
    func copy(start: Int64, offset: Int, flags: RecordFlags = [], values: [RecordValue]? = nil) -> Record {
      Record(
        logID: record.logID, identityClass: .stored, type: .diabetes,
        time: RecordTime(
          startMicroseconds: start, endMicroseconds: start, civilMicroseconds: Fixture.morning,
          utcOffsetSeconds: offset, zoneSource: .gateway, kind: .civil),
        deviceSequence: 1, values: values ?? record.values,
        source: RecordSource(
          peripheralID: 1, manufacturer: nil, model: nil, deviceID: "", driverID: "x", driverVersion: "9"),
        flags: flags)
    }
    #expect(copy(start: 5, offset: -7200, flags: .clockSuspect).contentHash == record.contentHash)
    #expect(copy(start: 5, offset: 0, flags: .control).contentHash != record.contentHash)
    let finer = [RecordValue(metric: 1, unit: 2, number: ReportedNumber(mantissa: 1120, exponent: -1))]
    #expect(copy(start: 5, offset: 0, values: finer).contentHash != record.contentHash)
    let withContext = copy(start: 5, offset: 0, values: record.values + [Fixture.beforeMeal])
    #expect(withContext.contentHash != record.contentHash)
    #expect(withContext.primaryHash == record.primaryHash)
    let reordered = copy(start: 5, offset: 0, values: [Fixture.beforeMeal] + record.values)
    #expect(withContext.contentHash == reordered.contentHash)
  }
}
