import CMeterDriver
import DriverContract

/// Believes nothing of what a driver puts out in an import (rule R18): indices, runs, times and numbers of every row. The same check
/// for workers and for this process.
struct ImportCheck {
  let driver: String
  /// Bytes of the source; nil: it does not say.
  var size: UInt64?
  /// The names of the import before this event.
  var names = ImportNames()
  /// Whether a sample that is no part has come before.
  var hasWhole = false
  /// Nobody answers any more.
  var hasEnded = false

  /// How much of a kind one event may give.
  private static let most: [(name: String, count: Int, of: @Sendable (ImportExtent) -> Int)] = [
    ("samples", Int(MH_IMPORT_SAMPLES_MAX), { $0.samples }),
    ("attributes", Int(MH_IMPORT_ATTRIBUTES_MAX), { $0.attributes }),
    ("bytes of texts", Int(MH_IMPORT_ARENA_MAX), { $0.arena }),
  ]

  /// Whether an import may ask for an action of this kind.
  static func isKnown(_ kind: UInt32) -> Bool {
    kind == MH_TALK_PULL || kind == MH_TALK_DONE || kind == MH_TALK_FAIL
  }

  /// Why an event is too large so far; nil when it is not.
  static func excess(of extents: [ImportExtent]) -> String? {
    for (name, count, number) in most {
      let given = extents.reduce(0) { $0 + number($1) }
      guard given <= count else { return "an event gave \(given) \(name); at most \(count) are allowed" }
    }
    return nil
  }

  func check(_ raw: RawImportUnit) throws(DriverFault) -> ImportUnit {
    guard (MH_E_NO_VALUE...MH_OK).contains(raw.status), raw.status != MH_E_FULL else {
      throw fault("event returned \(statusName(raw.status)), which it may not")
    }
    if let excess = Self.excess(of: raw.rounds.map(\.extent)) { throw fault(excess, rule: "R16") }
    guard raw.rounds.count <= LocalSession.mostRounds else {
      throw fault("an event gave \(raw.rounds.count) rounds", rule: "R13")
    }
    var unit = ImportUnit(
      status: raw.status, names: names, hasWhole: hasWhole, logs: DriverLogLine.bounded(raw.logs))
    var rest = raw.content
    for round in raw.rounds {
      let length = round.extent.length
      unit.batches.append(try batch(round, rest.prefix(length), &unit))
      rest = rest.dropFirst(length)
    }
    unit.actions = try actions(raw.actions)
    let isEmpty = unit.batches.isEmpty && unit.actions.isEmpty
    guard raw.status != MH_E_UNSUPPORTED || isEmpty else {
      throw fault("event returned MH_E_UNSUPPORTED and put something out")
    }
    return unit
  }

  private func actions(_ raw: [RawTalkAction]) throws(DriverFault) -> [ImportAction] {
    var actions: [ImportAction] = []
    for action in try TalkActionCheck(driver: driver, hasEnded: hasEnded).check(raw) {
      switch action {
      case .pull(let offset, let count, let token):
        guard offset <= size ?? .max else { throw fault("it pulls at \(offset), which lies behind the source's end") }
        actions.append(.pull(offset: offset, count: count, token: token))
      case .done: actions.append(.done)
      case .fail(let number, let text): actions.append(.fail(number: number, text: text))
      case .acknowledge, .timer, .readKey: throw fault("it asks for what no import is given")
      }
    }
    return actions
  }

  private func batch(
    _ round: RawImportRound, _ content: ArraySlice<UInt8>, _ unit: inout ImportUnit
  ) throws(DriverFault) -> ImportBatch {
    guard round.exportedMicroseconds == 0 || ImportRowCheck.times.contains(round.exportedMicroseconds) else {
      throw fault("its export was written in no year from 1 to 9999")
    }
    guard round.flags & ~UInt64(MH_IMPORT_PARTIAL) == 0 else { throw fault("the sink's flags are \(round.flags)") }
    let batch = ImportBatch(
      content, round.extent,
      exportedMicroseconds: round.exportedMicroseconds == 0 ? nil : round.exportedMicroseconds,
      isPartial: round.flags & UInt64(MH_IMPORT_PARTIAL) != 0)
    guard let batch else { throw fault("its rows are not as many as it says") }
    guard unit.names.count + batch.names.count <= Int(MH_IMPORT_NAMES_MAX) else {
      throw fault("an import gave more than \(MH_IMPORT_NAMES_MAX) names", rule: "R16")
    }
    for index in batch.names.indices {
      let name = batch.names[index]
      if let problem = ImportRowCheck.problem(in: name, of: batch) ?? unit.names.problem(in: name) {
        throw fault("name \(index) \(problem)")
      }
      unit.names.add(name, of: batch)
    }
    var rows = ImportRowCheck(batch: batch, names: unit.names, hasWhole: unit.hasWhole)
    if let problem = rows.problem() { throw fault(problem) }
    unit.hasWhole = rows.hasWhole
    return batch
  }

  func fault(_ what: String, rule: String = "R18") -> DriverFault {
    DriverFault(
      .brokeRule, driver: driver, rule: rule, message: "\(what); the driver must be repaired by its author")
  }
}
