import CMeterDriver
import DriverContract
import HostPrimitives

/// Host-owned buffers for the unit of a conversation: a sink of records, and beside it segments, series, actions and keys.
final class ConversationSink {
  private let base = Sink(.event, takesActions: false)
  private let extents: UnsafeMutablePointer<mh_talk_extent>
  private let segments: UnsafeMutablePointer<mh_talk_segment>
  private let series: UnsafeMutablePointer<mh_talk_series>
  private let points: UnsafeMutablePointer<Double>
  /// What the driver sees. It may scribble over it: only the counts are read back, against the host's own capacities.
  let table: UnsafeMutablePointer<mh_talk_sink>

  /// Of the event so far, over all its rounds.
  private(set) var actions = TakenActions()
  private var writes: [ExactText: [UInt8]] = [:]

  private static let records = SinkCapacity.event.records
  private static let mostSegments = Int(MH_TALK_SEGMENTS_MIN)
  private static let mostSeries = Int(MH_TALK_SERIES_MIN)
  private static let mostPoints = Int(MH_TALK_POINTS_MIN)

  init() {
    extents = .allocate(capacity: Self.records)
    segments = .allocate(capacity: Self.mostSegments)
    series = .allocate(capacity: Self.mostSeries)
    points = .allocate(capacity: Self.mostPoints)
    table = .allocate(capacity: 1)
    startRound()
  }

  deinit {
    extents.deallocate()
    segments.deallocate()
    series.deallocate()
    points.deallocate()
    table.deallocate()
  }

  /// Forgets the event before.
  func startEvent() {
    actions = TakenActions()
    writes.removeAll()
  }

  /// Empties the buffers and undoes whatever the driver did to the tables.
  func startRound() {
    base.startRound()
    extents.initialize(
      repeating: mh_talk_extent(first_segment: 0, n_segments: 0, first_series: 0, n_series: 0), count: Self.records)
    table.initialize(
      to: mh_talk_sink(
        struct_size: UInt32(MemoryLayout<mh_talk_sink>.size), reserved: 0, base: base.table, extents: extents,
        segments: segments, n_segments: 0, cap_segments: UInt64(Self.mostSegments),
        series: series, n_series: 0, cap_series: UInt64(Self.mostSeries),
        points: points, n_points: 0, cap_points: UInt64(Self.mostPoints),
        act: { _, action in ConversationSink.current?.actions.take(action) ?? MH_E_DENIED },
        set: { _, key, value in ConversationSink.current?.set(key, value) ?? MH_E_DENIED }, ctx: nil))
  }

  /// What lies in the buffers now; nil when a count exceeds its capacity.
  var round: RawTalkRound? {
    let counts = table.pointee
    guard let output = base.output, counts.n_segments <= UInt64(Self.mostSegments),
      counts.n_series <= UInt64(Self.mostSeries), counts.n_points <= UInt64(Self.mostPoints)
    else { return nil }
    return RawTalkRound(
      output: RawOutput(output),
      extents: Array(UnsafeBufferPointer(start: extents, count: output.records.count)),
      segments: Array(UnsafeBufferPointer(start: segments, count: Int(counts.n_segments))),
      series: Array(UnsafeBufferPointer(start: series, count: Int(counts.n_series))),
      points: Array(UnsafeBufferPointer(start: points, count: Int(counts.n_points))))
  }

  /// How much the event has given beside records; grows whenever something new is taken.
  var taken: Int { actions.list.count + writes.count }

  /// The keys of the event, ordered.
  var orderedWrites: [DriverStorageWrite] {
    writes.sorted { $0.key < $1.key }.map { DriverStorageWrite(key: $0.key.text, value: $0.value) }
  }

  /// The sink of the call that this thread is inside; nothing that a driver passes is followed (rule R7).
  private static var current: ConversationSink? { CallContext.current?.extensionSink as? ConversationSink }

  private func set(_ key: mh_str, _ value: mh_bytes) -> Int32 {
    guard let name = HostServices.text(key), DriverStorage.isKey(name) else { return MH_E_ARG }
    guard !DriverStorage.isSecret(name), value.n <= UInt64(MH_VALUE_MAX) else { return MH_E_DENIED }
    guard let bytes = HostServices.borrowed(value.p, value.n) else { return MH_E_ARG }
    var after = writes
    after[ExactText(name)] = Array(bytes)
    let size = after.reduce(0) { $0 + $1.key.text.utf8.count + $1.value.count }
    guard size <= Int(MH_STORAGE_MAX) else { return MH_E_DENIED }
    writes = after
    return MH_OK
  }
}
