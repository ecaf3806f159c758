import BluetoothWire
import HostPrimitives

/// A LifeScan OneTouch meter: acknowledges each fragment of a command, answers it, and sends the next fragment of its answer
/// when the one before is acknowledged.
struct OneTouchBehaviour: MeterBehaviour {
  private enum Status {
    static let success: UInt8 = 0x06
    static let notAllowed: UInt8 = 0x07
    static let notSupported: UInt8 = 0x08
    static let invalid: UInt8 = 0x09
  }

  private let options: MeterScript.OneTouch
  private let isBonded: Bool
  private let command: UInt16
  private let reply: UInt16
  private var memory: [MeterScript.Record]
  private let newest: UInt32
  private var clock: UInt32
  private var clockIsUnset = false
  private var queue: [[UInt8]] = []
  private var received: [UInt8] = []
  private var fragmentsLeft = 0
  /// Fragments of the reply that wait for the acknowledgement of the one before.
  private var unsent: [[UInt8]] = []
  /// The record whose reply waits for its acknowledgement.
  private var unacknowledged: UInt16?

  init?(_ options: MeterScript.OneTouch, script: MeterScript, database: GATTDatabase) {
    guard let command = database.value(of: .oneTouchCommand), let reply = database.value(of: .oneTouchReply) else {
      return nil
    }
    self.options = options
    self.command = command
    self.reply = reply
    isBonded = script.bonded
    memory = script.records
    newest = options.newestNumber ?? UInt32(script.records.last?.sequence ?? 0)
    clock = options.clock
  }

  var recordsLeft: Int { memory.count }

  mutating func connect(clockIsUnset: Bool, reportLimit: Int?) {
    self.clockIsUnset = clockIsUnset
    (queue, received, unsent) = ([], [], [])
    (fragmentsLeft, unacknowledged) = (0, nil)
  }

  mutating func wrote(handle: UInt16, value: [UInt8], server: ATTServer) {
    guard handle == command, let header = value.first else { return }
    let number = header & 0x3f
    switch header & 0xc0 {
    case 0x80: acknowledged()
    case 0x00 where number > 0:
      received = []
      fragmentsLeft = Int(number)
      take(value)
    case 0x40 where Int(number) == fragmentsLeft: take(value)
    default: break
    }
  }

  mutating func next(server: ATTServer, mayIndicate: Bool) -> Outgoing? {
    guard !queue.isEmpty, server.isSubscribed(to: reply, by: .notify) else { return nil }
    return .notification(handle: reply, value: queue.removeFirst())
  }

  mutating func confirmed() -> String? { nil }

  private mutating func take(_ fragment: [UInt8]) {
    received += fragment[1...]
    fragmentsLeft -= 1
    queue.append([0x80 | fragment[0] & 0x3f])
    guard fragmentsLeft == 0 else { return }
    // A damaged command is not answered.
    guard let frame = OneTouchFrame.decode(received) else { return }
    unacknowledged = nil
    let answer = OneTouchFrame.encode(self.answer(frame.payload, prefix: frame.prefix))
    unsent = OneTouchFrame.fragments(answer, size: options.fragmentSize)
    queue.append(unsent.removeFirst())
  }

  private mutating func acknowledged() {
    if !unsent.isEmpty { return queue.append(unsent.removeFirst()) }
    guard let number = unacknowledged else { return }
    unacknowledged = nil
    if options.forgetsAcknowledged { memory.removeAll { $0.sequence == number } }
  }

  private mutating func answer(_ payload: [UInt8], prefix: UInt8) -> [UInt8] {
    if options.answersPairedOnly, !isBonded { return [Status.notAllowed] }
    if let refusal = options.refusals.first(where: { $0.matches(payload) }) { return [refusal.response] }
    if let wanted = options.commandPrefix, prefix != wanted { return [Status.notSupported] }
    switch payload {
    case [0x20, 0x02]: return [Status.success] + little(clockIsUnset ? 0 : clock, 4)
    case [0x0a, 0x02, 0x06]: return [Status.success] + little(newest, 4)
    case [0x27, 0x00]: return [Status.success] + little(UInt32(memory.count), 2)
    default: break
    }
    if payload.count == 6, payload.starts(with: [0x20, 0x01]) {
      clock = UInt32(littleEndianBytes: payload[2...])
      return [Status.success]
    }
    guard payload.count == 3, payload[0] == 0xb3 else { return [Status.notSupported] }
    let number = UInt16(littleEndianBytes: payload[1...2])
    guard let record = memory.first(where: { $0.sequence == number }) else { return [Status.invalid] }
    unacknowledged = number
    return [Status.success] + (clockIsUnset ? little(0, 4) + record.measurement.dropFirst(4) : record.measurement)
  }

  private func little(_ number: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
  }
}
