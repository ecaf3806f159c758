import DriverContract

/// Brings the context of a measurement to it when they came in different units of a session (rule R12).
///
/// A context that is first waits for its measurement; one that is late brings its measurement along again, which the
/// store keeps as a revision.
struct ContextJoiner {
  /// Most contexts that wait, and most measurements that are remembered.
  static let limit = 1024

  private var waiting: [DriverRecord] = []
  private var recent: [UInt64: DriverRecord] = [:]
  private var recentOrder: [UInt64] = []

  /// What a unit amounts to together with what came before it, and how many contexts were given up for it.
  mutating func join(_ batch: [DriverRecord]) -> (records: [DriverRecord], lost: Int) {
    guard batch.contains(where: { $0.deviceSequence != nil && $0.kind != .diagnostic }) else { return (batch, 0) }
    let measured = Set(batch.filter { $0.kind == .measurement }.compactMap(\.deviceSequence))
    var records = waiting.filter { $0.deviceSequence.map(measured.contains) ?? false }
    waiting.removeAll { $0.deviceSequence.map(measured.contains) ?? false }
    var again: Set<UInt64> = []
    for record in batch {
      guard record.kind == .context, let sequence = record.deviceSequence, !measured.contains(sequence) else {
        records.append(record)
        continue
      }
      guard let measurement = recent[sequence] else {
        waiting.append(record)
        continue
      }
      if again.insert(sequence).inserted { records.append(measurement) }
      records.append(record)
    }
    for sequence in measured.union(again) { remember(sequence, in: records) }
    let lost = max(0, waiting.count - Self.limit)
    waiting.removeFirst(lost)
    return (records, lost)
  }

  /// How many contexts wait in vain when the session is over.
  var unmatched: Int { waiting.count }

  private mutating func remember(_ sequence: UInt64, in records: [DriverRecord]) {
    guard let measurement = records.last(where: { $0.kind == .measurement && $0.deviceSequence == sequence }) else {
      return
    }
    let contexts = records.filter { $0.kind == .context && $0.deviceSequence == sequence }
    if recent.updateValue(RecordAdmission.join(measurement, contexts), forKey: sequence) == nil {
      recentOrder.append(sequence)
    }
    if recentOrder.count > Self.limit { recent[recentOrder.removeFirst()] = nil }
  }
}
