/// One value that is given out.
package struct HealthMetric: Sendable, Hashable {
  /// The metric's name in the dictionary or the host's own; a word of ``HealthQuantity`` where there is none.
  package let name: String
  package let value: HealthDecimal
  /// UCUM.
  package let unit: String
  /// The value before it was rounded, where it is one that was measured: what an export has in two units differs by less than the
  /// last place, and may be rounded to either side of it.
  package var exact: Fraction?

  package init(_ name: String, _ value: HealthDecimal, _ unit: String, exact: Fraction? = nil) {
    self.name = name
    self.value = value
    self.unit = unit
    self.exact = exact
  }

  /// A duration in seconds, of microseconds; whole milliseconds.
  static func seconds(_ name: String, _ microseconds: Int64) -> HealthMetric {
    let half = microseconds.addingReportingOverflow(500)
    return HealthMetric(
      name, HealthDecimal(mantissa: (half.overflow ? .max : half.partialValue) / 1000, places: 3), "s")
  }
}

/// A word that stands beside values: of a coded metric or a text.
package struct HealthWord: Sendable, Hashable {
  package let name: String
  package let word: String

  package init(_ name: String, _ word: String) {
    self.name = name
    self.word = word
  }
}

/// Whose record it is and when it was.
package struct HealthOrigin: Sendable, Hashable {
  /// Microseconds since 1970-01-01T00:00Z.
  package var start: Int64
  package var end: Int64
  /// How far the clock was ahead of UTC at the start, in seconds.
  package var utcOffset: Int
  /// Whether the export says so; else it is the user's zone.
  package var hasOwnOffset: Bool
  /// The index of the source.
  package var source: Int
  /// Whether a person entered it.
  package var isManual = false
  /// When it was written or changed last, microseconds since 1970-01-01T00:00Z; 0 when not known.
  package var modified: Int64 = 0
}
