import Glibc

/// The calls by which lines reach the disk. They answer as the system's do, and leave their error in `errno`.
struct DiskCalls: Sendable {
  /// write(2).
  var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
  /// fsync(2).
  var sync: @Sendable (_ descriptor: Int32) -> Int32
  /// ftruncate(2).
  var cut: @Sendable (_ descriptor: Int32, _ length: Int64) -> Int32

  static let system = DiskCalls(
    write: { Glibc.write($0, $1.baseAddress, $1.count) }, sync: { fsync($0) },
    cut: { ftruncate($0, off_t($1)) })

  /// Writes all of it, in one call where the system takes it in one.
  func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        let count = write(descriptor, rest)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return true
    }
  }
}
