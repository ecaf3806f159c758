import DriverContract
import MeterBluetooth
import MeterCore
import MeterDrivers
import VirtualMeter

/// What a driver made of one of its meters: read once, and read again.
struct RecordedRead: Sendable {
  var meter: SubjectMeter
  var tapes: [SessionTape]
  var first: MeterReader.Outcome
  var entries: [QueueEntry]
  /// What the meter says of the first read.
  var testimony: MeterTestimony
  /// The second read of a meter that stores what it has measured; nil of another.
  var second: MeterReader.Outcome?
  var entriesAfterSecond: [QueueEntry]

  /// Whether what it brought can be read again under the same names.
  var hasStored: Bool { entries.contains { $0.record?.identityClass == .stored } }

  /// Whether the driver had something to read, or did something wrong on the way to it.
  var hasMaterial: Bool {
    tapes.contains { $0.fault != nil || !$0.records.isEmpty } || meter.readings > 0 && !tapes.isEmpty
  }

  static func record(_ meter: SubjectMeter, of subject: Subject) async throws(ConformanceError) -> RecordedRead {
    let deck = TapeDeck(meter: meter.name, configuration: subject.configuration)
    let reader = try MeterReader(meter, of: subject, sessions: deck)
    let first = try await reader.read()
    await reader.meter.untilFree()
    let tapes = await deck.tapes()
    var read = RecordedRead(
      meter: meter, tapes: tapes, first: first, entries: try reader.entries(), testimony: reader.meter.testimony,
      second: nil, entriesAfterSecond: [])
    guard first.isComplete, read.hasStored, !meter.isAdvertisementOnly else { return read }
    read.second = try await reader.read()
    read.entriesAfterSecond = try reader.entries()
    return read
  }

  /// All meters of a subject side by side: most of the time they wait.
  static func recordAll(_ subject: Subject) async throws -> [RecordedRead] {
    try await withThrowingTaskGroup(of: (Int, RecordedRead).self) { group in
      for (index, meter) in subject.meters.enumerated() {
        group.addTask { (index, try await record(meter, of: subject)) }
      }
      var reads: [(Int, RecordedRead)] = []
      for try await read in group { reads.append(read) }
      return reads.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}
