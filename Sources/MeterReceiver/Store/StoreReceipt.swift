/// What became of a record that was valid.
enum StoreOutcome: String, Sendable {
  /// The log_id was new.
  case created
  /// The same content is stored already: a retry, or the same reading by another gateway.
  case unchanged
  /// A higher revision has replaced the content.
  case updated
  /// A higher revision is stored already; nothing has changed.
  case superseded
  /// Another content is stored under the same revision; nothing has changed.
  case conflict
  /// The log_id belongs to a record of another type; nothing has changed.
  case typeConflict = "type_conflict"

  /// The rule of revisions.
  ///
  /// - Parameter trustsHash: Whether equal content hashes make two records one reading: so between the gateways that send
  ///   them, not where somebody replaces what is stored.
  init(_ record: ValidRecord, stored: SQLRow, trustsHash: Bool) throws {
    let revision: Int = try stored["revision"]
    if try record.kind.name != stored["kind"] as String {
      self = .typeConflict
    } else if record.revision != revision {
      self = record.revision > revision ? .updated : .superseded
    } else if try record.checksum == stored["checksum"] as String {
      self = .unchanged
    } else {
      let isSameReading = try trustsHash && record.hasContentHash(ofStored: stored["content"])
      self = isSameReading ? .unchanged : .conflict
    }
  }
}

/// A record's place in the store after a write, and what the write did.
struct StoreReceipt: Sendable, Equatable {
  let outcome: StoreOutcome
  let id: String
  let logID: String
  let revision: Int
  let checksum: String
  let createdAt: UTCTimestamp

  /// What is stored in the record's place, as a 409 tells it.
  var conflict: JSONObject {
    [
      "reason": .string(outcome == .typeConflict ? "type" : "content"), "id": .string(id),
      "revision": .integer(revision),
    ]
  }
}
