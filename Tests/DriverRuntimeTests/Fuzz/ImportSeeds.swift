import CMeterDriver

import DriverContract
@testable import DriverRuntime

/// An import as it should be.
enum ImportSeeds {
  static let opening = ImportOpening(
    source: "lines", size: 16, unixMicroseconds: 7, utcOffsetSeconds: 3600, since: 1, until: 2,
    wanted: [.steps, .sleep])

  static let facts: [ImportFact] = [
    .started, .bytes([1, 2, 3, 4], offset: 8, isLast: true, token: 10),
    .nothing(status: MH_E_DENIED, token: 10), .ended,
  ]

  static func event(_ fact: ImportFact, _ sequence: UInt64 = 1) -> ImportEvent {
    ImportEvent(sequence: sequence, monotonicNanoseconds: 5, unixMicroseconds: 6, fact: fact)
  }

  static var questions: [ExtensionSeed] {
    facts.map { fact in
      let told = event(fact)
      return ExtensionSeed(.import, ExtensionPayload { told.encode(to: &$0) })
    }
  }

  /// The rows of one round, for tests to change.
  struct Round {
    var samples: [mh_import_sample]
    var attributes: [mh_import_attribute]
    var names: [mh_import_name]
    var counts: [mh_import_count]
    var refusals: [mh_import_refusal]
    var arena: [UInt8]
    var exported: Int64 = 0
    var flags: UInt64 = 0
  }

  private static let arena = "stepssleepWatchcom.example.watchcountnotehillidnap"

  private static func run(_ word: String) -> (off: UInt32, len: UInt32) {
    let bytes = Array(arena.utf8)
    let wanted = Array(word.utf8)
    let first = bytes.indices.first { bytes[$0...].starts(with: wanted) }
    return (UInt32(first ?? 0), UInt32(wanted.count))
  }

  private static func name(_ kind: UInt32, _ index: UInt32, _ quantity: UInt32, _ text: String) -> mh_import_name {
    var name = mh_import_name()
    (name.kind, name.index, name.quantity) = (UInt16(kind), index, UInt16(quantity))
    (name.text_off, name.text_len) = run(text)
    return name
  }

  private static func sample(_ type: UInt32, from start: Int64, to end: Int64) -> mh_import_sample {
    var sample = mh_import_sample()
    (sample.type, sample.start_us, sample.end_us, sample.utc_offset_s) = (type, start, end, .min)
    sample.unit = .max
    return sample
  }

  /// Steps with a note, and a stage of sleep with a part of it; their names, counts, and one refusal.
  static var round: Round {
    var source = name(MH_NAME_SOURCE, 0, 0, "Watch")
    (source.key_off, source.key_len) = run("com.example.watch")
    (source.rank, source.flags) = (2, MH_SOURCE_WATCH)
    var type = name(MH_NAME_TYPE, 0, MH_QTY_STEPS, "steps")
    (type.key_off, type.key_len) = run("count")
    var order = mh_import_name()
    (order.kind, order.quantity, order.rank) = (UInt16(MH_NAME_ORDER), UInt16(MH_QTY_SLEEP), 1)
    var steps = sample(0, from: 1_000_000, to: 2_000_000)
    (steps.mantissa, steps.exponent, steps.flags, steps.unit) = (1234, -2, UInt16(MH_SAMPLE_HAS_VALUE), 0)
    (steps.id_off, steps.id_len) = run("id")
    (steps.n_attributes, steps.utc_offset_s, steps.place) = (1, 3600, 99)
    var night = sample(1, from: 0, to: 9_000_000)
    night.word = MH_SLEEP_SESSION
    var part = sample(1, from: 0, to: 3_000_000)
    (part.word, part.flags) = (MH_SLEEP_DEEP, UInt16(MH_SAMPLE_PART))
    (part.text_off, part.text_len) = run("nap")
    (part.first_attribute, part.n_attributes) = (1, 1)
    var note = mh_import_attribute()
    note.unit = .max
    (note.text_off, note.text_len) = run("hill")
    var number = mh_import_attribute()
    (number.mantissa, number.flags, number.unit) = (5, UInt16(MH_SAMPLE_HAS_VALUE), 0)
    return Round(
      samples: [steps, night, part], attributes: [note, number],
      names: [
        type, name(MH_NAME_TYPE, 1, MH_QTY_SLEEP, "sleep"), source, order,
        name(MH_NAME_UNIT, 0, 0, "count"), name(MH_NAME_KEY, 0, 0, "note"),
      ],
      counts: [mh_import_count(type: 0, reserved: 0, count: 1), mh_import_count(type: 1, reserved: 0, count: 2)],
      refusals: [mh_import_refusal(reason: MH_REFUSED_TIME, type: .max, count: 1, place: 40)],
      arena: Array(arena.utf8), exported: 1_700_000_000_000_000, flags: UInt64(MH_IMPORT_PARTIAL))
  }

  static func unit(_ rounds: [Round]) -> RawImportUnit {
    var writer = WireWriter()
    for round in rounds {
      writer.putRaw(round.samples)
      writer.putRaw(round.attributes)
      writer.putRaw(round.names)
      writer.putRaw(round.counts)
      writer.putRaw(round.refusals)
      writer.putRaw(round.arena)
    }
    return RawImportUnit(
      status: MH_OK,
      rounds: rounds.map {
        RawImportRound(
          samples: UInt32($0.samples.count), attributes: UInt32($0.attributes.count), names: UInt32($0.names.count),
          counts: UInt32($0.counts.count), refusals: UInt32($0.refusals.count), arena: UInt32($0.arena.count),
          exportedMicroseconds: $0.exported, flags: $0.flags)
      },
      actions: [RawTalkAction(kind: MH_TALK_PULL, token: 10, first: 8, second: 8)],
      logs: [DriverLogLine(level: .info, message: "one")], content: writer.bytes[...])
  }

  /// A second round with what the first has named.
  static var second: Round {
    var sample = sample(0, from: 5_000_000, to: 5_000_000)
    (sample.mantissa, sample.flags) = (1, UInt16(MH_SAMPLE_HAS_VALUE))
    return Round(samples: [sample], attributes: [], names: [], counts: [], refusals: [], arena: [])
  }

  static var unit: RawImportUnit { unit([round, second]) }

  static var answers: [ExtensionSeed] { [ExtensionSeed(.import, unit.payload)] }
}
