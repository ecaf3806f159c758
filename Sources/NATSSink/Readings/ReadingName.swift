import HostPrimitives
package import MeterCore

/// What a message with a reading is called (`Nats-Msg-Id`): `LOG_ID:REVISION:HASH`, the last being eight digits of the content's hash. Streams
/// know by it for some minutes what they have; receivers repeat it in what they confirm.
package struct ReadingName: Sendable, Hashable, CustomStringConvertible {
  /// The reading's name.
  package let logID: LogID
  /// Its revision.
  package let revision: Int
  private let hash: String

  /// The name of a reading as it is.
  package init(_ record: Record) {
    logID = record.logID
    revision = record.revision
    hash = record.contentHash.prefix(4).hexadecimal
  }

  /// A name from its text; nil for what is none.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let logID = LogID(String(parts[0])), let revision = Int(parts[1]), revision > 0,
      parts[2].utf8.count == 8, [UInt8](hexadecimal: parts[2].utf8) != nil
    else { return nil }
    (self.logID, self.revision, hash) = (logID, revision, String(parts[2]))
  }

  /// The text.
  package var description: String { "\(logID):\(revision):\(hash)" }
}
