import HostPrimitives

/// A file as an entry of a zip archive without compression (PKWARE's APPNOTE 6.3.10).
struct StoredEntry: Sendable {
  let file: FolderListing.File
  /// CRC-32 of its content.
  let checksum: UInt32
  /// Where its local header begins in the archive.
  let offset: UInt64

  /// Bytes of the content.
  var size: UInt64 { file.mark.size }
  /// Behind its content.
  var end: UInt64 { offset + UInt64(localLength) + size }

  /// What a field of 32 bits has whose value is in the extra field (4.5.3).
  static let isElsewhere = UInt64(UInt32.max)

  private var isLarge: Bool { size >= Self.isElsewhere }
  private var isFar: Bool { offset >= Self.isElsewhere }
  private var localLength: Int { 30 + file.path.count + (isLarge ? 20 : 0) }

  /// What stands before the content (4.3.7).
  var localHeader: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(localLength)
    bytes.append(littleEndian: UInt32(0x0403_4b50))
    let extra = Self.extra(isLarge ? [size, size] : [])
    appendFields(to: &bytes, extra: extra)
    return bytes + file.path + extra
  }

  /// What stands in the directory (4.3.12).
  var centralHeader: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt32(0x0201_4b50))
    bytes.append(littleEndian: UInt16(45))
    let extra = Self.extra((isLarge ? [size, size] : []) + (isFar ? [offset] : []))
    appendFields(to: &bytes, extra: extra)
    // No comment, the first disk, no attributes.
    bytes.append(contentsOf: [UInt8](repeating: 0, count: 10))
    bytes.append(littleEndian: Self.field(offset))
    return bytes + file.path + extra
  }

  /// A number where it fits into 32 bits, else the mark that it is elsewhere.
  static func field(_ number: UInt64) -> UInt32 { UInt32(clamping: number) }

  /// What both headers have, from the version on that is needed to read the entry.
  private func appendFields(to bytes: inout [UInt8], extra: [UInt8]) {
    let isText = String(validating: file.path, as: UTF8.self) != nil
    bytes.append(littleEndian: UInt16(extra.isEmpty ? 20 : 45))
    // Bit 11: the name is UTF-8.
    bytes.append(littleEndian: UInt16(isText ? 0x0800 : 0))
    // Stored, at 0:00 on 1980-01-01, the first moment that there is: no driver asks for it.
    for number: UInt16 in [0, 0, 0x0021] { bytes.append(littleEndian: number) }
    bytes.append(littleEndian: checksum)
    bytes.append(littleEndian: Self.field(size))
    bytes.append(littleEndian: Self.field(size))
    bytes.append(littleEndian: UInt16(clamping: file.path.count))
    bytes.append(littleEndian: UInt16(clamping: extra.count))
  }

  /// The extra field of what needs 64 bits (4.5.3).
  private static func extra(_ numbers: [UInt64]) -> [UInt8] {
    guard !numbers.isEmpty else { return [] }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt16(1))
    bytes.append(littleEndian: UInt16(8 * numbers.count))
    for number in numbers { bytes.append(littleEndian: number) }
    return bytes
  }
}
