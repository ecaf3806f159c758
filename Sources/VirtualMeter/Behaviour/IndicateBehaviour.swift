import BluetoothWire

/// A meter that indicates its records once a client subscribes, one at a time, each after the confirmation of the one
/// before (Health Thermometer Service 1.0, 3.1; Core Vol 3 Part F 3.3.2).
struct IndicateBehaviour: MeterBehaviour {
  private struct Entry {
    let id: Int
    let record: MeterScript.Record
  }

  private let options: MeterScript.IndicateOnConnect
  private let characteristic: UInt16
  private let intermediate: UInt16?
  private var memory: [Entry]
  private var confirmedIDs: Set<Int> = []
  private var queue: ArraySlice<Entry>?
  /// Intermediate values of the record at the front that are still to be notified.
  private var pending: ArraySlice<[UInt8]> = []
  /// The record whose indication is not confirmed yet.
  private var outstanding: Int?
  private var clockIsUnset = false
  /// Subscribed to, and nothing to send.
  private var isEmpty = false

  init?(_ options: MeterScript.IndicateOnConnect, records: [MeterScript.Record], database: GATTDatabase) {
    guard let characteristic = database.value(of: options.characteristic) else { return nil }
    self.options = options
    self.characteristic = characteristic
    intermediate = database.value(of: options.intermediate)
    memory = records.enumerated().map { Entry(id: $0.offset, record: $0.element) }
  }

  var recordsLeft: Int { memory.count }

  /// Intermediate values are what the meter settles; the specification calls them so.
  var testimony: MeterTestimony {
    let values = memory.flatMap(\.record.intermediate).map { MeterTestimony.SentValue(options.intermediate, $0) }
    return MeterTestimony(settling: options.intermediate == options.characteristic ? [] : Set(values))
  }

  mutating func connect(clockIsUnset: Bool, reportLimit: Int?) {
    queue = nil
    pending = []
    outstanding = nil
    isEmpty = false
    self.clockIsUnset = clockIsUnset
  }

  mutating func wrote(handle: UInt16, value: [UInt8], server: ATTServer) {}

  mutating func next(server: ATTServer, mayIndicate: Bool) -> Outgoing? {
    guard outstanding == nil, mayIndicate, server.isSubscribed(to: characteristic, by: .indicate) else { return nil }
    if queue == nil {
      start()
      isEmpty = queue?.isEmpty == true
    }
    guard let entry = queue?.first else { return nil }
    while let value = pending.popFirst() {
      if let intermediate, server.isSubscribed(to: intermediate, by: .notify) {
        return .notification(handle: intermediate, value: value)
      }
    }
    outstanding = entry.id
    let value = entry.record.measurement
    return .indication(
      handle: characteristic, value: clockIsUnset ? TimeStamp.unset(value, of: options.characteristic) : value)
  }

  mutating func confirmed() -> String? {
    guard let id = outstanding else { return nil }
    outstanding = nil
    confirmedIDs.insert(id)
    if options.deletesOnConfirmation { memory.removeAll { $0.id == id } }
    _ = queue?.popFirst()
    pending = queue?.first?.record.intermediate[...] ?? []
    return queue?.isEmpty == true ? "indications" : nil
  }

  mutating func ended() -> String? {
    defer { isEmpty = false }
    return isEmpty ? "indications" : nil
  }

  private mutating func start() {
    let due = options.resendsAll ? memory : memory.filter { !confirmedIDs.contains($0.id) }
    let ordered = options.order == .oldestFirst ? due : due.reversed()
    queue = ordered[...]
    pending = ordered.first?.record.intermediate[...] ?? []
  }
}
