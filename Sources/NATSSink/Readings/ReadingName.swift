import Crypto
import HostPrimitives
package import MeterCore

/// What a message with a reading is called (`Nats-Msg-Id`): `LOG_ID:REVISION:HASH:OWNER`, the last two being eight digits each, of the content's
/// hash and of the token's. Streams know by it for some minutes what they have; receivers repeat it in what they confirm.
package struct ReadingName: Sendable, Hashable, CustomStringConvertible {
  /// The reading's name.
  package let logID: LogID
  /// Its revision.
  package let revision: Int
  private let hash: String
  /// Whose message it is, by the token that proves it. Two people may have read one meter: what is said of the one's reading says nothing of the
  /// other's, nor does what was said of one that was sent with an earlier token.
  let owner: String

  /// The name of a reading as it is.
  package init(_ record: Record, token: AccessToken) {
    logID = record.logID
    revision = record.revision
    hash = record.contentHash.prefix(4).hexadecimal
    owner = Self.owner(token)
  }

  /// What the messages of a token are told by.
  static func owner(_ token: AccessToken) -> String {
    Array(SHA256.hash(data: Array(token.secret.utf8))).prefix(4).hexadecimal
  }

  /// A name from its text; nil for what is none.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 4, let logID = LogID(String(parts[0])), let revision = Int(parts[1]), revision > 0,
      parts[2...].allSatisfy({ $0.utf8.count == 8 && [UInt8](hexadecimal: $0.utf8) != nil })
    else { return nil }
    (self.logID, self.revision, hash, owner) = (logID, revision, String(parts[2]), String(parts[3]))
  }

  /// The text.
  package var description: String { "\(logID):\(revision):\(hash):\(owner)" }
}
