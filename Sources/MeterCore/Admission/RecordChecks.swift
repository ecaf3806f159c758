import DriverContract

/// The checks of one reported record against the dictionary.
enum RecordChecks {
  /// Drivers compute the double themselves; a few roundings apart is agreement, a wrong exponent is not (rule R12).
  private static let tolerance = 1e-9

  static func values(_ reported: DriverRecord) throws(AdmissionRejection) -> [RecordValue] {
    var result: [RecordValue] = []
    for (index, value) in reported.values.enumerated() { result.append(try check(value, index)) }
    guard result.contains(where: { $0.metric < Metric.firstContextCode || $0.metric >= Metric.firstVendorCode }) else {
      throw AdmissionRejection(code: .noValue, message: "a measurement has no measured value")
    }
    return result
  }

  private static func check(_ value: DriverValue, _ index: Int) throws(AdmissionRejection) -> RecordValue {
    let number = ReportedNumber(mantissa: value.raw, exponent: value.exponent)
    let exact = number.doubleValue
    guard value.value.isFinite, exact.isFinite, abs(value.value - exact) <= abs(exact) * tolerance else {
      throw AdmissionRejection(
        code: .inconsistentNumber,
        message: "value \(index) (metric \(value.metric)): its double is not raw * 10^exponent (R12)")
    }
    let result = RecordValue(
      metric: value.metric, unit: value.unit, number: number, qualifier: ValueQualifier(value.qualifier),
      isRounded: value.isRounded)
    // A newer driver may know more than this host: kept, and held.
    switch RecordRules.contract.fault(of: result) {
    case nil: return result
    case .wrongKind(let metric):
      throw AdmissionRejection(
        code: .wrongKind, message: "value \(index): \(metric.name) is a \(metric.kind.rawValue)")
    case .unitNotAllowed(let metric, let unit):
      let units = metric.units.map(\.ucum).joined(separator: ", ")
      throw AdmissionRejection(
        code: .unitNotAllowed,
        message: "value \(index): \(metric.name) in unit \(unit.ucum); allowed: \(units)")
    }
  }

  static func texts(_ reported: DriverRecord) throws(AdmissionRejection) {
    for note in reported.texts where note.field < Metric.firstVendorCode {
      guard Metric.ofContract(note.field).map({ $0.kind == .text }) ?? true else {
        throw AdmissionRejection(code: .wrongKind, message: "text field \(note.field) is no text of the dictionary")
      }
    }
  }

  static func flags(_ reported: DriverRecord) -> RecordFlags {
    var flags: RecordFlags = []
    if reported.flags.contains(.control) || reported.values.contains(where: isControl) { flags.insert(.control) }
    if reported.flags.contains(.clockSuspect) { flags.insert(.clockSuspect) }
    if reported.flags.contains(.tombstone) { flags.insert(.takenBack) }
    if reported.flags.contains(.provisional) { flags.insert(.provisional) }
    return flags
  }

  /// Control solution by metric, sample type or sample location: a driver that forgets the flag must not make it a
  /// person's value.
  private static func isControl(_ value: DriverValue) -> Bool {
    Metric.ofContract(value.metric).map { RecordRules.isControlSolution($0, value.raw) } ?? false
  }

  /// Control solution of a record that is made already, by its flag or its values.
  static func isControlSolution(_ record: Record) -> Bool {
    record.flags.contains(.control)
      || record.values.contains { value in
        RecordRules.all.metric(value.metric).map { RecordRules.isControlSolution($0, value.number.mantissa) } ?? false
      }
  }

  static func type(_ values: [RecordValue]) -> RecordType {
    values.lazy.compactMap { Metric.ofContract($0.metric) }.first { $0.isPrimary }?.recordType ?? .biometrics
  }

  /// Why a reading waits for what it says, whoever it belongs to; nil: it need not.
  ///
  /// - Parameter problem: What is wrong with its time.
  static func hold(
    of record: Record, timing problem: HoldReason?, by rules: RecordRules = .contract
  ) -> HoldReason? {
    if !rules.isKnown(record) { return .unknownMetric }
    // Not the driver's fault: a meter may send any exponent.
    if !record.values.allSatisfy(\.number.isWritable) { return .notDeliverable }
    if record.values.contains(where: { $0.qualifier == .questionable }) { return .questionableValue }
    let isPlausible = record.values.allSatisfy(rules.isPlausible)
    if !isPlausible || RecordRules.hasExchangedPressures(record.values) { return .implausibleValue }
    if record.values.contains(where: \.isBeyondRange) { return .beyondRange }
    if let problem { return problem }
    return isUnambiguous(record, rules) ? nil : .notDeliverable
  }

  /// Whether a record measures something that the host knows, or is of words alone, and says each value once.
  private static func isUnambiguous(_ record: Record, _ rules: RecordRules) -> Bool {
    let measured = record.values.map(\.metric).filter { rules.metric($0)?.isPrimary ?? false }
    let isAnything = record.details?.series != nil || !measured.isEmpty || record.isOfWords
    return isAnything && Set(measured).count == measured.count
  }
}
