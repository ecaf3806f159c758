import Synchronization

/// The bundle's files, in memory that lives as long as the process, as the contract promises.
package final class AssetTable {
  /// Copies by content, so that every session of a bundle shares them: addresses as numbers.
  private static let copies = Mutex<[[UInt8]: UInt]>([:])

  private let files: [String: UnsafeRawBufferPointer]

  package init(_ assets: [String: [UInt8]]) {
    files = assets.mapValues { bytes in
      let address = Self.copies.withLock { copies in
        if let known = copies[bytes] { return known }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
        copy.copyBytes(from: bytes)
        let address = UInt(bitPattern: copy.baseAddress)
        copies[bytes] = address
        return address
      }
      return UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: bytes.count)
    }
  }

  package func file(_ name: String) -> UnsafeRawBufferPointer? { files[name] }
}
