import MeterDriver

/// What the meter is asked for (Record Access Control Point, GATT Specification Supplement 3.187).
enum Request: Equatable {
  case all
  /// The cursor's reading and all after it.
  case from(UInt16)

  var bytes: [UInt8] {
    switch self {
    case .all: [0x01, 0x01]
    case .from(let sequence): [0x01, 0x03, 0x01, UInt8(sequence & 0xff), UInt8(sequence >> 8)]
    }
  }
}

/// What came in answer to one request.
struct Transfer {
  var request = Request.all
  /// The reading with the greatest number.
  var newest: Identity?
  /// The meter still has the cursor's reading: its memory is the one that the cursor belongs to.
  var sawCursor = false

  /// Notes an arrival.
  ///
  /// - Returns: whether the reading is to be put out; the cursor's own is with the host already.
  mutating func take(_ found: Identity, cursor: Identity?) -> Bool {
    if request != .all, found == cursor {
      sawCursor = true
      return false
    }
    if let newest, found.sequence < newest.sequence { return true }
    newest = found
    return true
  }
}

/// The newest committed reading, as 12 bytes under `user/cursor`.
enum Cursor {
  static var key: StaticString { "user/cursor" }
  /// After this number comes 0, which is no number "from 65535 on".
  static var lastSequence: UInt16 { .max }

  /// Nil for bytes that no version of this driver wrote: everything is read again then.
  static func read(_ bytes: [UInt8]?) -> Identity? {
    guard let bytes, bytes.count == 12 else { return nil }
    var reader = ByteReader(bytes.span.bytes)
    do throws(DecodeError) {
      return Identity(low: try reader.uint64(), high: try reader.uint32())
    } catch {
      return nil
    }
  }

  static func bytes(_ identity: Identity) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: identity.low >> UInt64(8 * index))) }
    for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: identity.high >> UInt32(8 * index))) }
    return bytes
  }
}
