import MeterCore

/// What stands beside the measured values of a record, as observations of their own.
struct ContextValues: Sendable {
  let observations: [Observation]

  init(_ values: [RecordValue], _ circumstances: Circumstances) throws(FHIRRefusal) {
    var found: [Observation] = []
    for value in values {
      // Facts about the meter begin behind those about a measurement.
      guard let metric = Metric.withCode(value.metric), !metric.isPrimary, !Self.isOfDevice(metric) else { continue }
      if let observation = try Self.observation(value, metric, circumstances) { found.append(observation) }
    }
    observations = found
  }

  private static func isOfDevice(_ metric: Metric) -> Bool {
    ["battery_level", "battery_voltage", "clock_offset"].contains(metric.name)
  }

  private static func observation(
    _ value: RecordValue, _ metric: Metric, _ circumstances: Circumstances
  ) throws(FHIRRefusal) -> Observation? {
    if let status = StatusBits.all[metric.name] { return bits(value, metric, status) }
    switch metric.kind {
    case .code: return ContextCodes.consumed.contains(metric.name) ? nil : fact(value, metric, circumstances)
    case .quantity: return try amount(value, metric, circumstances)
    case .text: return nil
    }
  }

  /// A status without any bit that has a name says nothing.
  private static func bits(_ value: RecordValue, _ metric: Metric, _ status: StatusBits) -> Observation? {
    guard value.number.exponent == 0 else { return nil }
    let set = status.set(in: value.number.mantissa)
    guard !set.isEmpty else { return nil }
    return Observation(
      name: metric.name, shape: .bits, code: Concept(.mdc(status.term), text: spelledOut(metric.name)), value: .none,
      components: set.map { Observation.Component(code: Concept($0), value: .flag(true)) }, isContext: true)
  }

  /// A fact in words, with their terms where they have one.
  private static func fact(
    _ value: RecordValue, _ metric: Metric, _ circumstances: Circumstances
  ) -> Observation? {
    guard let word = value.word, !ContextCodes.silent.contains(word) else { return nil }
    // The kind of food or medication is told by the code of its amount.
    if ContextCodes.amounts.contains(where: { $0.value.name == metric.name && circumstances.has($0.key) }) {
      return nil
    }
    let fact = ContextCodes.facts[metric.name]
    let term = fact?.words[word].map { [Coding.mdc($0)] } ?? []
    return Observation(
      name: metric.name, shape: .coded,
      code: Concept(fact.map { .mdc($0.term) } ?? .own(metric.name), text: spelledOut(metric.name)),
      value: .concept(Concept(term, text: spelledOut(word))), isContext: true)
  }

  private static func amount(
    _ value: RecordValue, _ metric: Metric, _ circumstances: Circumstances
  ) throws(FHIRRefusal) -> Observation {
    var observation: Observation
    if let (fact, name, term) = ContextCodes.amounts[metric.name] {
      let exact = circumstances.word(name).flatMap { fact?.words[$0] }
      observation = Observation(
        name: metric.name, shape: .numeric, code: Concept(.mdc(exact ?? term), text: spelledOut(metric.name)),
        value: .quantity(try Observation.Quantity(value)), isQuestionable: value.qualifier == .questionable)
    } else {
      let codes = MetricCodes(metric, ucum: value.ucum, in: circumstances)
      observation = try MeasuredValues.number(value, metric, codes, circumstances)
    }
    observation.isContext = true
    return observation
  }
}
