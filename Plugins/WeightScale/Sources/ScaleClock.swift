import CMeterDriver
import MeterDriver

// The scale's clock: it is read, told, and set where it is wrong, before a measurement takes its time from it.
extension WeightScaleDriver {
  /// A clock that is no further off than this is left alone: to read and to set it takes time as well.
  private static var toleratedSeconds: UInt64 { 10 }

  mutating func prepare(_ output: inout Output) {
    guard clockOffsetSeconds != nil, clockHandle != 0 else { return clockIsSettled(&output) }
    guard clockIsReadable else { return setClock(&output) }
    phase = .readingClock
    output.read(clockHandle, token: Token.clock)
  }

  mutating func clockWasRead(_ value: RawSpan, _ status: Int32, _ output: inout Output) {
    guard phase == .readingClock else { return }
    var reader = ByteReader(value)
    guard status == 0, let time = try? reader.dateTime(), let civil = time.civilMicroseconds else {
      return setClock(&output)
    }
    let ahead = (civil - hostCivilMicroseconds(output)) / 1_000_000
    tellClock(ahead, &output)
    if ahead.magnitude > WeightScaleDriver.toleratedSeconds { setClock(&output) } else { clockIsSettled(&output) }
  }

  private mutating func setClock(_ output: inout Output) {
    phase = .settingClock
    let time = CurrentTime(civilMicroseconds: hostCivilMicroseconds(output))
    output.write(clockHandle, time.bytes, token: Token.clock)
  }

  mutating func clockWasWritten(_ status: Int32, _ output: inout Output) {
    guard phase == .settingClock else { return }
    if status == 0 {
      // A clock that had no time has not been told yet; it was set only when it is told a second time.
      if !hasToldClock { tellClock(nil, &output) }
      tellClock(0, &output)
    } else {
      output.log(.warning, "the scale's clock could not be set, ATT error", UInt64(truncatingIfNeeded: status))
    }
    clockIsSettled(&output)
  }

  /// How far the clock is ahead, in seconds; nil: it has no time.
  private mutating func tellClock(_ ahead: Int64?, _ output: inout Output) {
    hasToldClock = true
    output.records.begin()
    if let ahead {
      output.records.add(Metric(MH_METRIC_CLOCK_OFFSET), Unit(MH_UNIT_SECOND), Decimal(mantissa: ahead, exponent: 0))
    }
    output.records.end(.deviceInfo, .live, flags: ahead == nil ? .clockSuspect : [])
  }

  private func hostCivilMicroseconds(_ output: borrowing Output) -> Int64 {
    output.unixMicroseconds + Int64(clockOffsetSeconds ?? 0) * 1_000_000
  }
}
