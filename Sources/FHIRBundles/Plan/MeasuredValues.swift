import MeterCore

/// The measured values of a record as observations, the main one first; none where no value has a code.
struct MeasuredValues: Sendable {
  let observations: [Observation]

  private static let panel = "blood_pressure"
  private static let pressures = ["systolic", "diastolic", "mean_arterial_pressure"]
  init(_ values: [RecordValue], _ circumstances: Circumstances) throws(FHIRRefusal) {
    var parts: [(rank: Rank, observation: Observation)] = []
    // FHIR's blood pressure is both pressures in one observation; one alone is a number like others.
    let hasPanel = circumstances.has("systolic") && circumstances.has("diastolic")
    let pressures = hasPanel ? Self.pressures.compactMap { name in values.first { $0.metricName == name } } : []
    if let first = pressures.first, let metric = Metric.withCode(first.metric) {
      parts.append(
        (Rank(metric, isCoded: true, in: circumstances.type), try Self.panel(of: pressures, circumstances)))
    }
    for value in values where !pressures.contains(value) {
      guard let metric = Metric.withCode(value.metric), metric.isPrimary, metric.kind == .quantity else { continue }
      let codes = MetricCodes(metric, ucum: value.ucum, in: circumstances)
      parts.append(
        (
          Rank(metric, isCoded: codes.isCoded, in: circumstances.type),
          try Self.number(value, metric, codes, circumstances)
        ))
    }
    // What has no code goes along with what has one, and not without it.
    guard parts.contains(where: \.rank.isCoded) else {
      observations = []
      return
    }
    observations = parts.sorted { $0.rank < $1.rank }.map(\.observation)
  }

  /// Which value comes first: the same one for each revision of a reading, whatever order the values are in.
  private struct Rank: Comparable {
    let isCoded: Bool
    private let order: (Int, Int, UInt16)

    /// What the record's type is made of comes before what is told beside it, and a pulse behind what it was measured with.
    init(_ metric: Metric, isCoded: Bool, in type: RecordType) {
      self.isCoded = isCoded
      let isBeside = metric.recordType != type || ["pulse", "heart_rate"].contains(metric.name)
      order = (isCoded ? 0 : 1, isBeside ? 1 : 0, metric.code)
    }

    static func < (left: Rank, right: Rank) -> Bool { left.order < right.order }
    static func == (left: Rank, right: Rank) -> Bool { left.order == right.order }
  }

  private static func panel(
    of pressures: [RecordValue], _ circumstances: Circumstances
  ) throws(FHIRRefusal) -> Observation {
    var components: [Observation.Component] = []
    for value in pressures {
      guard let metric = Metric.withCode(value.metric) else { continue }
      let codes = MetricCodes(metric, ucum: value.ucum, in: circumstances)
      components.append(
        Observation.Component(
          code: codes.concept(of: metric.name, isOfMeter: circumstances.isOfMeter),
          value: .quantity(try Observation.Quantity(value, in: codes.unit)),
          isQuestionable: value.qualifier == .questionable))
    }
    let codings = (circumstances.isOfMeter ? [Coding.mdc(150020)] : []) + [.loinc("85354-9")]
    return Observation(
      name: panel, shape: .compound, code: Concept(codings, text: spelledOut(panel)), value: .none,
      components: components,
      vitalSign: .bloodPressure,
      isVitalSign: true)
  }

  static func number(
    _ value: RecordValue, _ metric: Metric, _ codes: MetricCodes, _ circumstances: Circumstances
  ) throws(FHIRRefusal) -> Observation {
    let modality = codes.modality.map {
      Observation.Component(code: Concept(.mdc(Nomenclature.supplementalTypes)), value: .concept(Concept($0)))
    }
    return Observation(
      name: metric.name, shape: .numeric, code: codes.concept(of: metric.name, isOfMeter: circumstances.isOfMeter),
      value: .quantity(try Observation.Quantity(value, in: codes.unit)), components: modality.map { [$0] } ?? [],
      vitalSign: codes.vitalSign, isVitalSign: codes.isVitalSign, isQuestionable: value.qualifier == .questionable)
  }
}

extension MetricCodes {
  /// The codes as they are written: what a meter said has IEEE 11073's first, what people enter has LOINC's alone where there is one.
  func concept(of name: String, isOfMeter: Bool) -> Concept {
    let term = isOfMeter || loinc.isEmpty ? mdc : nil
    let codings = (term.map { [$0] } ?? []) + loinc
    return Concept(codings.isEmpty ? [.own(name)] : codings, text: spelledOut(name))
  }
}
