/// What the bits of a status mean, which a meter sends as one number: a table for each such metric.
///
/// Source of the bits: GATT Specification Supplement, *Blood Pressure Measurement* (status), *PLX Spot-Check Measurement* (measurement
/// status; device and sensor status) and *Glucose Measurement* (sensor status annunciation). Drivers report them as the meter codes them,
/// reserved bits included.
enum StatusWords {
  /// A status in words: `cuff too loose, irregular pulse`.
  ///
  /// - Parameters:
  ///   - metric: The metric's name in the dictionary.
  ///   - number: The status as it was reported.
  /// - Returns: nil for a metric that is no status, and for what is no number of 16 bits.
  static func text(metric: String, number: String) -> String? {
    guard let table = tables[metric], let bits = UInt16(number) else { return nil }
    var words = table.compactMap { bits & $0.mask == $0.value ? $0.word : nil }
    let known = table.reduce(0) { $0 | $1.mask }
    words += (0..<16).filter { (bits & ~known) & (1 << $0) != 0 }.map { "bit \($0), whose meaning is not known" }
    return words.isEmpty ? "nothing to note" : words.joined(separator: ", ")
  }

  /// A meaning that holds when the masked bits have this value.
  private struct Meaning {
    let mask: UInt16
    let value: UInt16
    let word: String

    init(_ bit: Int, _ word: String) { self.init(mask: 1 << UInt16(bit), value: 1 << UInt16(bit), word) }

    init(mask: UInt16, value: UInt16, _ word: String) { (self.mask, self.value, self.word) = (mask, value, word) }
  }

  private static let tables: [String: [Meaning]] = [
    "blood_pressure_status": [
      Meaning(0, "the body moved"), Meaning(1, "cuff too loose"), Meaning(2, "irregular pulse"),
      // Bits 3 and 4 are one number.
      Meaning(mask: 0x18, value: 0x08, "pulse above the meter's range"),
      Meaning(mask: 0x18, value: 0x10, "pulse below the meter's range"),
      Meaning(mask: 0x18, value: 0x18, "pulse range not known"), Meaning(5, "wrong position"),
    ],
    "oximeter_measurement_status": [
      Meaning(5, "still measuring"), Meaning(6, "early estimate"), Meaning(7, "validated"),
      Meaning(8, "fully qualified"), Meaning(9, "from the meter's memory"), Meaning(10, "demonstration"),
      Meaning(11, "test"), Meaning(12, "calibrating"), Meaning(13, "no measurement available"),
      Meaning(14, "questionable"), Meaning(15, "invalid"),
    ],
    "oximeter_device_status": [
      Meaning(0, "display still changing"), Meaning(1, "meter out of order"), Meaning(2, "irregular signal processing"),
      Meaning(3, "signal not enough"), Meaning(4, "poor signal"), Meaning(5, "low perfusion"),
      Meaning(6, "erratic signal"), Meaning(7, "no pulse in the signal"), Meaning(8, "questionable pulse"),
      Meaning(9, "still analysing"), Meaning(10, "interference at the sensor"), Meaning(11, "sensor not on the person"),
      Meaning(12, "unknown sensor"), Meaning(13, "sensor displaced"), Meaning(14, "sensor out of order"),
      Meaning(15, "sensor disconnected"),
    ],
    "sensor_status": [
      Meaning(0, "battery low"), Meaning(1, "sensor out of order"), Meaning(2, "sample too small"),
      Meaning(3, "strip not inserted rightly"), Meaning(4, "wrong type of strip"),
      Meaning(5, "above what the meter can measure"), Meaning(6, "below what the meter can measure"),
      Meaning(7, "too warm to measure"), Meaning(8, "too cold to measure"), Meaning(9, "strip pulled too soon"),
      Meaning(10, "fault of the meter"), Meaning(11, "fault of the meter's clock"),
    ],
  ]
}
