import BluetoothWire

/// The advertisements of a meter that only advertises, one after the other; a pure value.
struct AdvertisingSequence: Sendable {
  private let advertisement: MeterScript.Advertisement
  private let options: MeterScript.Advertise
  private var step = 0
  private var sent = 0

  init(_ options: MeterScript.Advertise, _ advertisement: MeterScript.Advertisement) {
    self.options = options
    self.advertisement = advertisement
  }

  /// The next advertisement's data and how long after the last one it leaves; nil after the last.
  mutating func next() -> (data: [UInt8], afterMilliseconds: Int)? {
    if step == options.steps.count, options.repeats { step = 0 }
    guard step < options.steps.count else { return nil }
    let current = options.steps[step]
    let wait = advertisement.intervalMilliseconds + (sent == 0 ? current.waitMilliseconds : 0)
    sent += 1
    if sent == current.count { (step, sent) = (step + 1, 0) }
    return (current.payload(behind: advertisement.data), wait)
  }
}

extension MeterScript.Advertise.Step {
  /// The advertising data that goes out.
  func payload(behind advertisement: [UInt8]) -> [UInt8] { isWhole ? data : advertisement + data }
}
