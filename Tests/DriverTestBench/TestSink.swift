import CMeterDriver
import Testing

/// The host's arrays for one round, behind a guard value that shows an overrun.
final class TestSink {
  private let records: UnsafeMutablePointer<mh_record>
  private let values: UnsafeMutablePointer<mh_value>
  private let arena: UnsafeMutablePointer<UInt8>
  private let texts: UnsafeMutablePointer<mh_text>
  private let capacities: Capacities
  private let state: HostState
  var sink = mh_sink()

  init(_ capacities: Capacities, _ state: HostState, actions: Bool = true) {
    self.capacities = capacities
    self.state = state
    records = .allocate(capacity: capacities.records + 1)
    values = .allocate(capacity: capacities.values + 1)
    arena = .allocate(capacity: capacities.arena + 1)
    texts = .allocate(capacity: capacities.texts + 1)
    records[capacities.records].kind = 0xdead_beef
    values[capacities.values].metric = 0xdead
    arena[capacities.arena] = 0xa5
    texts[capacities.texts].field = 0xdead
    sink.struct_size = UInt32(MemoryLayout<mh_sink>.size)
    sink.records = records
    sink.values = values
    sink.arena = arena
    sink.texts = texts
    sink.cap_records = UInt64(capacities.records)
    sink.cap_values = UInt64(capacities.values)
    sink.cap_arena = UInt64(capacities.arena)
    sink.cap_texts = UInt64(capacities.texts)
    sink.ctx = Unmanaged.passUnretained(state).toOpaque()
    state.actionsLeft = actions ? capacities.actionsPerRound : -1
    sink.act = { context, action in
      guard let state = hostState(context), let action = action?.pointee else { return MH_E_ARG }
      if state.actionsLeft < 0 { return MH_E_DENIED }
      if state.actionsLeft == 0 { return MH_E_FULL }
      state.actionsLeft -= 1
      state.actions.append(
        TestAction(
          kind: action.kind, token: action.token, handle: action.handle, argument: action.arg, code: action.code,
          flags: action.flags, argument2: action.arg2, value: bytes(action.value), text: text(action.text)))
      return MH_OK
    }
  }

  deinit {
    #expect(records[capacities.records].kind == 0xdead_beef)
    #expect(values[capacities.values].metric == 0xdead)
    #expect(arena[capacities.arena] == 0xa5)
    #expect(texts[capacities.texts].field == 0xdead)
    records.deallocate()
    values.deallocate()
    arena.deallocate()
    texts.deallocate()
  }

  /// Copies the records out, checking that every run lies inside its array (rule R12).
  func take(_ range: Range<Int>? = nil) -> [TestRecord] {
    #expect(sink.n_records <= sink.cap_records && sink.n_values <= sink.cap_values && sink.n_arena <= sink.cap_arena)
    return (range ?? 0..<Int(sink.n_records)).map { index in
      let record = records[index]
      let first = Int(record.first_value)
      let offset = Int(record.ident_off)
      #expect(first + Int(record.n_values) <= Int(sink.n_values))
      #expect(offset + Int(record.ident_len) <= Int(sink.n_arena))
      #expect((1...4).contains(record.kind) && (1...2).contains(record.ident_class))
      #expect(record.end_us >= record.t_us)
      #expect((record.utc_offset_s == mh_offset_unknown()) == (record.time_kind != UInt16(MH_TIME_CIVIL_OFFSET)))
      return TestRecord(
        kind: record.kind, flags: record.flags & ~MH_REC_USER, timeKind: record.time_kind, time: record.t_us,
        sequence: record.device_seq, identity: (0..<Int(record.ident_len)).map { arena[offset + $0] },
        identityClass: record.ident_class,
        values: (0..<Int(record.n_values)).map { index in
          let value = values[first + index]
          #expect(value.value.isFinite && value.qualifier <= 3 && UInt32(value.flags) <= MH_VALUE_ROUNDED)
          return TestValue(
            metric: value.metric, unit: value.unit, exponent: value.exp10, qualifier: value.qualifier,
            value: value.value, raw: value.raw, flags: value.flags)
        }, deviceUser: record.flags & MH_REC_USER == 0 ? nil : record.device_user, group: record.group,
        length: record.end_us - record.t_us,
        utcOffsetSeconds: record.utc_offset_s == mh_offset_unknown() ? nil : record.utc_offset_s,
        texts: textsOf(record))
    }
  }

  private func textsOf(_ record: mh_record) -> [UInt16: String] {
    #expect(Int(record.first_text) + Int(record.n_texts) <= Int(sink.n_texts))
    var found: [UInt16: String] = [:]
    for index in 0..<Int(record.n_texts) {
      let text = texts[Int(record.first_text) + index]
      #expect(Int(text.off) + Int(text.len) <= Int(sink.n_arena))
      found[text.field] = String(
        decoding: (0..<Int(text.len)).map { arena[Int(text.off) + $0] }, as: UTF8.self)
    }
    return found
  }
}
