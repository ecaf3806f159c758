import Crypto
import HostPrimitives

/// SHA-256 of a bundle's bytes.
public struct BundleHash: Sendable, Hashable, CustomStringConvertible {
  /// The digest as it is, in 32 bytes; ``description`` has it in hexadecimal.
  public let bytes: [UInt8]

  /// A hash from its 32 bytes; `nil` for any other number.
  package init?(bytes: [UInt8]) {
    guard bytes.count == SHA256.byteCount else { return nil }
    self.bytes = bytes
  }

  /// A hash from 64 hexadecimal digits of either case.
  package init?(hexadecimal text: String) {
    guard let bytes = [UInt8](hexadecimal: text.utf8) else { return nil }
    self.init(bytes: bytes)
  }

  /// The hash of some bytes.
  package init(of content: [UInt8]) { bytes = Array(SHA256.hash(data: content)) }

  /// 64 lower-case hexadecimal digits.
  public var description: String { bytes.hexadecimal }
}
