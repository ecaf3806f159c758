import CMeterDriver
import Testing

import DriverContract
@testable import DriverRuntime

/// Rule R18: whatever a worker says of a conversation, what leaves the host is checked.
@Suite("R18 what a conversation puts out") struct ConversationCheckTests {
  private static func fault(_ change: (inout RawTalkUnit) -> Void, hasEnded: Bool = false) -> DriverFault? {
    var unit = ConversationSeeds.unit
    change(&unit)
    do throws(DriverFault) {
      _ = try ConversationCheck(driver: "d", hasEnded: hasEnded).check(unit)
      return nil
    } catch { return error }
  }

  @Test("a unit becomes a record with its segments and series, actions and keys") func good() throws {
    let unit = try ConversationCheck(driver: "d").check(ConversationSeeds.unit)
    let record = try #require(unit.records.first)
    #expect(unit.records.count == 1 && record.record.values.map(\.value) == [6])
    #expect(record.segments.map(\.value.value) == [1, 2])
    #expect(record.segments.map(\.startMicroseconds) == [1_000_000, 31_000_000])
    #expect(record.series.map(\.points) == [[1, 2.5, 4]] && record.series[0].stepMicroseconds == 30_000_000)
    #expect(unit.actions == [.acknowledge(offset: 16, token: 40), .pull(offset: 16, count: 8, token: 10)])
    #expect(unit.writes == [DriverStorageWrite(key: "user/cursor", value: [7])])
  }

  /// One way in which a unit is none, and the rule that it breaks.
  struct Offence: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: String
    let change: @Sendable (inout RawTalkUnit) -> Void

    init(_ name: String, _ rule: String = "R18", _ change: @escaping @Sendable (inout RawTalkUnit) -> Void) {
      (testDescription, self.rule, self.change) = (name, rule, change)
    }
  }

  static let offences: [Offence] = [
    Offence("a status of no contract") { $0.status = 77 },
    Offence("a full sink at the end") { $0.status = MH_E_FULL },
    Offence("an event that is unknown and answered") { $0.status = MH_E_UNSUPPORTED },
    Offence("too many records", "R16") { $0.rounds = Array(repeating: $0.rounds[0], count: 4097) },
    Offence("too many points", "R16") {
      $0.rounds[0].points = [Double](repeating: 1, count: Int(MH_TALK_POINTS_MAX) + 1)
    },
    Offence("fewer extents than records") { $0.rounds[0].extents = [] },
    Offence("segments beyond the table") { $0.rounds[0].extents[0].n_segments = 3 },
    Offence("segments far beyond the table") { $0.rounds[0].extents[0].n_segments = .max },
    Offence("segments that are not the record's") { $0.rounds[0].extents[0].first_segment = 1 },
    Offence("a segment that is no record's") { $0.rounds[0].extents[0].n_segments = 1 },
    Offence("a segment before the record") { $0.rounds[0].segments[0].start_us = 0 },
    Offence("a segment behind the record") { $0.rounds[0].segments[1].end_us = .max },
    Offence("a segment that ends before it begins") { $0.rounds[0].segments[0].end_us = 999_999 },
    Offence("a segment without a number", "R12") { $0.rounds[0].segments[0].value.value = .nan },
    Offence("a segment without a unit", "R12") { $0.rounds[0].segments[0].value.unit = 0 },
    Offence("series beyond the table") { $0.rounds[0].extents[0].n_series = 2 },
    Offence("a series that is no record's") { $0.rounds[0].extents[0].n_series = 0 },
    Offence("a point that is no number") { $0.rounds[0].points[1] = .nan },
    Offence("a point without end") { $0.rounds[0].points[1] = .infinity },
    Offence("points beyond the table") { $0.rounds[0].series[0].n_points = 4 },
    Offence("points that are nobody's") { $0.rounds[0].points.append(1) },
    Offence("a series without points") { $0.rounds[0].series[0].n_points = 0 },
    Offence("a series that stands still") { $0.rounds[0].series[0].step_us = 0 },
    Offence("a series that goes back") { $0.rounds[0].series[0].step_us = -1 },
    Offence("a series behind the record") { $0.rounds[0].series[0].step_us = .max },
    Offence("a series without a metric") { $0.rounds[0].series[0].metric = 0 },
    Offence("a reserved field") { $0.rounds[0].series[0].reserved = 1 },
    Offence("parts of a record without a time") { $0.rounds[0].output.records[0].time_kind = UInt16(MH_TIME_NONE) },
    Offence("values beyond the table", "R12") { $0.rounds[0].output.records[0].n_values = 9 },
    Offence("too many actions") { $0.actions = Array(repeating: $0.actions[0], count: 33) },
    Offence("an unknown action") { $0.actions[0].kind = 99 },
    Offence("an action with a field that it does not name") { $0.actions[0].second = 1 },
    Offence("a pull of nothing") { $0.actions[1].second = 0 },
    Offence("a pull of too much") { $0.actions[1].second = UInt64(MH_TALK_CHUNK_MAX) + 1 },
    Offence("a pull behind every end") { $0.actions[1].first = .max },
    Offence("a timer of two days") {
      $0.actions = [RawTalkAction(kind: MH_TALK_SET_TIMER, first: 2 * UInt64(MH_TALK_TIMER_NS_MAX))]
    },
    Offence("a key of somebody else") {
      $0.actions = [RawTalkAction(kind: MH_TALK_READ_KEY, text: Array("credential/a".utf8))]
    },
    Offence("a text that is not UTF-8") { $0.actions = [RawTalkAction(kind: MH_TALK_FAIL, text: [0xff])] },
    Offence("a write to no key", "R23") { $0.writes[0].key = "else/where" },
    Offence("a write of a secret", "R23") { $0.writes[0].key = "user/secret/a" },
    Offence("a value that is too long", "R23") { $0.writes[0].value = [UInt8](repeating: 0, count: 4097) },
  ]

  @Test("is refused with its rule", arguments: offences) func offence(offence: Offence) {
    let fault = Self.fault(offence.change)
    #expect(fault?.code == .brokeRule && fault?.rule == offence.rule, "\(String(describing: fault))")
  }

  @Test("a source that is gone is asked for nothing") func ended() {
    #expect(Self.fault({ _ in }, hasEnded: true)?.rule == "R18")
    #expect(Self.fault({ $0.actions = [RawTalkAction(kind: MH_TALK_DONE)] }, hasEnded: true) == nil)
  }
}
