/// What the bits of a meter's status are called at a FHIR server.
///
/// A record has a status as the Bluetooth SIG's services code it, with bit 0 as the least significant one. The implementation
/// guide names each bit by its place in IEEE 11073's own status ("ASN1 To HL7 codes"). All of them are events: one that is not set
/// says nothing. Bits without a name there (a glucose meter's time fault, what an oximeter says of its measurement) are left out.
struct StatusBits: Sendable {
  let term: Int
  /// The guide's bit and its name, by the SIG's bit.
  private let bits: [Int: (bit: Int, name: String)]
  /// Bits that cannot be set together: where they are, none of them is believed.
  private let exclusive: Set<Int>

  static let all: [String: StatusBits] = [
    // Glucose Service 1.0.1, section 3.1.1.8; IEEE 11073-10417.
    "sensor_status": StatusBits(
      term: 8_417_752,
      inOrder: [
        "device-battery-low", "sensor-malfunction", "sensor-sample-size-insufficient", "sensor-strip-insertion",
        "sensor-strip-type-incorrect", "sensor-result-too-high", "sensor-result-too-low", "sensor-temp-too-high",
        "sensor-temp-too-low", "sensor-read-interrupt", "device-gen-fault",
      ]),
    // Blood Pressure Service 1.1.1, section 3.1.1.6: bits 3 and 4 are one number there, 1 for above and 2 for below the range.
    "blood_pressure_status": StatusBits(
      term: 8_410_608,
      inOrder: [
        "body-movement", "cuff-too-loose", "irregular-pulse", "pulse-over-range-limit", "pulse-under-range-limit",
        "improper-body-position",
      ], exclusive: [3, 4]),
    // Pulse Oximeter Service 1.0.1, section 3.2.1.6, whose order is the other way round; IEEE 11073-10404.
    "oximeter_device_status": StatusBits(
      term: 150604,
      reversed: [
        "sensor-disconnected", "sensor-malfunction", "sensor-displaced", "sensor-unsupported", "sensor-off",
        "sensor-interference", "signal-searching", "signal-pulse-questionable", "signal-non-pulsatile",
        "signal-erratic", "signal-low-perfusion", "signal-poor", "signal-inadequate", "signal-processing-irregularity",
        "device-equipment-malfunction", "device-extended-update",
      ]),
  ]

  /// Both count from the same side.
  private init(term: Int, inOrder names: [String], exclusive: Set<Int> = []) {
    self.term = term
    self.exclusive = exclusive
    bits = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($0.offset, ($0.offset, $0.element)) })
  }

  /// The SIG counts from the guide's last bit.
  private init(term: Int, reversed names: [String]) {
    self.term = term
    exclusive = []
    bits = Dictionary(
      uniqueKeysWithValues: names.enumerated().map { (names.count - 1 - $0.offset, ($0.offset, $0.element)) })
  }

  /// The bits of a status that are set and have a name, in the guide's order.
  func set(in status: Int64) -> [Coding] {
    var set = bits.filter { status & (1 << Int64($0.key)) != 0 }
    if !exclusive.isEmpty, exclusive.isSubset(of: set.keys) { set = set.filter { !exclusive.contains($0.key) } }
    return set.values.sorted { $0.bit < $1.bit }.map { Coding.bit($0.bit, of: term, $0.name) }
  }
}
