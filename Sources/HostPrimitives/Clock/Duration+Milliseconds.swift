extension Duration {
  /// Whole milliseconds.
  package var milliseconds: Int { Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000) }
}
