import MeterCore

/// What a record says beside a measured value that decides which code the value has.
struct Circumstances: Sendable {
  /// Whether a meter said all of it, over its radio.
  let isOfMeter: Bool
  /// Which metrics the record is made for.
  let type: RecordType
  private let words: [String: String]
  private let metrics: Set<String>

  init(_ record: Record, isOfMeter: Bool) {
    self.isOfMeter = isOfMeter
    type = record.type
    metrics = Set(record.values.map(\.metricName))
    words = Dictionary(
      record.values.compactMap { value in value.word.map { (value.metricName, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The word of a coded metric; nil where the record has none.
  func word(_ metric: String) -> String? { words[metric] }

  func has(_ metric: String) -> Bool { metrics.contains(metric) }
}
