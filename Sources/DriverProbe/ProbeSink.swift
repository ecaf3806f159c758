import DriverRuntime
import CMeterDriver

/// A sink of a probe: as the runtime's, but for its size, and nothing can be written behind its arrays (rule R13).
final class ProbeSink {
  let capacity: SinkCapacity
  /// Takes the actions.
  let actions: Sink
  private let records: GuardedRoom<mh_record>
  private let values: GuardedRoom<mh_value>
  private let texts: GuardedRoom<mh_text>
  private let arena: GuardedRoom<UInt8>
  private var table: UnsafeMutablePointer<mh_sink>?

  /// What every empty sink holds at least, and one record.
  private static let smallest = SinkCapacity(
    records: 1, values: Int(MH_SINK_VALUES_MIN), texts: Int(MH_SINK_TEXTS_MIN), arena: Int(MH_SINK_ARENA_MIN))

  init(_ manner: ProbeManner, takesActions: Bool) {
    capacity = manner.contains(.smallSinks) ? Self.smallest : takesActions ? .event : .decode
    actions = Sink(SinkCapacity(records: 0, values: 0, texts: 0, arena: 0), takesActions: takesActions)
    records = GuardedRoom(capacity.records)
    values = GuardedRoom(capacity.values)
    texts = GuardedRoom(capacity.texts)
    arena = GuardedRoom(capacity.arena)
  }

  /// Empties it, and lends it for a call.
  func startRound(_ memory: LentMemory) -> UnsafeMutablePointer<mh_sink> {
    actions.startRound()
    var sink = actions.table.pointee
    (sink.records, sink.values, sink.texts, sink.arena) = (records.start, values.start, texts.start, arena.start)
    (sink.cap_records, sink.cap_values) = (UInt64(capacity.records), UInt64(capacity.values))
    (sink.cap_texts, sink.cap_arena) = (UInt64(capacity.texts), UInt64(capacity.arena))
    let lent = memory.lendGrowing(sink)
    table = lent
    return lent
  }

  /// A copy of what lies in it, before the call's memory is taken back; nil when a count exceeds its capacity.
  func output() -> RawOutput? {
    guard let counts = table?.pointee, counts.n_records <= UInt64(capacity.records),
      counts.n_values <= UInt64(capacity.values), counts.n_texts <= UInt64(capacity.texts),
      counts.n_arena <= UInt64(capacity.arena)
    else { return nil }
    return RawOutput(
      OutputView(
        records: UnsafeBufferPointer(start: records.start, count: Int(counts.n_records)),
        values: UnsafeBufferPointer(start: values.start, count: Int(counts.n_values)),
        texts: UnsafeBufferPointer(start: texts.start, count: Int(counts.n_texts)),
        arena: UnsafeBufferPointer(start: arena.start, count: Int(counts.n_arena))))
  }
}
