import CMeterDriver
import MeterDriver

/// What the registry says about a meter that departs from the profile.
struct Quirks {
  /// Only the context packet tells the analyte (rule R26).
  let contextDecides: Bool
  /// The reserved meal code that marks a ketone reading.
  let ketoneMealCode: UInt8?
  /// The meter refuses operator "greater than or equal".
  let allOnly: Bool
  /// The times that the meter sends mean nothing.
  let noClock: Bool

  init(_ opening: borrowing Opening) {
    contextDecides = opening.isOn(MH_PARAM_CONTEXT_DECIDES)
    ketoneMealCode = opening.integer(MH_PARAM_KETONE_MEAL_CODE).flatMap { UInt8(exactly: $0) }
    allOnly = opening.isOn(MH_PARAM_RACP_ALL_ONLY)
    noClock = opening.isOn(MH_PARAM_NO_CLOCK)
  }
}

extension GlucoseMeasurement {
  /// Appends the measurement as one record, with what its context says as further values.
  ///
  /// - Throws: ``DecodeError/noValue`` when there is no reading in it, or none whose analyte is known.
  @inline(__always)
  func emit(
    _ context: GlucoseContext?, noClock: Bool, ketoneMealCode: UInt8?, _ output: inout RecordOutput
  ) throws(DecodeError) {
    guard let reading else { throw .noValue }
    var isKetone = false
    if let context, let ketoneMealCode, context.hasMeal, context.meal == ketoneMealCode { isKetone = true }
    output.begin()
    try addPrimary(reading, isKetone: isKetone, &output)
    output.add(Metric(MH_METRIC_SAMPLE_TYPE), code: Int64(sampleType))
    output.add(Metric(MH_METRIC_SAMPLE_LOCATION), code: Int64(sampleLocation))
    if hasStatus { output.add(Metric(MH_METRIC_SENSOR_STATUS), code: Int64(status)) }
    context?.add(to: &output, leavingOutMeal: isKetone)
    identify(noClock: noClock, &output)
    var recordFlags: RecordFlags = isControlSolution ? .control : []
    let time = noClock ? nil : userFacingTime
    if time == nil || hasTimeFault { recordFlags.insert(.clockSuspect) }
    output.end(
      .measurement, .stored, time: time.map { RecordTime.civil($0) } ?? .none, sequence: UInt64(sequence),
      flags: recordFlags)
  }

  /// kg/L x 10^5 = mg/dL and mol/L x 10^3 = mmol/L: powers of ten, so the meter's digits stay as they are.
  @inline(__always)
  private func addPrimary(_ reading: Decimal, isKetone: Bool, _ output: inout RecordOutput) throws(DecodeError) {
    var metric = isControlSolution ? MH_METRIC_CONTROL_SOLUTION_GLUCOSE : MH_METRIC_BLOOD_GLUCOSE
    var unit = isMolePerLitre ? MH_UNIT_MMOL_PER_L : MH_UNIT_MG_PER_DL
    var power: Int8 = isMolePerLitre ? 3 : 5
    if isKetone {
      // The CareSens rule is known for the mg/dL field only: value = mg/dL / 10, in mmol/L.
      guard !isMolePerLitre, !isControlSolution else { throw .noValue }
      (metric, unit, power) = (MH_METRIC_BLOOD_KETONE, MH_UNIT_MMOL_PER_L, 4)
    }
    guard let number = reading.scaled(byPowerOfTen: power) else { throw .noValue }
    output.add(Metric(metric), Unit(unit), number, qualifier)
  }

  @inline(__always)
  private func identify(noClock: Bool, _ output: inout RecordOutput) {
    let identity = Identity(self, noClock: noClock)
    output.identify(identity.low)
    output.identify(identity.high)
  }
}

/// The twelve bytes that make two reports the same record: sequence, uncorrected base time, raw concentration, unit.
/// They are what the meter sends alike on every read.
struct Identity: Equatable {
  /// Sequence, year, month, day, hour, minute.
  let low: UInt64
  /// Second, concentration, unit.
  let high: UInt32

  /// The times of a meter without a clock may change from read to read: they do not count.
  @inline(__always)
  init(_ measurement: GlucoseMeasurement, noClock: Bool) {
    low = noClock ? UInt64(measurement.sequence) : measurement.sequenceAndTime
    high =
      UInt32(noClock ? 0 : measurement.second) | UInt32(measurement.concentration) << 8
      | (measurement.isMolePerLitre ? 1 << 24 : 0)
  }

  init(low: UInt64, high: UInt32) {
    self.low = low
    self.high = high
  }

  var sequence: UInt16 { UInt16(truncatingIfNeeded: low) }
}
