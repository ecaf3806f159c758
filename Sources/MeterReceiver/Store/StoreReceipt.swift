/// What became of a record that was valid.
enum StoreOutcome: String, Sendable {
  /// The log_id was new.
  case created
  /// The same content is stored already: a retry.
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
  init(_ record: ValidRecord, storedKind: String, storedRevision: Int, storedChecksum: String) {
    if record.kind.name != storedKind {
      self = .typeConflict
    } else if record.revision > storedRevision {
      self = .updated
    } else if record.revision < storedRevision {
      self = .superseded
    } else {
      self = record.checksum == storedChecksum ? .unchanged : .conflict
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
