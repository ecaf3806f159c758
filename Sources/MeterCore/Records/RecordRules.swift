/// What a record's values may be, whoever reports them: a driver, a display, a person, another program.
///
/// One set of rules for all of them. What comes of a broken one is the way in's affair: a driver's record is refused or held
/// (``RecordChecks``), and a person is told what is wrong and where (``DraftReader``).
struct RecordRules {
  /// Which codes a source can mean.
  enum Vocabulary {
    /// The contract's dictionary: a driver knows no other.
    case contract
    /// The host's own codes, too: what is written in words.
    case all
  }

  let vocabulary: Vocabulary

  static let contract = RecordRules(vocabulary: .contract)
  static let all = RecordRules(vocabulary: .all)

  /// What a value's metric cannot have.
  enum ValueFault: Sendable {
    /// A text where a number belongs, or a part of a coded metric's number.
    case wrongKind(Metric)
    /// A unit in which the metric is not reported.
    case unitNotAllowed(Metric, MetricUnit)
  }

  func metric(_ code: UInt16) -> Metric? { vocabulary == .all ? Metric.withCode(code) : Metric.ofContract(code) }

  func unit(_ code: UInt16) -> MetricUnit? {
    vocabulary == .all ? MetricUnit.withCode(code) : MetricUnit.ofContract(code)
  }

  /// Why a value can be none of its metric; nil for one whose metric or unit is not known.
  func fault(of value: RecordValue) -> ValueFault? {
    guard value.metric < Metric.firstVendorCode, let metric = metric(value.metric), let unit = unit(value.unit) else {
      return nil
    }
    guard metric.kind != .text, metric.kind != .code || value.number.exponent == 0 else { return .wrongKind(metric) }
    return metric.allowed(unit) == nil ? .unitNotAllowed(metric, unit) : nil
  }

  /// The range that a person's values lie in and this one does not; nil for a plausible value.
  func exceededRange(of value: RecordValue) -> AllowedUnit? {
    guard let metric = metric(value.metric), let unit = unit(value.unit), let allowed = metric.allowed(unit),
      !allowed.plausible.contains(value.number.doubleValue)
    else { return nil }
    return allowed
  }

  func isPlausible(_ value: RecordValue) -> Bool { exceededRange(of: value) == nil }

  /// Whether every metric, unit and text is known; of a driver's own, the units.
  func isKnown(_ record: Record) -> Bool {
    record.values.allSatisfy { value in
      unit(value.unit) != nil && (value.metric >= Metric.firstVendorCode || metric(value.metric) != nil)
    } && record.notes.allSatisfy { $0.field >= Metric.firstVendorCode || metric($0.field) != nil }
  }

  /// Whether a value is control solution's: never a person's (Glucose Service 1.0.1, section 3.1.1.7).
  static func isControlSolution(_ metric: Metric, _ number: Int64) -> Bool {
    metric.name == "control_solution_glucose" || metric.codes[Int(clamping: number)] == "control_solution"
  }

  /// Whether a systolic pressure is not above its diastolic one: each may be right by itself, and both are wrong together. How they are
  /// to be read changes nothing: what a meter only says to be above such a number is no more to be believed.
  static func hasExchangedPressures(_ values: [RecordValue]) -> Bool {
    func pressure(_ name: String) -> Double? {
      guard let value = values.first(where: { $0.metricName == name }),
        let unit = MetricUnit.withCode(value.unit)
      else { return nil }
      return (try? value.number.converted(from: unit.ucum, to: "mm[Hg]", resolution: .exponent(-4)))?.doubleValue
    }
    guard let systolic = pressure("systolic"), let diastolic = pressure("diastolic") else { return false }
    return systolic <= diastolic
  }
}
