import MeterCore

/// The measured values of a record as observations, the main one first; none where no value has a code.
struct MeasuredValues: Sendable {
  let observations: [Observation]

  private static let panel = "blood_pressure"
  private static let pressures = ["systolic", "diastolic", "mean_arterial_pressure"]
  /// The panel's code, and that of LOINC for the vital sign.
  private static let panelCode = Concept([.mdc(150020), .loinc("85354-9")], text: words(panel))

  init(_ values: [RecordValue], _ circumstances: Circumstances) throws(FHIRRefusal) {
    var parts: [(rank: UInt16, isCoded: Bool, observation: Observation)] = []
    // FHIR's blood pressure is both pressures in one observation; one alone is a number like others.
    let hasPanel = circumstances.has("systolic") && circumstances.has("diastolic")
    let pressures = hasPanel ? Self.pressures.compactMap { name in values.first { $0.metricName == name } } : []
    if hasPanel { parts.append((Self.rank(of: pressures[0]), true, try Self.panel(of: pressures, circumstances))) }
    for value in values where !pressures.contains(value) {
      guard let metric = Metric.withCode(value.metric), metric.isPrimary, metric.kind == .quantity,
        MetricUnit.withCode(value.unit) != nil
      else { continue }
      let codes = MetricCodes(metric, ucum: value.ucum, in: circumstances)
      parts.append((Self.rank(of: value), codes.isCoded, try Self.number(value, metric, codes, circumstances)))
    }
    // What has no code goes along with what has one, and not without it. The order is the same for each revision.
    guard parts.contains(where: \.isCoded) else {
      observations = []
      return
    }
    observations = parts.sorted { ($0.isCoded ? 0 : 1, $0.rank) < ($1.isCoded ? 0 : 1, $1.rank) }.map(\.observation)
  }

  /// A pulse is beside what it was measured with.
  private static func rank(of value: RecordValue) -> UInt16 {
    ["pulse", "heart_rate"].contains(value.metricName) ? Metric.firstContextCode : value.metric
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
    return Observation(
      name: panel, shape: .compound, code: panelCode, value: .none, components: components, vitalSign: .bloodPressure,
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
    return Concept(codings.isEmpty ? [.own(name)] : codings, text: words(name))
  }
}
