import HostPrimitives
package import MeterCore

// The words for parts of a reading, in JSON and in every other form.

extension RecordTime {
  /// A moment in RFC 3339 on the clock that the reading was taken by, or in UTC where that is not known.
  package func text(_ microseconds: Int64) -> String {
    // Offsets with seconds, as places had before they joined a zone, have no form in RFC 3339.
    guard let offset = utcOffsetSeconds, offset % 60 == 0, (-86_399...86_399).contains(offset) else {
      return CivilMoment(microseconds: microseconds).text(.millionths) + "Z"
    }
    let (local, isTooLarge) = microseconds.addingReportingOverflow(Int64(offset) * 1_000_000)
    guard !isTooLarge else { return CivilMoment(microseconds: microseconds).text(.millionths) + "Z" }
    return CivilMoment(microseconds: local).text(.millionths) + CivilMoment.offset(offset)
  }

  /// The start.
  package var startText: String { text(startMicroseconds) }
  /// Nil for a single moment.
  package var endText: String? { endMicroseconds == startMicroseconds ? nil : text(endMicroseconds) }
  /// The start as the meter showed it.
  package var civilText: String? { civilMicroseconds.map { CivilMoment(microseconds: $0).text(.millionths) } }
  /// What the meter gave.
  package var kindText: String {
    switch kind {
    case .none: "none"
    case .civil: "civil"
    case .civilWithOffset: "civil_with_offset"
    case .utc: "utc"
    }
  }
}

extension RecordFlags {
  /// The marks by their names.
  package var words: [String] {
    let names: [(RecordFlags, String)] = [
      (.control, "control"), (.clockSuspect, "clock_suspect"), (.identitySuspect, "identity_suspect"),
      (.takenBack, "taken_back"), (.provisional, "provisional"),
    ]
    return names.filter { contains($0.0) }.map(\.1)
  }
}

extension RecordValue {
  /// The LOINC code of the metric in this unit, the one of FHIR's vital signs where there are several.
  package var loinc: String? {
    guard let metric = Metric.withCode(metric), let unit = MetricUnit.withCode(unit) else { return nil }
    return metric.allowed(unit)?.loinc.first
  }

  /// Nil for the value itself.
  package var qualifierText: String? { qualifier == .exact ? nil : qualifier.rawValue }
}

extension [RecordValue] {
  /// Without those of a driver's own metrics, which are for people to see and are never delivered.
  package var delivered: [RecordValue] { filter { $0.metric < Metric.firstVendorCode } }
}

extension Record {
  /// The texts with the names of what they are about, without a driver's own.
  package var namedNotes: [(field: String, text: String)] {
    notes.filter { $0.field < Metric.firstVendorCode }.map { note in
      (Metric.withCode(note.field)?.name ?? "field-\(note.field)", note.text)
    }
  }
}
