import CMeterDriver

/// A stored blood glucose reading in the form in which vendors' kits hand readings over, and its way into a record.
///
/// For authors of a bundle around such a kit: fill in what the kit says, unconverted, and call ``append(to:)``. A meter
/// that is read through two bundles of one family with the same numbers and times gives the same identities, so that no
/// reading arrives twice.
///
/// ```swift
/// try StoredGlucoseReading(
///   number: kit.recordNumber, time: .display(secondsSince1970: kit.meterTime),
///   milligramsPerDecilitre: kit.value, isControlSolution: kit.isControl
/// ).append(to: &output.records)
/// ```
public struct StoredGlucoseReading {
  /// When it was measured, as the kit says.
  public enum Time: Equatable {
    /// Seconds of civil time on the meter's display since 1970-01-01T00:00, not corrected.
    case display(secondsSince1970: Int64)
    /// Seconds since 1970-01-01T00:00Z, from the meter and not from the kit's own correction.
    case utc(secondsSince1970: Int64)
    /// The meter's clock was not set.
    case unknown
  }

  /// The meter's own number of the record, nil when the kit hides it.
  public var number: UInt32?
  /// When it was measured.
  public var time: Time
  /// The value as the meter stores it, mg/dL.
  public var milligramsPerDecilitre: UInt16
  /// True for a test with control solution, which is never a value of a person.
  public var isControlSolution: Bool
  /// What the meter can measure, mg/dL; a value outside means "HI" or "LO".
  public var range: ClosedRange<UInt16>
  /// True when the time cannot be trusted although there is one.
  public var clockIsSuspect: Bool

  /// Takes what the kit says.
  public init(
    number: UInt32?, time: Time, milligramsPerDecilitre: UInt16, isControlSolution: Bool,
    range: ClosedRange<UInt16> = 20...600, clockIsSuspect: Bool = false
  ) {
    self.number = number
    self.time = time
    self.milligramsPerDecilitre = milligramsPerDecilitre
    self.isControlSolution = isControlSolution
    self.range = range
    self.clockIsSuspect = clockIsSuspect
  }

  /// Appends the reading as one record: `blood_glucose`, or `control_solution_glucose` with the flag CONTROL. A value
  /// outside the range becomes the range's end, *above* or *below*. Identity: number (FFFFFFFF: none), seconds, value,
  /// control: 15 bytes. A reading with neither number nor time is *live*. One whose value has all bits set is *held*.
  ///
  /// - Throws: ``DecodeError/noValue`` for a value of 0, or a time that does not fit the contract's microseconds.
  public func append(to output: inout RecordOutput) throws(DecodeError) {
    guard milligramsPerDecilitre > 0 else { throw .noValue }
    let seconds: Int64
    switch time {
    case .display(let civil): seconds = civil
    case .utc(let utc): seconds = utc
    case .unknown: seconds = .min
    }
    let recordTime = try recordTime()
    let metric = isControlSolution ? MH_METRIC_CONTROL_SOLUTION_GLUCOSE : MH_METRIC_BLOOD_GLUCOSE
    let value = min(max(milligramsPerDecilitre, range.lowerBound), range.upperBound)
    let qualifier: Qualifier =
      value == milligramsPerDecilitre ? .exact : value < milligramsPerDecilitre ? .above : .below
    output.begin()
    output.add(
      Metric(metric), Unit(MH_UNIT_MG_PER_DL), Decimal(mantissa: Int64(value), exponent: 0), qualifier)
    output.identify(number ?? .max)
    output.identify(UInt64(bitPattern: seconds))
    output.identify(milligramsPerDecilitre)
    output.identify(isControlSolution ? UInt8(1) : 0)
    var flags: RecordFlags = isControlSolution ? .control : []
    if clockIsSuspect || time == .unknown { flags.insert(.clockSuspect) }
    // All bits set is the mark of many memories for no value, and the number of no meter: a person decides whether it was "HI".
    if milligramsPerDecilitre == .max { flags.insert(.held) }
    output.end(
      .measurement, number == nil && time == .unknown ? .live : .stored, time: recordTime,
      sequence: number.map { UInt64($0) }, flags: flags)
  }

  private func recordTime() throws(DecodeError) -> RecordTime {
    let (seconds, isDisplay): (Int64, Bool)
    switch time {
    case .unknown: return .none
    case .display(let civil): (seconds, isDisplay) = (civil, true)
    case .utc(let utc): (seconds, isDisplay) = (utc, false)
    }
    let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflow else { throw .noValue }
    return isDisplay ? .civil(microseconds) : .utc(microseconds)
  }
}
