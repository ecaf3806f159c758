import DriverContract
package import MeterCore

extension HealthRecordDraft.Kind {
  /// What samples a record is made of.
  func quantities(_ word: String) -> [HealthQuantity] {
    switch self {
    case .sleep: [.sleep]
    case .workout: [.workout]
    case .measurement: HealthQuantity.allCases.filter { $0.metricName == word || $0.word == word }
    case .day, .intraday, .nutrition: []
    }
  }
}

extension ImportedTrace {
  /// The type of the record, as ``HealthDraftWriter/type(of:)`` gave it; nil where nothing has written such a trace.
  package var recordType: RecordType? {
    switch HealthRecordDraft.Kind(rawValue: kind) {
    case .sleep: .sleep
    case .workout: .fitness
    case .measurement: Self.type(ofMeasured: word)
    case .day: .routine
    case .intraday: .intraday
    case .nutrition: .nutrition
    case nil: nil
    }
  }

  private static func type(ofMeasured word: String) -> RecordType? {
    guard let quantity = HealthRecordDraft.Kind.measurement.quantities(word).first else { return nil }
    if quantity.isOfBody { return .weight }
    return quantity == .glucose ? .diabetes : .biometrics
  }
}
