import Crypto
import HostPrimitives

/// A record that has passed its validator, in the form in which it is stored.
struct ValidRecord: Sendable, Equatable {
  let kind: RecordKind
  /// The client's id of the record. For Inform a UUID in lower case.
  let logID: String
  /// 1 for the first content of the record; a higher one replaces it. MeterHost's extension.
  let revision: Int
  let startTime: UTCTimestamp
  /// `source.type` of the record, for reads that ask for it; nil with a NUL, which no read can ask for.
  let sourceType: String?
  /// The record as JSON, members sorted and numbers as they were written: what is stored and given back.
  let content: String
  /// What contents are compared by, in lower-case hexadecimal: SHA-256 of the canonical JSON, in which 6.20 is 6.2, with the
  /// units of an Inform record's metrics in UCUM and without its content hash.
  let checksum: String
  /// The gateway's own hash of what the meter has reported, without what the gateway adds on arrival. MeterHost's extension.
  let contentHash: String?

  init(kind: RecordKind, logID: String, revision: Int, startTime: UTCTimestamp, record: JSONObject) {
    self.kind = kind
    self.logID = logID
    self.revision = revision
    self.startTime = startTime
    if case .object(let source)? = record["source"], case .string(let type)? = source["type"],
      !type.utf8.contains(0)
    {
      sourceType = type
    } else {
      sourceType = nil
    }
    content = JSONValue.object(record).storedText
    var compared = record
    compared[Self.contentHashMember] = nil
    contentHash = Self.contentHash(of: record)
    if case .inform = kind { compared = UnitSpelling.canonical(compared) }
    checksum = SHA256.hash(data: Array(JSONValue.object(compared).canonicalText.utf8)).hexadecimal
  }

  static let contentHashMember = "content_hash"

  /// Whether a stored content is the same reading, which another gateway may have sent: its zone and its clock are its own.
  func hasContentHash(ofStored content: String) -> Bool {
    guard let contentHash, case .object(let stored)? = try? JSONValue.parse(Array(content.utf8)) else { return false }
    return Self.contentHash(of: stored) == contentHash
  }

  private static func contentHash(of record: JSONObject) -> String? {
    guard case .string(let hash)? = record[contentHashMember] else { return nil }
    return hash
  }
}
