extension Check {
  /// All checks, by rule.
  static let all: [Check] =
    (loading + tables + memory + surroundings + replaying + opening + events + sessions + scripts + readings + finishes
    + vectors + sinks + decoding
    + hostile + drops + extensions + displays + imports)
    .enumerated().sorted { ($0.element.rule, $0.offset) < ($1.element.rule, $1.offset) }.map(\.element)
}
