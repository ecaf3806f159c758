import DriverContract
import RecordSupport
import Testing

@testable import MeterCore

/// Whether a receiver takes a reading is not judged when it is admitted, but whether it can be sent to any.
extension RecordAdmissionTests {
  private static func value(_ metric: UInt16, _ unit: UInt16, _ raw: Int64) -> DriverValue {
    DriverValue(metric: metric, unit: unit, exponent: 0, qualifier: .exact, value: Double(raw), raw: raw)
  }

  private static let (pulse, heartRate) = (value(23, 8, 61), value(24, 8, 62))
  private static let (meanPressure, impedance) = (value(22, 6, 93), value(49, 21, 452))
  private static let ofDriver = value(0x8001, 1, 1)

  @Test(
    "knows no receiver's names: each measured value of the dictionary will do, and each other one is another",
    arguments: [
      ([meanPressure], .pending), ([impedance], .pending), ([pulse, heartRate], .pending),
      ([ofDriver, meanPressure], .pending), ([ofDriver, ofDriver, pulse], .pending),
      ([meanPressure, meanPressure], .held(.notDeliverable)), ([pulse, heartRate, pulse], .held(.notDeliverable)),
      ([ofDriver], .held(.notDeliverable)),
    ] as [([DriverValue], Disposition)])
  func receivers(values: [DriverValue], disposition: Disposition) throws {
    #expect(try commit(Self.reported(values)).disposition == disposition)
  }

  @Test("holds a record of another maker that can be sent to no receiver, and takes a series without single values")
  func madeElsewhere() throws {
    func hold(_ record: Record) -> HoldReason? { RecordChecks.hold(of: record, timing: nil, by: .all) }
    let series = try Fixture.glucoseSeries().record()
    #expect(series.values.isEmpty && hold(series) == nil)
    #expect(try hold(Fixture.draft(.biometrics, [.init("ferritin", "189", "ng/mL")]).record()) == nil)
    let twice = [RecordValue(metric: 1, unit: 2, number: ReportedNumber(mantissa: 113, exponent: 0))]
    #expect(hold(Fixture.glucose(1, context: twice)) == .notDeliverable)
  }
}
