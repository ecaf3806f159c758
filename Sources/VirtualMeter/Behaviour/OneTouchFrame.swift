import HostPrimitives

/// LifeScan's frames and fragments, the meter's side: `02 length 00 prefix payload 03 CRC-16/CCITT`, cut into values whose
/// first byte says how many fragments are left.
enum OneTouchFrame {
  /// The frame of a reply.
  static func encode(_ payload: [UInt8]) -> [UInt8] {
    let body: [UInt8] = [0x02, UInt8(truncatingIfNeeded: payload.count + 7), 0, 0x0c] + payload + [0x03]
    let sum = Checksum.crc16(body[...])
    return body + sum.littleEndianBytes
  }

  /// Prefix and payload of a command; nil when the bytes are no frame.
  static func decode(_ frame: [UInt8]) -> (prefix: UInt8, payload: [UInt8])? {
    guard frame.count > 7, frame[0] == 0x02, Int(frame[1]) == frame.count, frame[frame.count - 3] == 0x03,
      Checksum.crc16(frame.dropLast(2)) == UInt16(littleEndianBytes: frame.suffix(2))
    else { return nil }
    return (frame[3], Array(frame[4..<frame.count - 3]))
  }

  /// The values that carry a frame.
  static func fragments(_ frame: [UInt8], size: Int) -> [[UInt8]] {
    let room = max(size, 2) - 1
    let count = (frame.count + room - 1) / room
    return (0..<count).map { index in
      let header = UInt8(truncatingIfNeeded: count - index) | (index == 0 ? 0 : 0x40)
      return [header] + frame[index * room..<min((index + 1) * room, frame.count)]
    }
  }
}
