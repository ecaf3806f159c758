/// Reads the data types of MQTT 5 (section 1.5) from the bytes of one packet.
struct MQTTReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) { (self.bytes, position) = (bytes, bytes.startIndex) }

  var isAtEnd: Bool { position == bytes.endIndex }

  mutating func byte() throws(MQTTPacketError) -> UInt8 {
    guard position < bytes.endIndex else { throw .malformed("it ends too early") }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func twoBytes() throws(MQTTPacketError) -> UInt16 { UInt16(try byte()) << 8 | UInt16(try byte()) }

  mutating func fourBytes() throws(MQTTPacketError) -> UInt32 {
    UInt32(try twoBytes()) << 16 | UInt32(try twoBytes())
  }

  /// A variable byte integer, which has at most four bytes and no more than it needs.
  mutating func variableInteger() throws(MQTTPacketError) -> Int {
    var (value, shift) = (0, 0)
    while true {
      let next = try byte()
      value |= Int(next & 0x7F) << shift
      if next & 0x80 == 0 {
        guard shift == 0 || next != 0 else { throw .malformed("a length is written with more bytes than it needs") }
        return value
      }
      shift += 7
      guard shift <= 21 else { throw .malformed("a length has more than four bytes") }
    }
  }

  mutating func binary() throws(MQTTPacketError) -> [UInt8] { Array(try slice(Int(try twoBytes()))) }

  /// A string, which is UTF-8 without a zero character.
  mutating func string() throws(MQTTPacketError) -> String {
    let bytes = try binary()
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      throw .malformed("a text is no UTF-8")
    }
    return text
  }

  /// A reader of the next bytes alone.
  mutating func part(_ count: Int) throws(MQTTPacketError) -> MQTTReader { MQTTReader(try slice(count)) }

  mutating func rest() -> [UInt8] {
    defer { position = bytes.endIndex }
    return Array(bytes[position...])
  }

  private mutating func slice(_ count: Int) throws(MQTTPacketError) -> ArraySlice<UInt8> {
    guard count <= bytes.endIndex - position else { throw .malformed("a part is longer than what is left") }
    defer { position += count }
    return bytes[position..<(position + count)]
  }
}
