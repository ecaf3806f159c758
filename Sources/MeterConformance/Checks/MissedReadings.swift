import CMeterDriver
import DriverContract
import MeterBluetooth
import MeterCore
import MeterDrivers
import VirtualMeter

// What a script states as readings, held against what came.
extension RecordedRead {
  /// What came as readings of a person: no control solution, and nothing that the meter took back.
  var readings: [QueueEntry] {
    entries.filter { entry in entry.record?.flags.isDisjoint(with: [.control, .takenBack]) ?? true }
  }

  /// How many good readings the host was not to take.
  var left: Int { first.summary.left.values.reduce(0, +) }

  /// What the meter holds for certain and did not come; nil: nothing, or it cannot be told.
  ///
  /// - Parameter decoded: What the driver's own `decode` makes of what the meter sent: a value of which nothing comes is no
  ///   reading, whether the script says so or not.
  func missed(_ decoded: [[UInt8]: DecodeOutcome]) -> String? {
    guard meter.isUnhurt, left == 0 else { return nil }
    let stated = meter.certainReadings.filter { one in
      if one.record.context == nil, meter.needsContext { return false }
      guard let outcome = decoded[one.record.measurement], outcome.status != MH_E_UNSUPPORTED else { return true }
      return outcome.records.contains(where: \.isReading)
    }
    let holds = "the meter holds \(stated.count) readings"
    // Numbers tell also where something else, such as a composition, makes up for the count.
    if let numbers = numbersThatCame {
      let missing = stated.filter { !numbers.contains(UInt64($0.record.sequence)) }
      if !missing.isEmpty {
        return "\(holds), and of number \(missing.map { "\($0.record.sequence)" }.shortList) none came"
      }
    }
    let came = readings.count - liveReadings
    guard came < stated.count else { return nil }
    guard came > 0 else { return "\(holds) and none came" }
    let missing = stated.filter { one in decoded[one.record.measurement].map(hasNone) ?? false }
    guard !missing.isEmpty else { return "\(holds) and \(came) came" }
    return "\(holds) and \(came) came: of record \(missing.map { "\($0.place)" }.shortList) of the script there is none"
  }

  /// A reading that came under two names: the meter's number, its time and its values are those of another one.
  var twice: MeterCore.Record? {
    var names: [ReadingContent: LogID] = [:]
    for record in readings.compactMap(\.record) where record.identityClass == .stored {
      guard let number = record.deviceSequence else { continue }
      let content = ReadingContent(
        number: number, user: record.deviceUser, time: record.time, values: record.values)
      let name = names[content] ?? record.logID
      if name != record.logID { return record }
      names[content] = name
    }
    return nil
  }

  /// The meter's numbers of what came; nil where they are not those that the script has.
  private var numbersThatCame: Set<UInt64>? {
    switch meter.script.behaviour {
    case .glucose, .oneTouch: break
    default: return nil
    }
    let known = Set(meter.script.records.map { UInt64($0.sequence) })
    let numbers = readings.map { $0.record?.deviceSequence }
    let came = Set(numbers.compactMap(\.self))
    return !came.isEmpty && !numbers.contains(nil) && came.isSubset(of: known) ? came : nil
  }

  /// How many of the readings were measured while the driver listened, and are no stored ones.
  private var liveReadings: Int {
    guard case .responder(let options) = meter.script.behaviour else { return 0 }
    let sent = testimony.live.subtracting(testimony.settling)
    var came = 0
    for tape in tapes {
      for step in tape.steps {
        guard let value = step.event.fact.value, sent.contains(.init(tape.characteristic(of: step.event.fact), value))
        else { continue }
        came += step.unit.records.count { $0.isReading && $0.identityClass == .live }
      }
    }
    // One event may bring stored readings too, that were held back until it.
    return min(came, sent.count, options.readings)
  }

  /// Whether no session has put out what a value decodes to. A session may know more of a reading than its value says.
  private func hasNone(of outcome: DecodeOutcome) -> Bool {
    guard let reading = outcome.records.first(where: \.isReading) else { return false }
    return !tapes.flatMap(\.records).contains { record in
      record.isReading && record.startMicroseconds == reading.startMicroseconds
        && reading.values.allSatisfy(record.values.contains)
    }
  }
}

/// What two readings with different names cannot share.
private struct ReadingContent: Hashable {
  var number: UInt64
  var user: Int?
  var time: RecordTime
  var values: [RecordValue]
}

extension DriverRecord {
  /// Whether it is a value of a person.
  var isReading: Bool {
    kind == .measurement && flags.isDisjoint(with: [.provisional, .control, .tombstone])
  }
}

extension SubjectMeter {
  /// A stored record and its place in the script, from 1.
  struct StatedReading: Sendable {
    var place: Int
    var record: MeterScript.Record
  }

  /// The stored records that the meter sends to whoever reads it, and of which the script says that readings come of them.
  var certainReadings: [StatedReading] {
    var memory = script.records.enumerated().map { StatedReading(place: $0.offset + 1, record: $0.element) }
    switch script.behaviour {
    case .database, .stream, .advertise: return []
    // What is measured during a transfer pushes the oldest out.
    case .taidoc(let options):
      memory = Array(memory.suffix(max(0, options.capacity - options.arrivals.count)))
    case .scale(let options) where !options.slots.isEmpty:
      memory.removeAll { one in one.record.user.map { UInt16($0) } != userSlot }
    default: break
    }
    // The same record twice may be one reading.
    var seen: Set<[Int]> = []
    return memory.filter { one in
      let user = one.record.user.map { Int($0) } ?? -1
      return one.record.isReading
        && seen.insert([Int(one.record.sequence), user] + one.record.measurement.map { Int($0) }).inserted
    }
  }

  /// Whether no fault of the script takes a reading away or changes one.
  var isUnhurt: Bool {
    script.faults.allSatisfy { fault in
      switch fault.kind {
      case .delay, .duplicateNotifications, .refuseMTU: true
      default: false
      }
    }
  }

  /// Whether a reading may have to wait for a context (rule R26).
  var needsContext: Bool {
    let decides = UInt16(MH_PARAM_CONTEXT_DECIDES)
    return peripheral.quirks.contains { $0.parameters.contains { $0.name == decides } }
  }
}

extension [String] {
  /// The first few of them, and how many more there are.
  fileprivate var shortList: String {
    let most = 8
    return prefix(most).joined(separator: ", ") + (count > most ? " and \(count - most) more" : "")
  }
}
