import MeterDriver

// Meters that send more than glucose, and do not say which.
extension Transfer {
  var isMultiMeter: Bool { numbers.isMultiMeter || quirks.sendsUnmarkedKetone || quirks.mayBeMultiMeter }

  var mark: AnalyteMark {
    if quirks.sendsUnmarkedKetone { return .noneOfKnownModel }
    if quirks.mayBeMultiMeter || numbers.hasShownKetone { return .none }
    return numbers.isMultiMeter ? .uncertain : .profile
  }

  /// Knows by the record that comes behind a measurement, or came before it, whether the meter is one that fills in empty records.
  mutating func lookBack(from measurement: GlucoseMeasurement?, _ output: inout Output) {
    if let measurement {
      let before = ahead ?? behind.flatMap { $0.isEmitted ? nil : $0.item }
      if let before, measurement.isFiller(after: before.measurement) { numbers.isMultiMeter = true }
      if let filler, filler.isFiller(after: measurement) { numbers.isMultiMeter = true }
    }
    open = nil
    settle(&output)
    guard let last = ahead else { return }
    ahead = nil
    if mayTurnOutKetone(last.measurement) { return waiting.append(last) }
    entries[last.entry].state = .final
    emit(last.measurement, nil, &output)
  }

  /// Of a meter that fills in empty records a ketone may still come, which makes those doubtful that came before it.
  func mayTurnOutKetone(_ measurement: GlucoseMeasurement) -> Bool {
    mark == .uncertain && measurement.mayBeUnmarked && measurement.mayBeKetone
  }
}
