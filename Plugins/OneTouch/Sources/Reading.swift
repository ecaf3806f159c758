import CMeterDriver
import MeterDriver

/// What one session knows about the meter's memory and clock.
struct Reading {
  /// The meter's clock in this session, on its own scale.
  var clock: UInt32?
  /// Meter minus host, seconds.
  var clockOffset: Int64 = 0
  /// The host's own clock is right, so that a large offset is the meter's fault.
  var hostClockIsTrusted = false
  var newest: UInt16 = 0
  var walk: RecordWalk?
  /// The stored cursor, until its record was compared with the meter's.
  var cursor: ReadCursor?
  /// What earlier sessions have not found.
  var older: RecordWalk.Older?
  /// True from the first record that was left in the meter: the cursor stays before it.
  var cursorIsHeld = false
  var lastRefusal: StoredRecord.Refusal?
  /// The record that came last, to see one that comes again under the next number.
  var previous: StoredRecord?
  /// The number whose reply was doubted once.
  var doubted: UInt16?

  /// The host's civil clock may lag behind its zone's changes; more than a day is a clock that is not set.
  var clockIsUsable: Bool { clock != nil && clockOffset.magnitude < 86_400 }

  /// Appends one reading.
  func append(_ record: StoredRecord, number: UInt16, _ output: inout RecordOutput) throws(DecodeError) {
    // A minute of tolerance: clock and record were read seconds apart.
    let isAhead = clock.map { Int64(record.seconds) > Int64($0) + 60 } ?? false
    let isLost = hostClockIsTrusted && clock != nil && !clockIsUsable
    try record.reading(number: UInt32(number), clockIsSuspect: isAhead || isLost).append(to: &output)
  }

  /// True when nothing older than this record can lie at or after `since` (seconds UTC). Display time is up to 14 hours
  /// from UTC and may have been set meanwhile: two days are left over for both.
  func isBefore(_ since: Int64, _ record: StoredRecord) -> Bool {
    clockIsUsable && record.seconds != 0 && MeterClock.civil(record.seconds) < since - 2 * 86_400
  }
}

extension StoredRecord {
  /// The reading in the library's form. A time of zero is a clock that was not set.
  func reading(number: UInt32?, clockIsSuspect: Bool) -> StoredGlucoseReading {
    StoredGlucoseReading(
      number: number,
      time: seconds == 0 ? .unknown : .display(secondsSince1970: MeterClock.civil(seconds)),
      milligramsPerDecilitre: milligramsPerDecilitre, isControlSolution: isControlSolution,
      clockIsSuspect: clockIsSuspect)
  }
}
