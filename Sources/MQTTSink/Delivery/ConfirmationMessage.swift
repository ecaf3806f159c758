import HostPrimitives
import MeterCore
import StrictJSON

extension SinkConfirmation {
  /// What a receiver has published to the topic of confirmations; nil of anything else, which is passed.
  ///
  /// ```json
  /// {"log_id": "373d2a7f-8dba-882a-99e8-e8b9ce9e423f", "revision": 1, "outcome": "created"}
  /// ```
  init?(payload: [UInt8]) {
    guard let document = try? JSONDocument(payload, rules: JSONRules(size: 4_096, depth: 4)),
      let logID = document.root.member("log_id")?.asString.flatMap({ LogID($0) }),
      let revision = document.root.member("revision")?.numeral.flatMap({ Int($0) }), revision >= 1,
      let outcome = document.root.member("outcome")?.asString
    else { return nil }
    let words = (document.root.member("reason")?.asString ?? "").oneLine(atMost: 200)
    switch outcome {
    case "created", "unchanged", "updated", "superseded":
      self.init(logID: logID, revision: revision, SinkReply(.delivered()))
    case "refused":
      self.init(
        logID: logID, revision: revision,
        SinkReply(
          .refused(reason: "refused_by_receiver"),
          text: words.isEmpty ? "the receiver refuses it" : "the receiver: \(words)",
          isAboutItem: true))
    default: return nil
    }
  }
}
