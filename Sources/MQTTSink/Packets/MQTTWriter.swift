/// Writes the data types of MQTT 5 (section 1.5).
struct MQTTWriter {
  private(set) var bytes: [UInt8] = []

  /// The greatest number that a variable byte integer can say.
  static let greatestInteger = 268_435_455
  /// The most bytes of a text or of binary data.
  static let longestText = 65_535

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func twoBytes(_ value: UInt16) {
    bytes.append(UInt8(value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  mutating func fourBytes(_ value: UInt32) {
    twoBytes(UInt16(value >> 16))
    twoBytes(UInt16(truncatingIfNeeded: value))
  }

  mutating func variableInteger(_ value: Int) throws(MQTTPacketError) {
    guard (0...Self.greatestInteger).contains(value) else { throw MQTTPacketError(.tooLarge, "it has too many bytes") }
    var rest = value
    repeat {
      let low = UInt8(rest & 0x7F)
      rest >>= 7
      bytes.append(rest > 0 ? low | 0x80 : low)
    } while rest > 0
  }

  mutating func binary(_ value: [UInt8]) throws(MQTTPacketError) {
    guard value.count <= Self.longestText else { throw MQTTPacketError(.tooLarge, "a part has too many bytes") }
    twoBytes(UInt16(value.count))
    bytes += value
  }

  mutating func string(_ value: String) throws(MQTTPacketError) {
    let utf8 = Array(value.utf8)
    guard !utf8.contains(0) else { throw .malformed("a text has a zero character") }
    try binary(utf8)
  }

  mutating func raw(_ value: [UInt8]) { bytes += value }
}
