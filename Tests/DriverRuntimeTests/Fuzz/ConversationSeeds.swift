import CMeterDriver

import DriverContract
@testable import DriverRuntime

/// A conversation as it should be.
enum ConversationSeeds {
  static let opening = ConversationOpening(source: "groups", size: 16, unixMicroseconds: 7, utcOffsetSeconds: 3600)

  static let facts: [ConversationFact] = [
    .started, .bytes([1, 2, 3, 4], offset: 8, isLast: true, token: 10), .timer(token: 30),
    .answer(status: MH_E_DENIED, token: 40), .value([1], token: 20), .value(nil, token: 20), .committed(through: 3),
    .ended,
  ]

  static func event(_ fact: ConversationFact, _ sequence: UInt64 = 1) -> ConversationEvent {
    ConversationEvent(sequence: sequence, monotonicNanoseconds: 5, unixMicroseconds: 6, fact: fact)
  }

  static var questions: [ExtensionSeed] {
    facts.map { fact in
      let told = event(fact)
      return ExtensionSeed(.conversation, ExtensionPayload { told.encode(to: &$0) })
    }
  }

  /// A record of a minute with two segments and a series of three points.
  static var round: RawTalkRound {
    var record = mh_record()
    (record.kind, record.time_kind) = (UInt32(MH_KIND_MEASUREMENT), UInt16(MH_TIME_UTC))
    (record.ident_class, record.ident_len, record.n_values) = (UInt16(MH_IDENT_STORED), 2, 1)
    (record.t_us, record.end_us) = (1_000_000, 61_000_000)
    (record.utc_offset_s, record.device_seq) = (mh_offset_unknown(), mh_seq_none())
    return RawTalkRound(
      output: RawOutput(records: [record], values: [value(6)], texts: [], arena: [1, 2]),
      extents: [mh_talk_extent(first_segment: 0, n_segments: 2, first_series: 0, n_series: 1)],
      segments: [
        mh_talk_segment(start_us: 1_000_000, end_us: 31_000_000, value: value(1)),
        mh_talk_segment(start_us: 31_000_000, end_us: 61_000_000, value: value(2)),
      ],
      series: [
        mh_talk_series(
          start_us: 1_000_000, step_us: 30_000_000, metric: UInt16(MH_METRIC_BLOOD_GLUCOSE),
          unit: UInt16(MH_UNIT_MG_PER_DL), first_point: 0, n_points: 3, reserved: 0)
      ], points: [1, 2.5, 4])
  }

  static func value(_ raw: Int64) -> mh_value {
    var value = mh_value()
    (value.metric, value.unit) = (UInt16(MH_METRIC_BLOOD_GLUCOSE), UInt16(MH_UNIT_MG_PER_DL))
    (value.raw, value.value) = (raw, Double(raw))
    return value
  }

  static var unit: RawTalkUnit {
    RawTalkUnit(
      status: MH_OK, rounds: [round],
      actions: [
        RawTalkAction(kind: MH_TALK_ACKNOWLEDGE, token: 40, first: 16),
        RawTalkAction(kind: MH_TALK_PULL, token: 10, first: 16, second: 8),
      ], writes: [DriverStorageWrite(key: "user/cursor", value: [7])],
      logs: [DriverLogLine(level: .info, message: "one")])
  }

  static var answers: [ExtensionSeed] {
    let unit = unit
    return [ExtensionSeed(.conversation, ExtensionPayload { unit.encode(to: &$0) })]
  }
}
