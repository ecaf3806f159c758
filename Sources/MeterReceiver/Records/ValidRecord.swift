import Crypto

/// A record that has passed its validator, in the form in which it is stored.
struct ValidRecord: Sendable, Equatable {
  /// What the record is.
  let kind: RecordKind
  /// The client's id of the record. For Inform a UUID in lower case.
  let logID: String
  /// 1 for the first content of the record; a higher one replaces it. MeterHost's extension.
  let revision: Int
  let startTime: UTCTimestamp
  /// The record as JSON in canonical form: what is stored, compared and given back.
  let content: String
  /// SHA-256 of `content`, in lower-case hexadecimal.
  let checksum: String

  init(kind: RecordKind, logID: String, revision: Int, startTime: UTCTimestamp, record: JSONObject) {
    self.kind = kind
    self.logID = logID
    self.revision = revision
    self.startTime = startTime
    content = JSONValue.object(record).canonicalText
    checksum = SHA256.hash(data: Array(content.utf8)).hexadecimal
  }

  /// The record with the next revision. Its content holds none, or it would be another one.
  var next: ValidRecord { ValidRecord(self, revision: revision + 1) }

  private init(_ other: ValidRecord, revision: Int) {
    (kind, logID, startTime, content, checksum) =
      (other.kind, other.logID, other.startTime, other.content, other.checksum)
    self.revision = revision
  }
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits a byte.
  var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
