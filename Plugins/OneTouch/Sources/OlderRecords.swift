import MeterDriver

/// What is still to be looked for below the cursor, kept until it is found: `user/older`, version, number u16, count u16, and while
/// the numbers above are still being asked for the last of them, u16.
extension RecordWalk.Older {
  static var key: StaticString { "user/older" }
  private static var version: UInt8 { 1 }

  /// Nil for bytes that this version did not write.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 5 || bytes.count == 7, bytes[0] == RecordWalk.Older.version else { return nil }
    next = UInt16(littleEndian(bytes[...], 1, 2))
    missing = UInt16(littleEndian(bytes[...], 3, 2))
    pending = bytes.count == 7 ? UInt16(littleEndian(bytes[...], 5, 2)) : nil
  }

  var bytes: [UInt8] {
    [RecordWalk.Older.version] + littleEndianBytes(UInt32(next), 2) + littleEndianBytes(UInt32(missing), 2)
      + (pending.map { littleEndianBytes(UInt32($0), 2) } ?? [])
  }
}
