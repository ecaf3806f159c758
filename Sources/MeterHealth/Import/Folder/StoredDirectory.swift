import HostPrimitives

/// What stands behind the entries of a zip archive: their central headers, and the records of its end.
struct StoredDirectory: Sendable {
  /// Where it begins in the archive.
  let offset: UInt64
  let bytes: [UInt8]

  /// - Parameter entries: They stand one behind the other, from the archive's first byte on.
  init(_ entries: [StoredEntry]) {
    let offset = entries.last?.end ?? 0
    var bytes: [UInt8] = []
    for entry in entries { bytes.append(contentsOf: entry.centralHeader) }
    let length = UInt64(bytes.count)
    if entries.count >= Int(UInt16.max) || max(offset, length) >= StoredEntry.isElsewhere {
      Self.appendLargeEnd(to: &bytes, entries: UInt64(entries.count), length: length, offset: offset)
    }
    bytes.append(littleEndian: UInt32(0x0605_4b50))
    bytes.append(littleEndian: UInt32(0))
    for _ in 0..<2 { bytes.append(littleEndian: UInt16(clamping: entries.count)) }
    bytes.append(littleEndian: StoredEntry.field(length))
    bytes.append(littleEndian: StoredEntry.field(offset))
    bytes.append(littleEndian: UInt16(0))
    (self.offset, self.bytes) = (offset, bytes)
  }

  /// The end's record of 64 bits (4.3.14), and where it stands (4.3.15).
  private static func appendLargeEnd(to bytes: inout [UInt8], entries: UInt64, length: UInt64, offset: UInt64) {
    bytes.append(littleEndian: UInt32(0x0606_4b50))
    // What follows in the record.
    bytes.append(littleEndian: UInt64(44))
    // Made as, and needed to read it: version 4.5.
    for _ in 0..<2 { bytes.append(littleEndian: UInt16(45)) }
    // All on the first disk.
    bytes.append(littleEndian: UInt64(0))
    for number in [entries, entries, length, offset] { bytes.append(littleEndian: number) }
    bytes.append(littleEndian: UInt32(0x0706_4b50))
    bytes.append(littleEndian: UInt32(0))
    bytes.append(littleEndian: offset + length)
    bytes.append(littleEndian: UInt32(1))
  }
}
