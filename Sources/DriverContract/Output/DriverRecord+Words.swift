import HostPrimitives

// What records are called in JSON: in answers of `driver decode`, and in the vectors of an author.

extension DriverRecordKind {
  /// The kind in one word.
  package var word: String {
    switch self {
    case .measurement: "measurement"
    case .context: "context"
    case .deviceInfo: "device_info"
    case .diagnostic: "diagnostic"
    }
  }
}

extension DriverRecordFlags {
  private static let names: [(flag: DriverRecordFlags, word: String)] = [
    (.provisional, "provisional"), (.control, "control"), (.clockSuspect, "clock_suspect"), (.held, "held"),
    (.tombstone, "tombstone"),
  ]

  /// Every word that a flag has.
  package static var allWords: [String] { names.map(\.word) }

  /// A word for each flag.
  package var words: [String] { Self.names.filter { contains($0.flag) }.map(\.word) }
}

extension DriverQualifier {
  /// What it is called.
  package var name: String {
    switch self {
    case .exact: "exact"
    case .above: "above"
    case .below: "below"
    case .questionable: "questionable"
    }
  }
}

extension DriverRecord {
  /// The start as the meter shows it: civil time without a zone, with its offset where the meter knows it, or UTC.
  package var timestampText: String? {
    let text = CivilMoment(microseconds: startMicroseconds).text(.millionths)
    return switch timeKind {
    case .none: nil
    case .civil: text
    case .civilWithOffset: text + (utcOffsetSeconds.map { CivilMoment.offset(Int($0)) } ?? "")
    case .utc: text + "Z"
    }
  }
}
