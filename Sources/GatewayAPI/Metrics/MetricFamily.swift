/// A metric and its samples, as OpenMetrics 1.0 has them.
package struct MetricFamily: Sendable, Hashable, Codable {
  /// What kind of number it is.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Only goes up, and begins at 0 with the process.
    case counter
    /// Goes up and down.
    case gauge
    /// How often values were how large.
    case histogram
    /// Labels only.
    case info
  }

  /// Without the suffix that a sample has by its kind.
  package let name: String
  /// What kind of number it is.
  package let type: OpenWord<Kind>
  /// The unit with which the name ends; nil of a plain number.
  package let unit: String?
  /// What it means, in one sentence.
  package let help: String
  /// Those of one set of labels stand together.
  package var samples: [MetricSample]

  /// A family of one sample for each set of labels. A counter's name gets its `_total`, an info's its `_info`.
  package init(
    _ kind: Kind, _ name: String, unit: String? = nil, help: String,
    _ values: [(labels: [String: String], value: Double)]
  ) {
    let suffix =
      switch kind {
      case .counter: "_total"
      case .info: "_info"
      case .gauge, .histogram: ""
      }
    self.init(
      kind, name, unit: unit, help: help,
      samples: values.map { MetricSample(name: name + suffix, labels: $0.labels, value: $0.value) })
  }

  /// A family of histograms, by their labels.
  package init(
    histograms name: String, unit: String, help: String, _ values: [(labels: [String: String], value: MetricHistogram)]
  ) {
    self.init(
      .histogram, name, unit: unit, help: help, samples: values.flatMap { $0.value.samples(of: name, $0.labels) })
  }

  private init(_ kind: Kind, _ name: String, unit: String?, help: String, samples: [MetricSample]) {
    (self.name, type, self.unit, self.help, self.samples) = (name, OpenWord(kind), unit, help, samples)
  }
}

/// One number of a family.
package struct MetricSample: Sendable, Hashable, Codable {
  /// The family's name with the suffix of this number.
  package let name: String
  /// What tells it from the other samples of this name.
  package let labels: [String: String]
  /// The number.
  package let value: Double

  package init(name: String, labels: [String: String], value: Double) {
    (self.name, self.labels, self.value) = (name, labels, value)
  }
}
