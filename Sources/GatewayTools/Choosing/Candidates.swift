package import GatewayAPI
import HostPrimitives
import StrictJSON

/// What a person can mean: things with an id, and names beside it.
package struct Candidates: Sendable {
  /// One thing.
  package struct Candidate: Sendable, Hashable {
    /// What it is called on the wire.
    package let id: String
    /// What people call it, too; spelled whole.
    package let names: [String]

    package init(id: String, names: [String] = []) { (self.id, self.names) = (id, names) }

    /// The id with the names behind it.
    package var text: String { ([id] + names).joined(separator: "  ") }
  }

  /// The shortest beginning of an id that is taken.
  package static let shortest = 4
  /// How many are told where several fit.
  private static let told = 5

  private let all: [Candidate]
  private let kind: String
  private let codes: (unknown: String, ambiguous: String)
  private let hint: String

  /// - Parameters:
  ///   - kind: What they are, for messages: `meter`.
  ///   - codes: Of the errors.
  ///   - hint: The command that lists them.
  package init(_ all: [Candidate], kind: String, codes: (unknown: String, ambiguous: String), hint: String) {
    self.all = all
    self.kind = kind
    self.codes = codes
    self.hint = hint
  }

  /// The id of the one that is meant: by its whole id, by a name, or by the beginning of its id.
  ///
  /// - Throws: ``GatewayError`` where none or several fit; several are told.
  package func one(_ text: String) throws(GatewayError) -> String {
    let wanted = text.lowercased()
    if let exact = all.first(where: { $0.id.lowercased() == wanted }) { return exact.id }
    let named = all.filter { $0.names.contains { $0.lowercased() == wanted } }
    if !named.isEmpty { return try only(named, text) }
    guard wanted.utf8.count >= Self.shortest else {
      throw unknown(text, "; the beginning of an id has \(Self.shortest) characters or more")
    }
    let begun = all.filter { $0.id.lowercased().hasPrefix(wanted) }
    guard !begun.isEmpty else { throw unknown(text, "") }
    return try only(begun, text)
  }

  private func only(_ found: [Candidate], _ text: String) throws(GatewayError) -> String {
    let ids = Array(Set(found.map(\.id)))
    guard ids.count != 1 else { return ids[0] }
    let candidates = found.sorted { $0.id < $1.id }.prefix(Self.told).map(\.text).joined(separator: "; ")
    let more = ids.count > Self.told ? "; and \(ids.count - Self.told) more" : ""
    throw GatewayError(
      .usage, code: codes.ambiguous, "\(shown(text)) fits \(ids.count) \(kind)s: \(candidates)\(more)",
      hint: "write more of the id")
  }

  private func unknown(_ text: String, _ addition: String) -> GatewayError {
    let guess = nearest(to: text.lowercased(), among: all.flatMap { $0.names.map { $0.lowercased() } })
    return GatewayError(
      .usage, code: codes.unknown, "there is no \(kind) \(shown(text))\(addition)",
      hint: (guess.map { "did you mean \($0)? " } ?? "") + hint)
  }
}
