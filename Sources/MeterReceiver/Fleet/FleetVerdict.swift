/// What became of a gateway's message, once the database has it for good.
package enum FleetVerdict: Sendable, Equatable {
  /// What the rule of revisions has done.
  package enum Outcome: String, Sendable, CaseIterable {
    case created, unchanged, updated, superseded
  }

  /// The reading is stored: the receiver's id of it, and what it is named by.
  case stored(Outcome, id: String, logID: String, revision: Int)
  /// It will never be taken, and is kept for a person. `reason` is a stable word.
  case refused(reason: String, text: String)
  /// Nobody has proved that it is theirs: nothing of it is kept.
  case unauthorized(text: String)

  /// The word of the outcome in the confirmation and in the log.
  package var word: String {
    switch self {
    case .stored(let outcome, _, _, _): outcome.rawValue
    case .refused: "refused"
    case .unauthorized: "unauthorized"
    }
  }

  /// Whether the server is to let go of the message for good, and not because it was stored.
  package var isFinalRefusal: Bool { if case .stored = self { false } else { true } }

  /// What the gateway is told, as JSON: `{"msg_id","outcome"}` with `id`, `log_id` and `revision`, or `reason` and `text`.
  package func confirmation(messageID: String) -> [UInt8] {
    var json: JSONObject = ["msg_id": .string(messageID), "outcome": .string(word)]
    switch self {
    case .stored(_, let id, let logID, let revision):
      json["id"] = .string(id)
      json["log_id"] = .string(logID)
      json["revision"] = .integer(revision)
    case .refused(let reason, let text):
      json["reason"] = .string(reason)
      json["text"] = .string(text)
    case .unauthorized(let text):
      json["reason"] = .string("unauthorized")
      json["text"] = .string(text)
    }
    return Array(JSONValue.object(json).text.utf8)
  }
}
