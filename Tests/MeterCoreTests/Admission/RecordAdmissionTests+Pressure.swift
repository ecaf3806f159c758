import DriverContract
import Testing

@testable import MeterCore

/// Two pressures that a driver reports, each of which may be right by itself.
extension RecordAdmissionTests {
  private static let (millimetres, kilopascals): (UInt16, UInt16) = (6, 7)

  static func pressure(
    _ metric: UInt16, _ raw: Int64, _ exponent: Int8 = 0, unit: UInt16 = 6, qualifier: DriverQualifier = .exact
  ) -> DriverValue {
    DriverValue(
      metric: metric, unit: unit, exponent: exponent, qualifier: qualifier,
      value: ReportedNumber(mantissa: raw, exponent: exponent).doubleValue, raw: raw)
  }

  @Test(
    "holds a systolic pressure that is not above its diastolic one",
    arguments: [
      ([pressure(20, 80), pressure(21, 130)], .held(.implausibleValue)),
      ([pressure(21, 130), pressure(20, 80)], .held(.implausibleValue)),
      ([pressure(20, 120), pressure(21, 120)], .held(.implausibleValue)),
      ([pressure(20, 121), pressure(21, 120)], .pending),
      // 10 kPa are 75 mm[Hg].
      ([pressure(20, 100, -1, unit: kilopascals), pressure(21, 80, unit: millimetres)], .held(.implausibleValue)),
      ([pressure(20, 120, -1, unit: kilopascals), pressure(21, 80, unit: millimetres)], .pending),
      ([pressure(20, 100, qualifier: .above), pressure(21, 120)], .held(.implausibleValue)),
      ([pressure(20, 100, qualifier: .questionable), pressure(21, 120)], .held(.questionableValue)),
      ([pressure(20, 120)], .pending),
    ] as [([DriverValue], Disposition)])
  func exchangedPressures(values: [DriverValue], disposition: Disposition) throws {
    #expect(try commit(Self.reported(values)).disposition == disposition)
  }
}
