import Glibc

/// The bytes of a regular file, all of them or none: one that grows or shrinks meanwhile is not read.
package enum WholeFile {
  /// Why there are none.
  package enum Failure: Error, Sendable, Hashable {
    /// A folder, a device, a pipe.
    case notRegular
    /// It has so many bytes.
    case tooLarge(Int)
    /// The system's error number.
    case unreadable(Int32)
    /// Its length is another one than at first.
    case changing
  }

  /// The length of a file that is open.
  package static func size(_ descriptor: Int32) throws(Failure) -> Int {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    return Int(facts.st_size)
  }

  /// Reads a file that is open.
  package static func read(_ descriptor: Int32, limit: Int) throws(Failure) -> [UInt8] {
    let size = try size(descriptor)
    guard size <= limit else { throw .tooLarge(size) }
    // One byte more than there are: a file that fills it has grown.
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
      while count < buffer.count, let base = buffer.baseAddress {
        let got = Glibc.read(descriptor, base + count, buffer.count - count)
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        if got <= 0 { break }
        count += got
      }
    }
    guard failure == 0 else { throw .unreadable(failure) }
    guard bytes.count == size else { throw .changing }
    return bytes
  }
}
