/// A key of a session as the host keeps it. Its descriptions never show it.
package struct SessionKey: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The key's bytes; for an `auth_key_file`, its digits.
  package let bytes: [UInt8]
  /// Whether the driver may read the bytes, or only name the key.
  package let isReadable: Bool

  /// A key.
  package init(_ bytes: [UInt8], isReadable: Bool) {
    self.bytes = bytes
    self.isReadable = isReadable
  }

  /// Never the bytes.
  package var description: String { "<key>" }
  /// Never the bytes.
  package var debugDescription: String { "<key>" }
  /// Nothing for reflection to find.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
