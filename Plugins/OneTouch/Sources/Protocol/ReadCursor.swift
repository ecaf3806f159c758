/// Up to where this meter's records are committed for this user: the last of them, whole, so that a meter whose numbers
/// have started again is found out. Stored as 14 bytes under `user/cursor`.
struct ReadCursor: Equatable {
  static var key: StaticString { "user/cursor" }
  private static var version: UInt8 { 1 }

  let number: UInt16
  let record: StoredRecord

  init(number: UInt16, record: StoredRecord) {
    self.number = number
    self.record = record
  }

  /// Nil for bytes that this version did not write: everything is read again then, and the host knows what it has.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 3 + StoredRecord.size, bytes[0] == ReadCursor.version,
      let record = StoredRecord(bytes[3...])
    else { return nil }
    number = UInt16(littleEndian(bytes[...], 1, 2))
    self.record = record
  }

  var bytes: [UInt8] {
    [ReadCursor.version] + littleEndianBytes(UInt32(number), 2) + record.bytes
  }
}
