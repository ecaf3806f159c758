extension Record {
  /// Whether it is told in its extras alone, as reproductive health is: biometrics without any value.
  package var isOfWords: Bool {
    guard type == .biometrics, values.isEmpty, let details else { return false }
    return details.series == nil && details.segments.isEmpty && !details.extras.isEmpty
  }
}
