import DriverContract
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

@Suite("Where a meter ends", .timeLimit(.minutes(60)))
struct RangeTests {
  static let ranges = [
    ReportableRange(metric: 1, unit: 2, low: number("20"), high: number("600")),
    ReportableRange(metric: 1, unit: 3, low: number("1.1"), high: number("33.3")),
    ReportableRange(metric: 2, unit: 3, low: number("0.1"), high: number("8.0")),
  ]

  static func number(_ text: String) -> ReportedNumber? { ReportedNumber(decimal: text) }

  private func admit(
    _ metric: UInt16, _ unit: UInt16, _ text: String, _ qualifier: ValueQualifier = .exact,
    _ ranges: [ReportableRange] = ranges
  ) throws -> (RecordValue, Disposition) {
    let number = try #require(Self.number(text))
    let value = DriverValue(
      metric: metric, unit: unit, exponent: number.exponent, qualifier: DriverQualifier(qualifier),
      value: number.doubleValue, raw: number.mantissa)
    var admission = RecordAdmission(
      context: AdmissionContext(
        meter: Fixture.meter, source: Fixture.source, gatewayZone: Fixture.berlin, ranges: ranges))
    let outcome = admission.admit([RecordAdmissionTests.reported([value])], clock: RecordAdmissionTests.clock).first
    guard case .commit(let record) = try #require(outcome) else { throw RecordAdmissionTests.NotCommitted() }
    return (try #require(record.record.values.first), record.disposition)
  }

  @Test(
    "a number beyond what the model shows is its word for above or below, with its own limit",
    arguments: [
      (1, 2, "601", "600", .above), (1, 2, "600", "600", .exact), (1, 2, "19", "20", .below),
      (1, 2, "20", "20", .exact),
      (1, 3, "33.4", "33.3", .above), (1, 3, "1.0", "1.1", .below), (2, 3, "8.1", "8.0", .above),
      (2, 3, "8.0", "8.0", .exact), (2, 3, "0.0", "0.1", .below),
    ] as [(UInt16, UInt16, String, String, ValueQualifier)])
  func beyond(metric: UInt16, unit: UInt16, sent: String, delivered: String, qualifier: ValueQualifier) throws {
    let (value, disposition) = try admit(metric, unit, sent)
    #expect(value.number.isEqual(to: try #require(Self.number(delivered))) && value.qualifier == qualifier)
    #expect(disposition == .pending)
  }

  @Test("without a number the model's limit stands, and where it is not known a person sees what surely holds")
  func withoutNumber() throws {
    #expect(try admit(1, 2, "400", .above).0.number.isEqual(to: try #require(Self.number("600"))))
    #expect(try admit(1, 2, "40", .below).1 == .pending)
    let (value, disposition) = try admit(1, 2, "400", .above, [])
    #expect(value.number.isEqual(to: try #require(Self.number("400"))) && value.qualifier == .above)
    #expect(disposition == .held(.beyondRange))
    #expect(try admit(1, 3, "2.2", .below, []).1 == .held(.beyondRange))
    #expect(try admit(2, 3, "5.0", .above, []).1 == .held(.beyondRange))
    // The meter's own number with its own word.
    #expect(try admit(1, 2, "600", .above, []).1 == .pending)
  }

  @Test(
    "a glucose that most meters show as LO or HI is held, whatever meter it is from",
    arguments: [("13", 2), ("19", 2), ("601", 2), ("0.7", 3), ("33.4", 3)] as [(String, UInt16)])
  func unlikely(sent: String, unit: UInt16) throws {
    #expect(try admit(1, unit, sent, .exact, []).1 == .held(.beyondRange))
    let wide = [ReportableRange(metric: 1, unit: unit, low: Self.number("0.5"), high: Self.number("900"))]
    #expect(try admit(1, unit, sent, .exact, wide).1 == .held(.beyondRange))
  }

  @Test("a number that nobody has is a fault and no mark")
  func absurd() throws {
    #expect(try admit(1, 2, "3000").1 == .held(.implausibleValue))
  }
}
