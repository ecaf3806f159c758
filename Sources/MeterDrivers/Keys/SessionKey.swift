/// A key of a session as the host keeps it. Its descriptions never show it.
public struct SessionKey: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The key's bytes; for an `auth_key_file`, its digits.
  public let bytes: [UInt8]
  /// Whether the driver may read the bytes, or only name the key.
  public let isReadable: Bool

  /// A key.
  public init(_ bytes: [UInt8], isReadable: Bool) {
    self.bytes = bytes
    self.isReadable = isReadable
  }

  /// Never the bytes.
  public var description: String { "<key>" }
  /// Never the bytes.
  public var debugDescription: String { "<key>" }
  /// Nothing for reflection to find.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
