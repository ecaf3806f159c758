import MeterDriver

/// Up to where this meter's records are committed for this user: the newest of them, and which life of the meter's
/// memory it belongs to. Stored as 15 bytes under `user/cursor`.
struct ResumeCursor: Equatable {
  static var key: StaticString { "user/cursor" }
  private static var version: UInt8 { 1 }

  /// Counts the times that the meter's numbering was found to have started again.
  let epoch: UInt16
  let newest: Identity

  init(epoch: UInt16, newest: Identity) {
    self.epoch = epoch
    self.newest = newest
  }

  /// Nil for bytes that this version did not write: everything is read again then, and the host knows what it has.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes.span.bytes)
    do throws(DecodeError) {
      guard bytes.count == 15, try reader.uint8() == ResumeCursor.version else { return nil }
      epoch = try reader.uint16()
      newest = Identity(low: try reader.uint64(), high: try reader.uint32())
    } catch {
      return nil
    }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = [ResumeCursor.version]
    for shift in [0, 8] { bytes.append(UInt8(truncatingIfNeeded: epoch >> UInt16(shift))) }
    return bytes + newest.bytes
  }

  /// How far a sequence number is ahead of the cursor, counted around the 16-bit circle.
  func distance(to sequence: UInt16) -> Int { serialDistance(from: newest.sequence, to: sequence) }
}

/// Serial number arithmetic (RFC 1982) on 16 bits: 0 is one ahead of 65535.
func serialDistance(from base: UInt16, to sequence: UInt16) -> Int {
  Int(Int16(bitPattern: sequence &- base))
}
