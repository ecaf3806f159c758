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
}
