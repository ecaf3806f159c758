import CMeterDriver
import MeterDriver

extension PulseOximetry {
  /// Appends the value as one record.
  ///
  /// - Parameters:
  ///   - noClock: The times that the meter sends mean nothing.
  ///   - isResult: A continuous value is progress unless the session has found it to be the result.
  /// - Throws: ``DecodeError/noValue`` when there is no reading in it.
  func emit(noClock: Bool, isResult: Bool, _ output: inout RecordOutput) throws(DecodeError) {
    guard let reading else { throw .noValue }
    output.begin()
    let qualifier = qualifier
    output.add(Metric(MH_METRIC_SPO2), Unit(MH_UNIT_PERCENT), reading.saturation, qualifier)
    output.add(Metric(MH_METRIC_PULSE), Unit(MH_UNIT_PER_MINUTE), reading.rate, qualifier)
    add(fast, MH_METRIC_SPO2_FAST, MH_METRIC_PULSE_RATE_FAST, &output)
    add(slow, MH_METRIC_SPO2_SLOW, MH_METRIC_PULSE_RATE_SLOW, &output)
    if let index = amplitudeIndex?.decimal, (0...100).contains(index.doubleValue) {
      output.add(Metric(MH_METRIC_PULSE_AMPLITUDE_INDEX), Unit(MH_UNIT_PERCENT), index)
    }
    if let measurementStatus {
      output.add(Metric(MH_METRIC_OXIMETER_MEASUREMENT_STATUS), code: Int64(measurementStatus.rawValue))
    }
    if let sensorStatus {
      output.add(Metric(MH_METRIC_OXIMETER_DEVICE_STATUS), code: Int64(sensorStatus.rawValue))
    }
    end(noClock: noClock, isResult: isResult, &output)
  }

  private func add(_ pair: Pair?, _ saturation: UInt32, _ rate: UInt32, _ output: inout RecordOutput) {
    if let number = pair?.saturation { output.add(Metric(saturation), Unit(MH_UNIT_PERCENT), number) }
    if let number = pair?.rate { output.add(Metric(rate), Unit(MH_UNIT_PER_MINUTE), number) }
  }

  /// A time that is set makes the same identity on every read; the meter's digits, not the percentage they stand for.
  private func end(noClock: Bool, isResult: Bool, _ output: inout RecordOutput) {
    if let time, !noClock, !clockIsUnset, let civil = time.civilMicroseconds {
      output.identify(time.year)
      for part in [time.month, time.day, time.hour, time.minute, time.second] { output.identify(part) }
      output.identify(normal.spo2)
      output.identify(normal.pulse)
      output.end(.measurement, .stored, time: .civil(civil))
      return
    }
    var flags: RecordFlags = []
    if !isResult { flags.insert(.provisional) }
    // The meter has a clock that is not set; or a memory, and no time to tell how old the value is.
    if !noClock, time != nil || clockIsUnset { flags.insert(.clockSuspect) }
    if measurementStatus?.isFromStorage == true { flags.insert(.clockSuspect) }
    output.end(.measurement, .live, flags: flags)
  }
}
