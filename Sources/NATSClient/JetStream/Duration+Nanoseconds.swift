extension Duration {
  /// Nanoseconds, in which JetStream counts time.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, alsoOverflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflows || alsoOverflows ? (seconds < 0 ? .min : .max) : sum
  }
}
