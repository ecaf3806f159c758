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
  /// The model sends ketone and glucose alike, ketone in thirtieths of a mmol/L.
  let sendsUnmarkedKetone: Bool
  /// The model is one of a family whose meters may do so.
  let mayBeMultiMeter: Bool

  init(_ opening: borrowing Opening) {
    contextDecides = opening.isOn(MH_PARAM_CONTEXT_DECIDES)
    ketoneMealCode = opening.integer(MH_PARAM_KETONE_MEAL_CODE).flatMap { UInt8(exactly: $0) }
    allOnly = opening.isOn(MH_PARAM_RACP_ALL_ONLY)
    noClock = opening.isOn(MH_PARAM_NO_CLOCK)
    sendsUnmarkedKetone = opening.isOn(MH_PARAM_VENDOR)
    mayBeMultiMeter = opening.isOn(MH_PARAM_VENDOR + 1)
  }
}

/// What tells the analyte of a measurement.
enum AnalyteMark {
  /// The profile: it is glucose, unless its context says ketone.
  case profile
  /// Nothing, maybe: the meter is built like those that send glucose and ketone alike, and has not shown any ketone yet.
  case uncertain
  /// Nothing: the meter sends glucose and ketone alike.
  case none
  /// Nothing, and the model is known to send ketone so.
  case noneOfKnownModel
}

extension GlucoseMeasurement {
  /// Appends the measurement as one record, with what its context says as further values.
  ///
  /// - Parameters:
  ///   - identity: What the record is known by; nil: what it says itself.
  ///   - isHeld: A person decides about it.
  ///   - isUnclear: So it is, because which of several contexts is its own is not known.
  /// - Throws: ``DecodeError/noValue`` when there is no reading in it, or none whose analyte is known.
  @inline(__always)
  func emit(
    _ context: GlucoseContext?, _ mark: AnalyteMark = .profile, noClock: Bool, ketoneMealCode: UInt8?,
    identity: Identity? = nil, isHeld: Bool = false, isUnclear: Bool = false, _ output: inout RecordOutput
  ) throws(DecodeError) {
    var isKetone = false
    if let context, let ketoneMealCode, context.hasMeal, context.meal == ketoneMealCode { isKetone = true }
    // A meal, or any other context, does not say what was measured.
    let unmarked = isKetone ? .glucose : unmarked(mark)
    let doubt: StaticString? =
      isUnclear
      ? "The meter has sent several contexts under this number, and which is this reading's is not known: compare with its display."
      : doubt(context, isKetone: isKetone, unmarked)
    output.begin()
    if case .ketone(let tenths) = unmarked {
      output.add(
        Metric(MH_METRIC_BLOOD_KETONE), Unit(MH_UNIT_MMOL_PER_L), Decimal(mantissa: tenths, exponent: -1), qualifier,
        isRounded: true)
    } else {
      try addPrimary(isKetone: isKetone, &output)
    }
    output.add(Metric(MH_METRIC_SAMPLE_TYPE), code: Int64(sampleType))
    output.add(Metric(MH_METRIC_SAMPLE_LOCATION), code: Int64(sampleLocation))
    if hasStatus { output.add(Metric(MH_METRIC_SENSOR_STATUS), code: Int64(status)) }
    context?.add(to: &output, leavingOutMeal: isKetone)
    let identity = identity ?? Identity(self, noClock: noClock)
    identity.add(to: &output)
    var recordFlags: RecordFlags = isControlSolution ? .control : []
    let time = noClock ? nil : userFacingTime
    if time == nil || hasTimeFault { recordFlags.insert(.clockSuspect) }
    if isHeld || doubt != nil || unmarked.isHeld(mark) { recordFlags.insert(.held) }
    // The number of the name, which is the meter's own unless its numbers are an index.
    output.end(
      .measurement, .stored, time: time.map { RecordTime.civil($0) } ?? .none, sequence: UInt64(identity.sequence),
      flags: recordFlags)
    if let doubt { output.addText(Metric(MH_METRIC_NOTE), doubt) }
  }

  /// What a person has to compare, of a value that may be another analyte's.
  private func doubt(_ context: GlucoseContext?, isKetone: Bool, _ unmarked: Unmarked) -> StaticString? {
    if isKetone {
      return isMolePerLitre ? "How this meter sends ketone in mmol/L is not known: compare with its display." : nil
    }
    if case .either = unmarked {
      return isMolePerLitre
        ? "The meter does not say whether this is glucose or ketone: compare with its display."
        : "The meter does not say whether this is glucose in mg/dL or ketone in thirtieths of a mmol/L: compare with its display."
    }
    // 1 to 5 are meals; i-SENS marks ketone with 6.
    guard let context, context.hasMeal, context.meal > 5, !isControlSolution else { return nil }
    return
      "The meter marks this with a meal that the profile does not have, as some mark ketone: compare with its display."
  }

  /// kg/L x 10^5 = mg/dL and mol/L x 10^3 = mmol/L: powers of ten, so the meter's digits stay as they are.
  @inline(__always)
  private func addPrimary(isKetone: Bool, _ output: inout RecordOutput) throws(DecodeError) {
    var metric = isControlSolution ? MH_METRIC_CONTROL_SOLUTION_GLUCOSE : MH_METRIC_BLOOD_GLUCOSE
    var unit = isMolePerLitre ? MH_UNIT_MMOL_PER_L : MH_UNIT_MG_PER_DL
    var power: Int8 = isMolePerLitre ? 3 : 5
    if isKetone {
      // The CareSens rule is known for the mg/dL field only: value = mg/dL / 10, in mmol/L.
      guard !isControlSolution else { throw .noValue }
      (metric, unit, power) = (MH_METRIC_BLOOD_KETONE, MH_UNIT_MMOL_PER_L, isMolePerLitre ? 3 : 4)
    }
    switch reading {
    case .none: throw .noValue
    case .number(let reading):
      guard let number = reading.scaled(byPowerOfTen: power) else { throw .noValue }
      output.add(Metric(metric), Unit(unit), number, qualifier)
    case .beyond(let side):
      output.add(Metric(metric), Unit(unit), bound(side, isKetone: isKetone), side)
    }
  }

  /// What surely holds of a meter that says "HI" or "LO" and no number; the host puts its model's limit in its place.
  private func bound(_ side: Qualifier, isKetone: Bool) -> Decimal {
    let isAbove = side == .above
    if isKetone { return Decimal(mantissa: isAbove ? 50 : 5, exponent: -1) }
    return isMolePerLitre
      ? Decimal(mantissa: isAbove ? 222 : 22, exponent: -1) : Decimal(mantissa: isAbove ? 400 : 40, exponent: 0)
  }

  /// What a value is that may be glucose in mg/dL or ketone in thirtieths of a mmol/L.
  private enum Unmarked {
    case glucose
    /// No glucose meter shows so little: tenths of a mmol/L of ketone.
    case ketone(Int64)
    /// Both are possible.
    case either

    func isHeld(_ mark: AnalyteMark) -> Bool {
      switch self {
      case .glucose: false
      case .ketone: mark != .noneOfKnownModel
      case .either: true
      }
    }
  }

  /// Of a meter that may never have seen a ketone strip, only what would be a false low is doubted: below 70, which is 2.3 mmol/L.
  /// Of one that measures ketone nothing that ketone can be is glucose for sure, whatever else the packet says.
  private func unmarked(_ mark: AnalyteMark) -> Unmarked {
    guard mark != .profile, mayBeKetone, mark != .uncertain || mayBeUnmarked else { return .glucose }
    guard !isMolePerLitre, case .number(let number) = reading, let milligrams = number.scaled(byPowerOfTen: 5) else {
      return .either
    }
    if mark == .uncertain, milligrams.doubleValue >= 70 { return .glucose }
    guard milligrams.doubleValue < 20, mayBeUnmarked else { return .either }
    return .ketone(Int64(milligrams.doubleValue / 3 + 0.5))
  }
}

extension Identity {
  @inline(__always)
  func add(to output: inout RecordOutput) {
    output.identify(low)
    output.identify(high)
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
