/// Reads a draft's words against the dictionary and the host's tables.
struct DraftReader {
  let type: RecordType
  let names: MetricNames
  let keepsImplausible: Bool

  func values(_ drafts: [RecordDraft.Value], _ place: String) throws(DraftError) -> [RecordValue] {
    var result: [RecordValue] = []
    var codes: Set<UInt16> = []
    for (index, draft) in drafts.enumerated() {
      let place = "\(place)[\(index)]"
      let (metric, unit) = try resolve(draft.metric, draft.unit, place)
      guard codes.insert(metric.code).inserted else {
        throw DraftError(.duplicate, place, "\(draft.metric) is there twice; which value is right cannot be told")
      }
      let number =
        metric.kind == .code ? try code(draft.value, metric, place) : try Self.number(draft.value, place)
      let value = RecordValue(metric: metric.code, unit: unit.code, number: number, qualifier: draft.qualifier)
      try check(value, of: metric, place)
      result.append(value)
    }
    return result
  }

  func channels(_ drafts: [RecordDraft.Channel], in time: RecordTime) throws(DraftError) -> [RecordSeries.Channel] {
    var result: [RecordSeries.Channel] = []
    for (index, draft) in drafts.enumerated() {
      let place = "channels[\(index)]"
      let (metric, unit) = try resolve(draft.metric, draft.unit, place)
      guard metric.kind == .quantity, !result.contains(where: { $0.metric == metric.code }) else {
        throw DraftError(.duplicate, place, "\(draft.metric) is there twice, or is no quantity")
      }
      let points = try points(draft.points, metric, unit, place)
      let channel = RecordSeries.Channel(metric: metric.code, unit: unit.code, points: points)
      guard let first = channel.points.first, let last = channel.points.last else {
        throw DraftError(.badSeries, place, "a series needs points")
      }
      guard first.timeMicroseconds >= time.startMicroseconds, last.timeMicroseconds <= time.endMicroseconds else {
        throw DraftError(.badSeries, place, "the points reach out of their record's time")
      }
      guard
        !zip(channel.points, channel.points.dropFirst()).contains(where: { $0.timeMicroseconds == $1.timeMicroseconds })
      else { throw DraftError(.badSeries, place, "two points have one time") }
      result.append(channel)
    }
    return result
  }

  private func points(
    _ drafts: [RecordDraft.Point], _ metric: Metric, _ unit: MetricUnit, _ place: String
  ) throws(DraftError) -> [RecordSeries.Point] {
    var result: [RecordSeries.Point] = []
    for (index, draft) in drafts.enumerated() {
      let place = "\(place).points[\(index)]"
      let number = try Self.number(draft.value, place)
      try check(RecordValue(metric: metric.code, unit: unit.code, number: number), of: metric, place)
      result.append(
        RecordSeries.Point(
          timeMicroseconds: draft.timeMicroseconds, number: number, qualifier: draft.qualifier,
          isScheduled: draft.isScheduled))
    }
    return result
  }

  /// The metric and unit that a name and a UCUM text mean in a record of this type.
  private func resolve(
    _ name: String, _ ucum: String?, _ place: String
  ) throws(DraftError) -> (metric: Metric, unit: MetricUnit) {
    let named = names.metrics(named: name).filter { $0.kind != .text }
    guard !named.isEmpty else {
      throw DraftError(.unknownMetric, place, "there is no metric of this name", allowed: Self.names(in: type))
    }
    let fitting = named.filter { $0.belongs(to: type) }
    guard let first = fitting.first else {
      let types = RecordType.allCases.filter { type in named.contains { $0.belongs(to: type) } }
      throw DraftError(
        .notOfType, place, "\(name) does not belong to \(type.rawValue)", allowed: types.map(\.rawValue))
    }
    let units = fitting.flatMap(\.units).map(\.ucum)
    guard let ucum = ucum ?? (Set(units).count == 1 || first.kind == .code ? units.first : nil) else {
      throw DraftError(.unitNotAllowed, place, "\(name) needs a unit", allowed: units)
    }
    guard let unit = MetricUnit.withUCUM(ucum), let metric = fitting.first(where: { $0.allowed(unit) != nil }) else {
      throw DraftError(.unitNotAllowed, place, "\(name) is not reported in this unit", allowed: units)
    }
    return (metric, unit)
  }

  private static func names(in type: RecordType) -> [String] {
    Metric.all.filter { $0.kind != .text && $0.belongs(to: type) }.map(\.name)
  }

  static func number(_ text: String, _ place: String) throws(DraftError) -> ReportedNumber {
    guard let number = ReportedNumber(decimal: text) else {
      throw DraftError(
        .notANumber, place,
        "the value is no decimal number of at most 18 digits, 18 places on either side of the point",
        allowed: ["-0.5", "112", "6.20"])
    }
    return number
  }

  private func code(_ text: String, _ metric: Metric, _ place: String) throws(DraftError) -> ReportedNumber {
    let known = metric.codes.sorted { $0.key < $1.key }
    guard let code = known.first(where: { $0.value == text || String($0.key) == text })?.key else {
      throw DraftError(.unknownWord, place, "\(metric.name) has no such word", allowed: known.map(\.value))
    }
    guard !RecordRules.isControlSolution(metric, Int64(code)) else {
      throw DraftError(.unknownWord, place, "control solution is never a value of a person")
    }
    return ReportedNumber(mantissa: Int64(code), exponent: 0)
  }

  private func check(_ value: RecordValue, of metric: Metric, _ place: String) throws(DraftError) {
    if let fault = RecordRules.all.fault(of: value) { throw DraftError(fault, at: place) }
    guard !keepsImplausible, let allowed = RecordRules.all.exceededRange(of: value) else { return }
    let range = allowed.plausible
    throw DraftError(
      .implausible, place, "\(metric.name) is outside what a person can have",
      allowed: ["\(range.lowerBound)...\(range.upperBound) \(allowed.ucum)"])
  }
}
