import CMeterDriver
import MeterDriver

extension BloodPressureMeasurement {
  private var unit: Unit { Unit(isKilopascal ? MH_UNIT_KPA : MH_UNIT_MMHG) }

  /// Appends the measurement as one record.
  ///
  /// - Throws: ``DecodeError/noValue`` when there is no reading in it.
  @inline(__always)
  func emit(_ quirks: Quirks, _ output: inout RecordOutput) throws(DecodeError) {
    guard let pressures else { throw .noValue }
    let status = status.map { MeasurementStatus(bits: $0) } ?? MeasurementStatus(bits: 0)
    let qualifier: Qualifier = status.doubtsPressure ? .questionable : .exact
    output.begin()
    output.add(Metric(MH_METRIC_SYSTOLIC), unit, pressures.systolic, qualifier)
    output.add(Metric(MH_METRIC_DIASTOLIC), unit, pressures.diastolic, qualifier)
    if let mean = mean(between: pressures) {
      output.add(Metric(MH_METRIC_MEAN_ARTERIAL_PRESSURE), unit, mean, qualifier)
    }
    if let pulseRate {
      output.add(Metric(MH_METRIC_PULSE), Unit(MH_UNIT_PER_MINUTE), pulseRate, status.pulseQualifier)
    }
    if self.status != nil { output.add(Metric(MH_METRIC_BLOOD_PRESSURE_STATUS), code: Int64(status.bits)) }
    let time = quirks.noClock ? nil : time
    let civil = time?.civilMicroseconds
    if let time, civil != nil { identify(at: time, &output) }
    var recordFlags: RecordFlags = time != nil && civil == nil ? .clockSuspect : []
    if tail.isUncertain { recordFlags.insert(.held) }
    output.end(
      .measurement, civil == nil ? .live : .stored, time: civil.map { RecordTime.civil($0) } ?? .none,
      flags: recordFlags, deviceUser: deviceUser)
  }

  /// The twelve bytes that make two reports the same record: the uncorrected time, both raw pressures, the unit. They are
  /// what a monitor sends alike each time it sends its memory.
  @inline(__always)
  private func identify(at time: DateTime, _ output: inout RecordOutput) {
    output.identify(time.year)
    output.identify(time.month)
    output.identify(time.day)
    output.identify(time.hour)
    output.identify(time.minute)
    output.identify(time.second)
    output.identify(UInt32(systolic) | UInt32(diastolic) << 16)
    output.identify(flags & 0x01)
  }

  /// 255 stands for an unknown user (Blood Pressure Service 3.1.1.5).
  private var deviceUser: UInt16? {
    guard let user, user != .max else { return nil }
    return UInt16(user)
  }

  /// Appends an intermediate value: how full the cuff is, progress and no result.
  ///
  /// - Throws: ``DecodeError/noValue`` when there is no pressure in it.
  func emitIntermediate(_ output: inout RecordOutput) throws(DecodeError) {
    guard let cuffPressure else { throw .noValue }
    output.begin()
    output.add(OwnMetric.cuffPressure, unit, cuffPressure)
    output.end(.measurement, .live, flags: .provisional)
  }
}

/// Metrics of this driver alone, as its registry entry declares them.
enum OwnMetric {
  static var cuffPressure: Metric { Metric(0x8000) }
  static var features: Metric { Metric(0x8001) }
}
