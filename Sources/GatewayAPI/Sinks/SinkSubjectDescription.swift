/// Whose readings a receiver would take them for, as `--json` shows it.
public struct SinkSubjectDescription: Sendable, Codable, Hashable {
  /// One thing that the receiver says of them.
  public struct Fact: Sendable, Codable, Hashable {
    /// What it is, such as `birth date`.
    public var name: String
    /// What the receiver says.
    public var value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  /// What the receiver calls them, such as `Patient/123`.
  public var reference: String
  /// What the receiver says of them, in the order in which people are shown it.
  public var facts: [Fact]
  /// Their date of birth as the receiver has it; nil where it tells none.
  public var birthDate: String?
  /// What `confirmed` of the request says that adds the receiver, once a person has looked.
  public var digest: String

  enum CodingKeys: String, CodingKey {
    case reference, facts, digest
    case birthDate = "birth_date"
  }

  package init(reference: String, facts: [Fact], birthDate: String?, digest: String) {
    (self.reference, self.facts, self.birthDate, self.digest) = (reference, facts, birthDate, digest)
  }
}
