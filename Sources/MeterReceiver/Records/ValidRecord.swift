import Crypto

/// A measurement that has passed `RecordValidator`, in the form in which it is stored.
struct ValidRecord: Sendable, Equatable {
  /// The client's id of the record: a UUID in lower case.
  let logID: String
  /// 1 for the first content of the record; a higher one replaces it. MeterHost's extension of Inform v2.
  let revision: Int
  let startTime: UTCTimestamp
  /// The record as JSON in canonical form: what is stored, compared and given back.
  let content: String
  /// SHA-256 of `content`, in lower-case hexadecimal.
  let checksum: String

  init(logID: String, revision: Int, startTime: UTCTimestamp, record: JSONObject) {
    self.logID = logID
    self.revision = revision
    self.startTime = startTime
    content = JSONValue.object(record).canonicalText
    checksum = SHA256.hash(data: Array(content.utf8)).hexadecimal
  }
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits a byte.
  var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
