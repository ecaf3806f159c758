import HostPrimitives

// Times that a person or a program has written, beside this machine's clock.

extension HostClockReading {
  /// A time that was written as `now` is no better than the clock: with one that was never set nothing is taken.
  ///
  /// - Throws: ``DraftError`` with code `clock_unknown`.
  package func checkKnown() throws(DraftError) {
    guard !Self.believable.contains(utcMicroseconds) else { return }
    throw DraftError(
      .clockUnknown, "",
      "this machine's clock shows \(CivilMoment(microseconds: utcMicroseconds).text(.none))Z, which it is not: nothing "
        + "was taken",
      hint: "set the clock, or wait until a time source has set it, and submit again")
  }
}

extension RecordTime {
  /// A sum of today ends tonight, on the longest day an hour later.
  private static let longestDay: Int64 = 90_000_000_000

  /// Nobody has measured at a time that is still to come.
  ///
  /// - Throws: ``DraftError`` with code `future_time`.
  package func checkPast(_ clock: HostClockReading) throws(DraftError) {
    let latest = clock.utcMicroseconds + RecordAdmission.futureTolerance
    let isToday = endMicroseconds.subtractingReportingOverflow(startMicroseconds).partialValue <= Self.longestDay
    guard startMicroseconds > latest || endMicroseconds > latest && !isToday else { return }
    throw .future(startMicroseconds > latest ? startMicroseconds : endMicroseconds, clock)
  }
}

extension DraftError {
  /// A time that lies ahead of this machine's clock.
  package static func future(_ microseconds: Int64, _ clock: HostClockReading) -> DraftError {
    func text(_ moment: Int64) -> String { CivilMoment(microseconds: moment).text(.none) + "Z" }
    return DraftError(
      .futureTime, "",
      "the time \(text(microseconds)) lies in the future: this machine's clock shows \(text(clock.utcMicroseconds))",
      hint: clock.isSynchronized
        ? "look at the year, and at the offset or the zone of the time"
        : "no time source disciplines that clock: set it if it is wrong, or else correct the time")
  }
}

extension Record {
  /// What a record of another maker cannot be, whatever its values say.
  ///
  /// - Throws: ``DraftError`` with code `bad_time`, `not_a_number`, `unit_not_allowed` or `no_value`.
  func checkParts() throws(DraftError) {
    try RecordDraft.checkInterval(time.startMicroseconds, time.endMicroseconds, "time")
    for (index, value) in values.enumerated() {
      if let fault = RecordRules.all.fault(of: value) { throw DraftError(fault, at: "values[\(index)]") }
    }
    let isMeasured = values.contains { Metric.isPrimary($0.metric) || $0.metric >= Metric.firstVendorCode }
    guard details?.series != nil || isMeasured || isOfWords, !flags.contains(.provisional) else {
      throw DraftError(.noValue, "", "a record needs at least one measured value of its own, and is no progress")
    }
  }

  /// What a person has corrected must be right together with what stands beside it.
  ///
  /// - Parameter metrics: What was corrected.
  /// - Throws: ``DraftError`` with code `implausible`.
  package func checkCorrection(of metrics: Set<UInt16>) throws(DraftError) {
    let isPressure = metrics.contains { ["systolic", "diastolic"].contains(Metric.withCode($0)?.name) }
    if isPressure, RecordRules.hasExchangedPressures(values) { throw .exchangedPressures }
  }
}
