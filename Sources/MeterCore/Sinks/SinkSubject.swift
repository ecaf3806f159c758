internal import Crypto
internal import HostPrimitives

/// Whose readings a receiver would take them for, as the receiver itself says: a person looks whether it is the right one.
public struct SinkSubject: Sendable, Hashable {
  /// One thing that the receiver says of them.
  public struct Fact: Sendable, Hashable, Codable {
    /// What it is, such as `birth date`.
    public var name: String
    /// What the receiver says, fit for a terminal.
    public var value: String

    /// Something that the receiver says.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// What the receiver calls them, such as `Patient/123`.
  public let reference: String
  /// What the receiver says of them, in the order in which people are shown it.
  public let facts: [Fact]
  /// Their date of birth as the receiver has it (`YYYY-MM-DD`, or a part of that); nil where it tells none.
  public let birthDate: String?

  /// A person at a receiver.
  public init(reference: String, facts: [Fact], birthDate: String?) {
    (self.reference, self.facts, self.birthDate) = (reference, facts, birthDate)
  }

  /// A name for exactly what a person was shown: with anything else in it, it is another one.
  public var digest: String {
    var text = "meterhost subject 1\n"
    for part in [reference] + facts.flatMap({ [$0.name, $0.value] }) { text += "\(part.utf8.count):\(part)" }
    return SHA256.hash(data: Array(text.utf8)).hexadecimal
  }
}
