extension Metric {
  /// Types of record in which metrics of the contract's dictionary may stand beside the one that they make.
  static let contractElsewhere: [UInt16: Set<RecordType>] = [
    1: [.intraday, .cgm], 10: [.intraday, .sleep], 20: [.intraday], 21: [.intraday],
    23: [.weight, .fitness, .intraday], 24: [.weight, .fitness, .sleep, .intraday], 30: [.sleep, .intraday],
    304: Set(RecordType.allCases),
  ]

  /// The first code of the dictionary that says something about the meter and nothing about a person.
  private static let firstDeviceCode: UInt16 = 200
  private static let readings: Set<RecordType> = [.biometrics, .diabetes, .weight]

  /// Whether a record of a type may have this metric: its own type, a further one, or, for facts such as the sample, any
  /// type of single readings.
  package func belongs(to type: RecordType) -> Bool {
    if otherTypes.contains(type) { return true }
    if isPrimary || isHostsOwn { return recordType == type }
    return code < Self.firstDeviceCode && Self.readings.contains(type)
  }

  /// The metrics that the dictionary or the host calls so: one or none. ``MetricNames`` has other names, too.
  public static func named(_ name: String) -> [Metric] { byName[name].map { [$0] } ?? [] }

  private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}
