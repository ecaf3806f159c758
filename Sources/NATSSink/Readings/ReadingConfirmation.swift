import HostPrimitives
package import MeterCore
import StrictJSON

/// What a receiver says became of a message, once its database has it for good: `{"msg_id","outcome"}`, and `id`, or `reason` and `text`.
package struct ReadingConfirmation: Sendable, Hashable {
  /// The message.
  package let name: ReadingName
  /// What it means for the reading.
  package let reply: SinkReply

  private static let rules = JSONRules(size: 16 << 10, depth: 4, allowsDuplicateKeys: false, allowsEscapedKeys: false)
  private static let longest = 256

  /// A confirmation; nil for what is none, which says nothing of any reading.
  package init?(_ payload: [UInt8]) {
    guard let document = try? JSONDocument(payload, rules: Self.rules), document.root.kind == .object,
      let name = document.root.member("msg_id")?.asString.flatMap({ ReadingName($0) }),
      let outcome = document.root.member("outcome")?.asString
    else { return nil }
    func text(_ name: String) -> String? {
      document.root.member(name)?.asString.map { $0.oneLine(atMost: Self.longest) }
    }
    self.name = name
    switch outcome {
    case "created", "unchanged", "updated", "superseded": reply = SinkReply(.delivered(id: text("id")))
    case "refused":
      reply = SinkReply(.refused(reason: Self.word(text("reason"))), text: text("text") ?? "", isAboutItem: true)
    // As over HTTP: the token does not prove that this user may store it.
    case "unauthorized": reply = SinkReply(.credentialRefused, text: text("text") ?? "")
    default: return nil
    }
  }

  /// A reason is a stable word; what is none is not kept as one.
  private static func word(_ reason: String?) -> String {
    guard let reason, (1...40).contains(reason.utf8.count),
      reason.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D })
    else { return "refused" }
    return reason
  }
}
