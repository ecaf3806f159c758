import HostPrimitives
import MeterBluetooth
import MeterCore

// What a person has written, looked at as a whole: each part of it may be right by itself.

extension Record {
  /// The metrics of a blood pressure, which are wrong together when they were exchanged.
  static var pressures: (systolic: UInt16?, diastolic: UInt16?) {
    (Metric.named("systolic").first?.code, Metric.named("diastolic").first?.code)
  }

  /// - Throws: ``GatewayError`` with code `implausible` for a systolic pressure that is not above the diastolic one.
  func checkPressures(at place: String? = nil) throws(GatewayError) {
    func pressure(_ metric: UInt16?) -> Double? {
      guard let value = values.first(where: { $0.metric == metric }), let unit = MetricUnit.withCode(value.unit) else {
        return nil
      }
      return (try? value.number.converted(from: unit.ucum, to: "mm[Hg]", resolution: .exponent(-4)))?.doubleValue
    }
    guard let systolic = pressure(Self.pressures.systolic), let diastolic = pressure(Self.pressures.diastolic),
      systolic <= diastolic
    else { return }
    throw GatewayError(
      .usage, code: DraftError.Code.implausible.rawValue,
      (place.map { "\($0): " } ?? "") + "the systolic pressure is not above the diastolic one",
      hint: "look whether the two were exchanged")
  }
}

extension RecordTime {
  /// A sum of today ends tonight, on the longest day an hour later.
  private static let longestDay: Int64 = 90_000_000_000

  /// - Parameter now: This machine's clock.
  /// - Throws: ``GatewayError`` with code `future_time` for a time that is still to come: nobody has measured then.
  func checkPast(at place: String? = nil, now: Int64) throws(GatewayError) {
    let latest = now + RecordAdmission.futureTolerance
    let isToday = endMicroseconds.subtractingReportingOverflow(startMicroseconds).partialValue <= Self.longestDay
    guard startMicroseconds > latest || endMicroseconds > latest && !isToday else { return }
    let ahead = startMicroseconds > latest ? startMicroseconds : endMicroseconds
    throw .future(ahead, code: "future_time", at: place, now: now)
  }
}

extension GatewayError {
  /// A time that lies ahead of this machine's clock.
  ///
  /// - Parameter place: What stands before the message.
  static func future(_ microseconds: Int64, code: String, at place: String? = nil, now: Int64) -> GatewayError {
    func text(_ moment: Int64) -> String { CivilMoment(microseconds: moment).text(.none) + "Z" }
    let clock = "this machine's clock shows \(text(now))"
    return GatewayError(
      .usage, code: code,
      (place.map { "\($0): " } ?? "") + "the time \(text(microseconds)) lies in the future: \(clock)",
      hint: HostClockTrust.kernel.isSynchronized
        ? "look at the year, and at the offset or the zone of the time"
        : "no time source disciplines that clock: set it if it is wrong, or else correct the time")
  }
}
