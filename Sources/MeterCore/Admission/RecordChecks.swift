/// The checks of one reported record against the dictionary.
enum RecordChecks {
  /// Drivers compute the double themselves; a few roundings apart is agreement, a wrong exponent is not (rule R12).
  private static let tolerance = 1e-9

  static func values(_ reported: ReportedRecord) throws(AdmissionRejection) -> [RecordValue] {
    var result: [RecordValue] = []
    for (index, value) in reported.values.enumerated() { result.append(try check(value, index)) }
    guard result.contains(where: { $0.metric < Metric.firstContextCode || $0.metric >= Metric.firstVendorCode }) else {
      throw AdmissionRejection(code: .noValue, message: "a measurement has no measured value")
    }
    return result
  }

  private static func check(_ value: ReportedValue, _ index: Int) throws(AdmissionRejection) -> RecordValue {
    let number = ReportedNumber(mantissa: value.raw, exponent: value.exponent)
    let exact = number.doubleValue
    guard value.value.isFinite, exact.isFinite, abs(value.value - exact) <= abs(exact) * tolerance else {
      throw AdmissionRejection(
        code: .inconsistentNumber,
        message: "value \(index) (metric \(value.metric)): its double is not raw * 10^exponent (R12)")
    }
    let result = RecordValue(
      metric: value.metric, unit: value.unit, number: number, qualifier: value.qualifier, isRounded: value.isRounded)
    guard value.metric < Metric.firstVendorCode else { return result }
    // A newer driver may know more than this host: kept, and held.
    guard let metric = Metric.ofContract(value.metric), let unit = MetricUnit.ofContract(value.unit) else {
      return result
    }
    guard metric.kind != .text, metric.kind != .code || value.exponent == 0 else {
      throw AdmissionRejection(
        code: .wrongKind, message: "value \(index): \(metric.name) is a \(metric.kind.rawValue)")
    }
    guard metric.allowed(unit) != nil else {
      let units = metric.units.map(\.ucum).joined(separator: ", ")
      throw AdmissionRejection(
        code: .unitNotAllowed,
        message: "value \(index): \(metric.name) in unit \(unit.ucum); allowed: \(units)")
    }
    return result
  }

  static func texts(_ reported: ReportedRecord) throws(AdmissionRejection) {
    for note in reported.texts where note.field < Metric.firstVendorCode {
      guard Metric.ofContract(note.field).map({ $0.kind == .text }) ?? true else {
        throw AdmissionRejection(code: .wrongKind, message: "text field \(note.field) is no text of the dictionary")
      }
    }
  }

  static func flags(_ reported: ReportedRecord) -> RecordFlags {
    var flags: RecordFlags = []
    if reported.flags.contains(.control) || reported.values.contains(where: isControl) { flags.insert(.control) }
    if reported.flags.contains(.clockSuspect) { flags.insert(.clockSuspect) }
    if reported.flags.contains(.tombstone) { flags.insert(.takenBack) }
    if reported.flags.contains(.provisional) { flags.insert(.provisional) }
    return flags
  }

  /// Control solution by metric, sample type or sample location: a driver that forgets the flag must not make it a
  /// person's value (Glucose Service 1.0.1, section 3.1.1.7).
  private static func isControl(_ value: ReportedValue) -> Bool {
    guard let metric = Metric.ofContract(value.metric) else { return false }
    return metric.name == "control_solution_glucose" || metric.codes[Int(clamping: value.raw)] == "control_solution"
  }

  static func type(_ values: [RecordValue]) -> RecordType {
    values.lazy.compactMap { Metric.ofContract($0.metric) }.first { $0.isPrimary }?.recordType ?? .biometrics
  }

  /// Whether the dictionary knows every metric, unit and text; of a driver's own, the units.
  static func isKnown(_ record: Record) -> Bool {
    record.values.allSatisfy { value in
      MetricUnit.ofContract(value.unit) != nil
        && (value.metric >= Metric.firstVendorCode || Metric.ofContract(value.metric) != nil)
    } && record.notes.allSatisfy { $0.field >= Metric.firstVendorCode || Metric.ofContract($0.field) != nil }
  }

  static func isPlausible(_ value: RecordValue) -> Bool {
    guard let metric = Metric.ofContract(value.metric), let unit = MetricUnit.ofContract(value.unit),
      let allowed = metric.allowed(unit)
    else { return true }
    return allowed.plausible.contains(value.number.doubleValue)
  }

  /// Why a reading waits for what it says, whoever it belongs to; nil: it need not.
  ///
  /// - Parameter problem: What is wrong with its time.
  static func hold(of record: Record, timing problem: HoldReason?) -> HoldReason? {
    if !isKnown(record) { return .unknownMetric }
    // Not the driver's fault: a meter may send any exponent.
    if !record.values.allSatisfy(\.number.isWritable) { return .notDeliverable }
    if record.values.contains(where: { $0.qualifier == .questionable }) { return .questionableValue }
    if !record.values.allSatisfy(isPlausible) { return .implausibleValue }
    if record.values.contains(where: \.isBeyondRange) { return .beyondRange }
    if let problem { return problem }
    return isDeliverable(record.values) ? nil : .notDeliverable
  }

  static func isDeliverable(_ values: [RecordValue]) -> Bool {
    let names = values.compactMap { Metric.ofContract($0.metric) }.filter(\.isPrimary).compactMap(\.inform)
    return !names.isEmpty && Set(names).count == names.count
  }
}
