import BluetoothWire

/// A TaiDoc or Fora meter: answers each command that is written to its characteristic with notifications of it.
struct TaiDocBehaviour: MeterBehaviour {
  private let characteristic: UInt16
  private var memory: TaiDocMemory
  private var queue: [[UInt8]] = []

  init?(_ options: MeterScript.TaiDoc, records: [MeterScript.Record], database: GATTDatabase) {
    guard let characteristic = database.value(of: .taidocFrames) else { return nil }
    self.characteristic = characteristic
    memory = TaiDocMemory(options, records: records.map(\.measurement))
  }

  var recordsLeft: Int { memory.readings.count }

  mutating func connect(clockIsUnset: Bool, reportLimit: Int?) {
    queue = []
    memory.switchOn()
  }

  mutating func wrote(handle: UInt16, value: [UInt8], server: ATTServer) {
    if handle == characteristic { queue += memory.answer(value) }
  }

  mutating func next(server: ATTServer, mayIndicate: Bool) -> Outgoing? {
    guard !queue.isEmpty, server.isSubscribed(to: characteristic, by: .notify) else { return nil }
    return .notification(handle: characteristic, value: queue.removeFirst())
  }

  mutating func confirmed() -> String? { nil }
}
