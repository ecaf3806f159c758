/// Cuts bytes, as they come, into packets.
struct MQTTPacketStream: Sendable {
  /// What a packet may have at most, first byte and length included.
  let limit: Int
  private var bytes: [UInt8] = []
  /// Where the next packet begins.
  private var start = 0

  init(limit: Int) { self.limit = limit }

  mutating func append(_ more: [UInt8]) {
    bytes.removeFirst(start)
    start = 0
    bytes += more
  }

  /// The next packet; nil until more bytes have come.
  ///
  /// - Throws: ``MQTTPacketError``; nothing that comes behind it can be read then.
  mutating func next() throws(MQTTPacketError) -> MQTTPacket? {
    guard start < bytes.count else { return nil }
    // At once: of something else than MQTT the length may never come.
    guard Self.isHead(bytes[start]) else { throw .malformed("its first byte is that of no packet") }
    var (length, shift, position) = (0, 0, start + 1)
    while true {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      length |= Int(byte & 0x7F) << shift
      position += 1
      if byte & 0x80 == 0 {
        guard shift == 0 || byte != 0 else { throw .malformed("a length is written with more bytes than it needs") }
        break
      }
      shift += 7
      guard shift <= 21 else { throw .malformed("a length has more than four bytes") }
    }
    guard position - start + length <= limit else {
      throw MQTTPacketError(.tooLarge, "a packet has more than \(limit) bytes")
    }
    guard bytes.count - position >= length else { return nil }
    let head = bytes[start]
    start = position + length
    return try MQTTPacket(head: head, body: bytes[position..<(position + length)])
  }

  /// Whether a packet can begin so: the lower half is given by the kind, but for messages (MQTT 5, section 2.1.3).
  private static func isHead(_ byte: UInt8) -> Bool {
    switch byte >> 4 {
    case 0: false
    case 3: true
    case 6, 8, 10: byte & 0x0F == 2
    default: byte & 0x0F == 0
    }
  }
}
