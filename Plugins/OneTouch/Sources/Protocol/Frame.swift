/// Why bytes are no frame.
enum FrameError: Error, Equatable {
  /// Fewer bytes than the smallest frame has, or fewer or more than its length byte says.
  case wrongLength
  /// Start or end byte is not where it must be.
  case notDelimited
  /// The checksum does not match.
  case wrongChecksum
}

/// A frame: `02 length 00 prefix payload 03 checksum` (LifeScan shared binary protocol). The length counts the whole
/// frame, the checksum (least significant byte first) covers everything before it.
enum Frame {
  private static var start: UInt8 { 0x02 }
  private static var end: UInt8 { 0x03 }
  /// What surrounds a payload.
  static var overhead: Int { 7 }
  /// The length has one byte.
  static var longest: Int { 255 }

  /// The frame of a command, or nil when the payload is too long for one.
  ///
  /// - Parameter prefix: 03, 04 or 05; meters differ in which one they are known to take.
  static func encode(_ payload: [UInt8], prefix: UInt8) -> [UInt8]? {
    let length = payload.count + overhead
    guard length <= longest else { return nil }
    var frame: [UInt8] = [start, UInt8(truncatingIfNeeded: length), 0, prefix]
    frame.append(contentsOf: payload)
    frame.append(end)
    let checksum = frameChecksum(frame[...])
    frame.append(UInt8(checksum & 0xff))
    frame.append(UInt8(checksum >> 8))
    return frame
  }

  /// The payload of a frame. Link control and prefix say nothing: meters answer with 03, 04 and 0C alike.
  static func decode(_ frame: [UInt8]) throws(FrameError) -> [UInt8] {
    guard frame.count >= overhead, frame.count == Int(frame[1]) else { throw .wrongLength }
    let body = frame.count - 2
    guard frame[0] == start, frame[body - 1] == end else { throw .notDelimited }
    guard frameChecksum(frame[..<body]) == UInt16(frame[body]) | UInt16(frame[body + 1]) << 8 else {
      throw .wrongChecksum
    }
    return Array(frame[4..<body - 1])
  }
}
