import CMeterDriver
import Testing

import DriverContract
@testable import DriverRuntime

/// Rule R18: whatever a worker says of an export, what leaves the host is checked.
@Suite("R18 what an import puts out") struct ImportCheckTests {
  private static func check(_ unit: RawImportUnit, size: UInt64? = 16) throws(DriverFault) -> ImportUnit {
    try ImportCheck(driver: "d", size: size).check(unit)
  }

  private static func fault(_ change: (inout RawImportUnit) -> Void) -> DriverFault? {
    var unit = ImportSeeds.unit
    change(&unit)
    do throws(DriverFault) {
      _ = try check(unit)
      return nil
    } catch { return error }
  }

  @Test("a unit becomes batches of samples with names, attributes and texts") func good() throws {
    let unit = try Self.check(ImportSeeds.unit)
    let names = unit.names
    #expect(names.types.map(\.name) == ["steps", "sleep"] && names.types.map(\.quantity) == [.steps, .sleep])
    #expect(names.types.map(\.key) == ["count", "sleep"])
    #expect(names.units == ["count"] && names.keys == ["note"] && names.count == 6)
    let source = try #require(names.sources.first)
    #expect(source.name == "Watch" && source.key == "com.example.watch" && source.flags == .isWatch)
    #expect(source.rank == .place(2) && source.ranks == [.sleep: .place(1)])
    let batch = try #require(unit.batches.first)
    #expect(unit.batches.count == 2 && batch.samples.map(\.type) == [0, 1, 1])
    let steps = batch.samples[0]
    #expect(steps.mantissa == 1234 && steps.exponent == -2 && steps.unit == 0 && steps.utcOffsetSeconds == 3600)
    #expect(batch.text(steps.id) == "id" && steps.text.isEmpty && steps.place == 99)
    #expect(batch.attributes(of: steps).map { batch.text($0.text) } == ["hill"])
    #expect(batch.samples[1].sleep == .session && batch.samples[1].unit == nil)
    #expect(batch.samples[1].utcOffsetSeconds == nil && batch.attributes(of: batch.samples[1]).isEmpty)
    let part = batch.samples[2]
    #expect(part.flags == .isPart && part.sleep == .deep && batch.text(part.text) == "nap")
    #expect(batch.attributes(of: part).map(\.mantissa) == [5])
    #expect(batch.counts.map(\.count) == [1, 2] && batch.refusals.map(\.reason) == [.time])
    #expect(batch.refusals[0].type == nil && batch.exportedMicroseconds == 1_700_000_000_000_000 && batch.isPartial)
    #expect(unit.batches[1].samples.map(\.startMicroseconds) == [5_000_000] && !unit.batches[1].isPartial)
    #expect(unit.actions == [.pull(offset: 8, count: 8, token: 10)] && unit.hasWhole)
  }

  /// One way in which a round is none.
  struct Offence: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout ImportSeeds.Round) -> Void

    init(_ name: String, _ change: @escaping @Sendable (inout ImportSeeds.Round) -> Void) {
      (testDescription, self.change) = (name, change)
    }
  }

  static let offences: [Offence] = [
    Offence("a type that was not named") { $0.samples[0].type = 2 },
    Offence("a source that was not named") { $0.samples[0].source = 1 },
    Offence("a unit that was not named") { $0.samples[0].unit = 1 },
    Offence("an exponent that is too large") { $0.samples[0].exponent = 19 },
    Offence("an exponent that is too small") { $0.samples[0].exponent = -19 },
    Offence("a number without its flag") { $0.samples[0].flags = 0 },
    Offence("an exponent without a number") { $0.samples[1].exponent = 1 },
    Offence("an unknown flag") { $0.samples[0].flags |= 0x20 },
    Offence("an end before the start") { $0.samples[0].end_us = 0 },
    Offence("a start before every year") { $0.samples[0].start_us = .min },
    Offence("an end behind every year") { $0.samples[0].end_us = .max },
    Offence("a change behind every year") { $0.samples[0].modified_us = .max },
    Offence("a clock that is two days off") { $0.samples[0].utc_offset_s = 172_800 },
    Offence("a word that says nothing of sleep") { $0.samples[1].word = 8 },
    Offence("sleep without a word") { $0.samples[1].word = 0 },
    Offence("a part of nothing") { $0.samples[0].flags |= UInt16(MH_SAMPLE_PART) },
    Offence("a text beyond the arena") { $0.samples[0].text_len = 1000 },
    Offence("a text far beyond the arena") { ($0.samples[0].text_off, $0.samples[0].text_len) = (.max, .max) },
    Offence("an id beyond the arena") { $0.samples[0].id_off = UInt32($0.arena.count) },
    Offence("a text that is too long") {
      $0.arena += [UInt8](repeating: 65, count: 2000)
      $0.samples[0].text_len = UInt32(MH_IMPORT_TEXT_MAX) + 1
    },
    Offence("attributes beyond the table") { $0.samples[2].n_attributes = 2 },
    Offence("attributes far beyond the table") { $0.samples[2].n_attributes = .max },
    Offence("attributes that are another sample's") { $0.samples[2].first_attribute = 0 },
    Offence("attributes that are no sample's") { $0.samples[2].n_attributes = 0 },
    Offence("an attribute without a key") { $0.attributes[0].key = 1 },
    Offence("an attribute with a unit that was not named") { $0.attributes[1].unit = 7 },
    Offence("an attribute with a number without its flag") { $0.attributes[1].flags = 0 },
    Offence("an attribute with an exponent that is too large") { $0.attributes[1].exponent = 19 },
    Offence("an attribute with a flag that is none of its own") { $0.attributes[1].flags |= UInt16(MH_SAMPLE_MANUAL) },
    Offence("an attribute with a text beyond the arena") { $0.attributes[0].text_off = .max },
    Offence("a reserved field") { $0.attributes[0].reserved = 1 },
    Offence("a name of an unknown kind") { $0.names[0].kind = 6 },
    Offence("a name with a gap before it") { $0.names[1].index = 2 },
    Offence("a name twice") { $0.names[1].index = 0 },
    Offence("a name without a text") { $0.names[0].text_len = 0 },
    Offence("a name beyond the arena") { $0.names[0].text_off = .max },
    Offence("a type with a rank") { $0.names[0].rank = 1 },
    Offence("a type of a quantity that cannot be") { $0.names[0].quantity = 256 },
    Offence("a source with an unknown flag") { $0.names[2].flags = 0x8 },
    Offence("an order of a source that there is not") { $0.names[3].index = 1 },
    Offence("a unit with a key") { ($0.names[4].key_off, $0.names[4].key_len) = (0, 1) },
    Offence("a count of a type that was not named") { $0.counts[0].type = 2 },
    Offence("a count of nothing") { $0.counts[0].count = 0 },
    Offence("a count without end") { $0.counts[0].count = .max },
    Offence("a count with a reserved field") { $0.counts[0].reserved = 1 },
    Offence("a refusal for no reason") { $0.refusals[0].reason = 7 },
    Offence("a refusal of a type that was not named") { $0.refusals[0].type = 2 },
    Offence("a refusal of nothing") { $0.refusals[0].count = 0 },
    Offence("an export of no year") { $0.exported = .max },
    Offence("an unknown flag of the sink") { $0.flags = 2 },
  ]

  @Test("a row that cannot be is refused", arguments: offences) func offence(offence: Offence) {
    var round = ImportSeeds.round
    offence.change(&round)
    let fault = Self.fault { $0 = ImportSeeds.unit([round]) }
    #expect(fault?.code == .brokeRule && fault?.rule == "R18", "\(String(describing: fault))")
  }

  static let units: [(name: String, rule: String, change: @Sendable (inout RawImportUnit) -> Void)] = [
    ("a status of no contract", "R18", { $0.status = 77 }),
    ("a full sink at the end", "R18", { $0.status = MH_E_FULL }),
    ("an event that is unknown and answered", "R18", { $0.status = MH_E_UNSUPPORTED }),
    ("too many samples", "R16", { $0.rounds[0].samples = UInt32(MH_IMPORT_SAMPLES_MAX) + 1 }),
    ("too many attributes", "R16", { $0.rounds[1].attributes = UInt32(MH_IMPORT_ATTRIBUTES_MAX) }),
    ("too many texts", "R16", { $0.rounds[1].arena = UInt32(MH_IMPORT_ARENA_MAX) }),
    ("too many rounds", "R13", { $0.rounds += [RawImportRound](repeating: RawImportRound(), count: 63) }),
    ("rows that did not come", "R18", { $0.rounds[1].samples = 2 }),
    ("a pull of nothing", "R18", { $0.actions[0].second = 0 }),
    ("a pull of too much", "R18", { $0.actions[0].second = UInt64(MH_TALK_CHUNK_MAX) + 1 }),
    ("a pull behind the source's end", "R18", { $0.actions[0].first = 17 }),
    ("an acknowledgement", "R18", { $0.actions = [RawTalkAction(kind: MH_TALK_ACKNOWLEDGE, first: 8)] }),
    ("a timer", "R18", { $0.actions = [RawTalkAction(kind: MH_TALK_SET_TIMER, first: 8)] }),
    ("a text that is not UTF-8", "R18", { $0.actions = [RawTalkAction(kind: MH_TALK_FAIL, text: [0xff])] }),
  ]

  @Test("a unit that cannot be is refused", arguments: units.indices) func unit(index: Int) {
    let (name, rule, change) = Self.units[index]
    let fault = Self.fault(change)
    #expect(fault?.code == .brokeRule && fault?.rule == rule, "\(name): \(String(describing: fault))")
  }

  @Test("an import has so many names and no more, over all its events") func names() throws {
    var unit = ImportSeeds.unit([ImportSeeds.round])
    let first = try Self.check(unit)
    var round = ImportSeeds.round
    round.names = []
    unit = ImportSeeds.unit([round])
    #expect(throws: DriverFault.self) { try Self.check(unit) }
    let check = ImportCheck(driver: "d", names: first.names, hasWhole: first.hasWhole)
    #expect(try check.check(unit).names == first.names)
    var name = ImportSeeds.round.names[4]
    round.names = (1...UInt32(MH_IMPORT_NAMES_MAX)).map { index in
      name.index = index
      return name
    }
    let fault = #expect(throws: DriverFault.self) { try check.check(ImportSeeds.unit([round])) }
    #expect(fault?.rule == "R16")
    round.names.removeLast(6)
    #expect(try check.check(ImportSeeds.unit([round])).names.count == Int(MH_IMPORT_NAMES_MAX))
  }

  @Test("a part may come in a later event than what it is a part of") func part() throws {
    var round = ImportSeeds.second
    round.samples[0].flags |= UInt16(MH_SAMPLE_PART)
    let first = try Self.check(ImportSeeds.unit)
    let later = ImportCheck(driver: "d", names: first.names, hasWhole: first.hasWhole)
    #expect(try later.check(ImportSeeds.unit([round])).batches[0].samples[0].flags.contains(.isPart))
  }

  @Test("what is not UTF-8 is shown as U+FFFD, and stays as it came where bytes are compared")
  func repaired() throws {
    var round = ImportSeeds.round
    let at = UInt32(round.arena.count)
    round.arena += [0x61, 0xff]
    (round.samples[0].text_off, round.samples[0].text_len) = (at, 2)
    (round.names[2].text_off, round.names[2].text_len) = (at, 2)
    let unit = try Self.check(ImportSeeds.unit([round]))
    let batch = try #require(unit.batches.first)
    let text = batch.samples[0].text
    #expect(batch.text(text) == "a\u{fffd}" && Array(batch.utf8(text)) == [0x61, 0xff])
    #expect(unit.names.sources.first?.name == "a\u{fffd}")
  }

  @Test("a source that says no size may be pulled from anywhere") func unsized() throws {
    var unit = ImportSeeds.unit
    unit.actions[0].first = 1 << 40
    #expect(try Self.check(unit, size: nil).actions.count == 1)
  }

  @Test("a source that is gone is not pulled from") func ended() throws {
    let check = ImportCheck(driver: "d", size: 16, hasEnded: true)
    #expect(throws: DriverFault.self) { try check.check(ImportSeeds.unit) }
    var unit = ImportSeeds.unit
    unit.actions = [RawTalkAction(kind: MH_TALK_DONE)]
    #expect(try check.check(unit).actions == [.done])
  }

  @Test("no byte that a worker changes leads outside of what it has sent") func mutations() throws {
    let bytes = ImportSeeds.unit.payload.bytes
    for index in bytes.indices {
      for value in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] {
        var changed = bytes
        changed[index] = value
        let raw = try? ExtensionPayload(changed).read { reader throws(WireError) in try RawImportUnit(from: &reader) }
        guard let raw, let unit = try? Self.check(raw) else { continue }
        #expect(ImportRule.problem(in: unit) == nil, "byte \(index) as \(value)")
      }
    }
  }
}
