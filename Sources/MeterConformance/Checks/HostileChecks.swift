import DriverProbe
import CMeterDriver
import DriverContract
import HostPrimitives
import MeterDrivers

extension Check {
  /// Bytes that no meter should send, and a host that has less or more than it should.
  static let hostile: [Check] = [
    Check(
      .r24, "hostile-values", "Broken, cut and random bytes are decoded to records that keep the rules, or refused.",
      mend: "check every length and every number of the meter before it is used"
    ) { context in
      guard !context.cases.isEmpty else { return .skipped(context.nothingToDecode) }
      try await context.decodeSpoiled([])
      return .passed
    },
    Check(
      .r24, "hostile-session",
      "A session of broken, cut, doubled and missing values ends, or goes on, without a crash.",
      mend: "expect every event at every time, with any bytes"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      try await context.playSpoiled([])
      return .passed
    },
    Check(
      .r24, "cut-values", "Every value of a session may be cut at every length.",
      mend: "compare with the length before every read"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      try await context.playCut([])
      return .passed
    },
    Check(
      .r6, "bounds", "Nothing is read behind the end of a value, a text or a list.",
      mend: "compare with the length before every read"
    ) { context in
      if context.tapes.isEmpty, context.cases.isEmpty {
        return .skipped("\(context.noSession); \(context.nothingToDecode)")
      }
      return try await context.untouched()
    },
    Check(
      .r22, "declared", "Of a meter the driver uses only what the registry lists.",
      mend: "list the characteristic in the peripheral's services, or leave it alone: discovery is bounded by the list"
    ) { context in
      guard !context.subject.hasMadeUpEntry else { return .skipped(Subject.madeUp) }
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      for read in context.reads {
        for tape in read.tapes where tape.fault == nil && !tape.characteristics.isEmpty {
          let declared = Set(tape.characteristics.map(\.handle))
          let found: (String, String)? = try await context.probing { probe in
            let player = context.player(tape, on: probe)
            try player.open()
            for step in tape.steps {
              var event = step.event
              event.fact = event.fact.withStrangers(of: read.meter)
              guard let unit = try player.play(event) else { break }
              if let handle = unit.actions.compactMap(\.handle).first(where: { !declared.contains($0) }) {
                return (event.fact.name(of: handle), step.event.line)
              }
            }
            try player.close()
            return nil
          }
          if let (name, line) = found {
            return .failed("it uses \(name), which the registry does not list", place: "\(tape.meter): \(line)")
          }
        }
      }
      return .passed
    },
    Check(
      .r23, "no-room", "A key that cannot be written is no reason to crash.",
      mend: "look at what kv_set returns; without a cursor the next read brings everything again, and that is right"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      for tape in context.tapes {
        try await context.probing(.refusesKeys) { probe in try context.player(tape, on: probe).playAll() }
      }
      return .passed
    },
    Check(
      .r23, "strange-keys", "Keys of an older release, or of a damaged disk, are no reason to crash.",
      mend: "check length and content of what kv_get returns, and read everything when they make no sense"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      var hasKeys = false
      for tape in context.tapes {
        let written = tape.steps.flatMap(\.unit.writes)
        guard !written.isEmpty else { continue }
        hasKeys = true
        try await context.probing { probe in
          var seed = Seed(context.seed)
          for contents in strangeContents(written, &seed) {
            var opening = tape.opening
            opening.keys.merge(contents) { $1 }
            let player = context.player(tape, on: probe, opening: opening)
            guard try player.open() == MH_OK else { continue }
            for step in tape.steps { try player.play(step.event) }
            try player.close()
          }
        }
      }
      return hasKeys ? .passed : .skipped("no session of the bundle writes a key")
    },
  ]

  /// What may stand under the keys that a session has written: all of them, as drivers tell them apart.
  static func strangeContents(
    _ written: [DriverStorageWrite], _ seed: inout Seed
  ) -> [[ExactText: [UInt8]]] {
    let last = Dictionary(written.map { (ExactText($0.key), $0.value) }) { $1 }
    var contents = [last, last.mapValues { _ in [0] }, last.mapValues { _ in [UInt8](repeating: 0xFF, count: 4096) }]
    for _ in 0..<12 { contents.append(last.mapValues { seed.spoil($0) }) }
    return contents
  }
}
