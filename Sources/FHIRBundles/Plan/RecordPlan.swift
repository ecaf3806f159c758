import MeterCore

/// The observations that a record becomes, the main one first.
struct RecordPlan: Sendable {
  let observations: [Observation]

  /// - Throws: ``FHIRRefusal`` where a record has no form.
  init(_ record: Record, isOfMeter: Bool) throws(FHIRRefusal) {
    try Self.check(record)
    let circumstances = Circumstances(record, isOfMeter: isOfMeter)
    let values = record.values.filter { $0.metric < Metric.firstVendorCode }
    var measured = try MeasuredValues(values, circumstances).observations
    guard !measured.isEmpty else {
      throw FHIRRefusal(
        .noCode,
        "no measured value of the record has a code of LOINC or IEEE 11073-10101, so that no server could tell what it is"
      )
    }
    measured[0].notes = record.notes.filter { Metric.withCode($0.field)?.name == "note" }
      .compactMap { FHIRText.string($0.text) }
    observations = Self.numbered(measured + (try ContextValues(values, circumstances).observations))
  }

  private static func check(_ record: Record) throws(FHIRRefusal) {
    let isControl = record.values.contains { value in
      value.metricName == "control_solution_glucose" || value.word == "control_solution"
    }
    if record.flags.contains(.control) || isControl {
      throw FHIRRefusal(.control, "the record was measured with control solution and is no value of a person")
    }
    if record.flags.contains(.provisional) {
      throw FHIRRefusal(.notFinal, "the record is no final result: it is progress")
    }
    // A later revision tells a server that has the first one; of what was never told there is nothing to take back.
    if record.flags.contains(.takenBack), record.revision <= 1 {
      throw FHIRRefusal(.notFinal, "the meter has taken the record back before anything of it was told")
    }
    if record.details?.series != nil {
      throw FHIRRefusal(.series, "the record holds a series of values, for which there is no form")
    }
    let isKnown = record.values.allSatisfy { value in
      value.metric >= Metric.firstVendorCode
        || Metric.withCode(value.metric) != nil && MetricUnit.withCode(value.unit) != nil
    }
    if !isKnown {
      throw FHIRRefusal(.unknown, "a value's metric or unit is newer than this host, which cannot say what it is")
    }
    let measured = record.values.map(\.metric).filter { Metric.withCode($0)?.isPrimary ?? false }
    if Set(measured).count < measured.count {
      throw FHIRRefusal(.duplicate, "the record has a measured value twice, and nobody can tell which one is meant")
    }
  }

  /// What is there several times, as the intervals between heartbeats are, gets a number from the second one on.
  private static func numbered(_ observations: [Observation]) -> [Observation] {
    var counts: [String: Int] = [:]
    return observations.map { observation in
      let count = counts[observation.name, default: 0] + 1
      counts[observation.name] = count
      return count == 1 ? observation : observation.named("\(observation.name).\(count)")
    }
  }
}

extension Observation {
  fileprivate func named(_ name: String) -> Observation {
    Observation(
      name: name, shape: shape, code: code, value: value, components: components, vitalSign: vitalSign,
      isVitalSign: isVitalSign, isQuestionable: isQuestionable, isContext: isContext, notes: notes)
  }
}

extension Observation.Quantity {
  /// A value as it is written.
  ///
  /// - Parameter unit: The unit that it becomes; nil leaves it.
  /// - Throws: ``FHIRRefusal`` with code `fhir_number`.
  init(_ value: RecordValue, in unit: String? = nil) throws(FHIRRefusal) {
    let ucum = unit ?? value.ucum
    let number: ReportedNumber
    do {
      number = try value.number.converted(from: value.ucum, to: ucum, resolution: .kept)
    } catch {
      throw FHIRRefusal(.number, "\(value.metricName) cannot be converted (\(error.description))")
    }
    guard number.isWritable else { throw FHIRRefusal(.number, "the number of \(value.metricName) cannot be written") }
    self.number = number
    self.ucum = ucum
    comparator =
      switch value.qualifier {
      case .above: ">"
      case .below: "<"
      case .exact, .questionable: nil
      }
  }
}
