import DriverContract
import CLinux
package import CMeterDriver

/// How much a sink takes before the driver has to say `MH_E_FULL`.
package struct SinkCapacity {
  package var records: Int
  package var values: Int
  package var texts: Int
  package var arena: Int

  package init(records: Int, values: Int, texts: Int, arena: Int) {
    (self.records, self.values, self.texts, self.arena) = (records, values, texts, arena)
  }

  /// One round of an event; more rounds follow (rule R13).
  package static let event = SinkCapacity(records: 256, values: 2048, texts: 256, arena: 32 << 10)
  /// One round of `decode`: what the driver has written is still in the processor's cache when it is checked and used.
  package static let decode = SinkCapacity(records: 256, values: 1024, texts: 256, arena: 16 << 10)
  /// What the texts of one display mean: a few records.
  package static let display = SinkCapacity(records: 8, values: 64, texts: 16, arena: 4 << 10)
  /// One round of `decode` in a worker: a batch of 4096 values fits, because every round is a message.
  package static let decodeMessage = SinkCapacity(records: 4096, values: 16384, texts: 4096, arena: 256 << 10)
}

/// Host-owned buffers that a driver fills; used again for every round (rules R6, R13).
package final class Sink {
  package let capacity: SinkCapacity
  private let records: UnsafeMutablePointer<mh_record>
  private let values: UnsafeMutablePointer<mh_value>
  private let texts: UnsafeMutablePointer<mh_text>
  private let arena: UnsafeMutablePointer<UInt8>
  /// What the driver sees. It may scribble over it: only the counts are read back, against the host's own capacities.
  package let table: UnsafeMutablePointer<mh_sink>

  /// Actions of the event so far; they are counted over all its rounds (rule R11).
  package var actions: [RawAction] = []
  /// What was refused in this round: a driver that goes on as if it had been taken is faulty.
  package private(set) var refused: String?
  /// False inside `decode`.
  package let takesActions: Bool

  package init(_ capacity: SinkCapacity, takesActions: Bool) {
    self.capacity = capacity
    self.takesActions = takesActions
    records = .allocate(capacity: capacity.records)
    values = .allocate(capacity: capacity.values)
    texts = .allocate(capacity: capacity.texts)
    arena = .allocate(capacity: capacity.arena)
    table = .allocate(capacity: 1)
    startRound()
  }

  deinit {
    records.deallocate()
    values.deallocate()
    texts.deallocate()
    arena.deallocate()
    table.deallocate()
  }

  /// Empties the buffers and undoes whatever the driver did to the table.
  package func startRound() {
    refused = nil
    table.initialize(
      to: mh_sink(
        struct_size: UInt32(MemoryLayout<mh_sink>.size), reserved: 0,
        records: records, n_records: 0, cap_records: UInt64(capacity.records),
        values: values, n_values: 0, cap_values: UInt64(capacity.values),
        texts: texts, n_texts: 0, cap_texts: UInt64(capacity.texts),
        arena: arena, n_arena: 0, cap_arena: UInt64(capacity.arena),
        act: { _, action in Sink.take(action) }, ctx: nil))
  }

  /// What lies in the buffers now; nil when a count exceeds its capacity.
  package var output: OutputView? {
    let counts = table.pointee
    guard counts.n_records <= UInt64(capacity.records), counts.n_values <= UInt64(capacity.values),
      counts.n_texts <= UInt64(capacity.texts), counts.n_arena <= UInt64(capacity.arena)
    else { return nil }
    return OutputView(
      records: UnsafeBufferPointer(start: records, count: Int(counts.n_records)),
      values: UnsafeBufferPointer(start: values, count: Int(counts.n_values)),
      texts: UnsafeBufferPointer(start: texts, count: Int(counts.n_texts)),
      arena: UnsafeBufferPointer(start: arena, count: Int(counts.n_arena)))
  }

  private static func take(_ action: UnsafePointer<mh_action>?) -> Int32 {
    guard let call = CallContext.current, let sink = call.sink, sink.takesActions else { return MH_E_DENIED }
    guard let action, UnsafeRawPointer(action).loadUnaligned(as: UInt32.self) >= FrozenSize.action else {
      return sink.refuse("an action whose struct is too short")
    }
    let given = grownStruct(action, empty: mh_action())
    // A driver of a later minor finds out in this way what this host can do.
    guard ActionCheck.isKnown(kind: given.kind, flags: given.flags, code: given.code) else {
      let what = "action \(given.kind) (flags \(given.flags), code \(given.code))"
      call.log.note(
        "\(what) is unknown to this host and was not taken [rule R11]", now: call.logTime ?? clinux_monotonic())
      return MH_E_UNSUPPORTED
    }
    guard sink.actions.count < Int(MH_ACTIONS_MAX) else {
      _ = sink.refuse("more than \(MH_ACTIONS_MAX) actions")
      return MH_E_FULL
    }
    guard given.value.n <= UInt64(MH_ACTION_VALUE_MAX), given.text.n <= UInt64(MH_ACTION_TEXT_MAX),
      let value = HostServices.borrowed(given.value.p, given.value.n),
      let text = HostServices.borrowed(given.text.p, given.text.n)
    else { return sink.refuse("action \(given.kind) with a value or text that is too long") }
    sink.actions.append(
      RawAction(
        kind: given.kind, token: given.token, first: given.arg, second: given.arg2, handle: given.handle,
        flags: given.flags, code: given.code, value: Array(value), text: Array(text)))
    return MH_OK
  }

  private func refuse(_ what: String) -> Int32 {
    refused = refused ?? what
    return MH_E_ARG
  }
}
