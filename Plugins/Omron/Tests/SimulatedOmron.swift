import CMeterDriver

@testable import DriverTestBench

/// The monitor's side of the older protocol: four channels each way, a key, a memory by address.
struct SimulatedOmron {
  /// Bytes that were never written are refused.
  var memory = [UInt8?](repeating: nil, count: 0x1000)
  /// The key that it holds, and whether it takes another one.
  var key: [UInt8]?
  var isPairing = false
  /// What it says to the question whether it takes a key.
  var modeCode: UInt8 = 0
  var isSilent: (_ command: [UInt8]) -> Bool = { _ in false }
  private(set) var isOpen = false
  /// Every command of the memory protocol, and every value for the lock.
  private(set) var commands: [[UInt8]] = []
  private(set) var unlocks: [[UInt8]] = []
  private var incoming: [Int: [UInt8]] = [:]

  mutating func put(_ bytes: [UInt8], at address: Int) {
    for (index, byte) in bytes.enumerated() { memory[address + index] = byte }
  }

  func read(_ address: Int, _ count: Int) -> [UInt8]? {
    let bytes = memory[address..<address + count].compactMap { $0 }
    return bytes.count == count ? bytes : nil
  }

  /// The answer of the lock to a value.
  mutating func unlock(_ value: [UInt8]) -> [UInt8]? {
    unlocks.append(value)
    guard value.count == 17, !isSilent(value) else { return nil }
    let shown = Array(value.dropFirst())
    switch value[0] {
    case 0x02: return [0x82, isPairing ? modeCode : 0x0F]
    case 0x00:
      guard isPairing, key != shown else { return [0x80, 1] }
      key = shown
      isOpen = true
      return [0x80, 0]
    case 0x01:
      isOpen = key == shown
      return [0x81, isOpen ? 0 : 4]
    default: return nil
    }
  }

  /// A piece of a command over one channel; the whole answer when the command is whole.
  mutating func take(_ piece: [UInt8], channel: Int) -> [UInt8]? {
    incoming[channel] = piece
    guard let length = incoming[0]?.first.map(Int.init) else { return nil }
    let whole = (0..<4).flatMap { incoming[$0] ?? [] }
    guard whole.count >= length else { return nil }
    incoming = [:]
    let command = Array(whole.prefix(length))
    commands.append(command)
    guard isOpen, command.reduce(0, ^) == 0, !isSilent(command) else { return nil }
    let address = Int(command[3]) << 8 | Int(command[4])
    let count = Int(command[5])
    switch (command[1], command[2]) {
    case (0, 0): return Self.frame(0x80, 0, 0, 0x10, [UInt8](repeating: 0x33, count: 16))
    case (1, 0):
      guard let bytes = read(address, count) else { return Self.refusal(address, count) }
      return Self.frame(0x81, 0, address, count, bytes)
    case (1, 0xC0):
      put(Array(command[6..<6 + count]), at: address)
      return Self.frame(0x81, 0xC0, address, count, Array(command[6..<6 + count]))
    case (0x0F, 0): return Self.frame(0x8F, 0, 0, 0, [])
    default: return nil
    }
  }

  static func frame(_ type: UInt8, _ low: UInt8, _ address: Int, _ size: Int, _ bytes: [UInt8]) -> [UInt8] {
    let head = [UInt8(8 + bytes.count), type, low, UInt8(address >> 8), UInt8(address & 0xFF), UInt8(size)]
    let frame = head + bytes + [0]
    return frame + [frame.reduce(0, ^)]
  }

  static func refusal(_ address: Int, _ count: Int) -> [UInt8] {
    let frame: [UInt8] = [8, 0x81, 0, UInt8(address >> 8), UInt8(address & 0xFF), UInt8(count), 0x10]
    return frame + [frame.reduce(0, ^)]
  }

  /// An answer as it goes over the channels.
  static func pieces(_ frame: [UInt8]) -> [(channel: Int, bytes: [UInt8])] {
    stride(from: 0, to: frame.count, by: 16).map { ($0 / 16, Array(frame[$0..<min($0 + 16, frame.count)])) }
  }

  /// A block of a clock, its words with the high byte first.
  static func clock(_ time: [UInt8], length: Int = 10) -> [UInt8] {
    let words = [UInt8](repeating: 0x40, count: length - 8) + time
    let sum = words.reduce(0, &+)
    return swapped(words + [sum, 0xFF])
  }

  static func swapped(_ words: [UInt8]) -> [UInt8] { words.indices.map { words[$0 ^ 1] } }
}

/// Runs sessions of the driver with the simulated monitor and keeps what a host would have committed.
final class OmronBench {
  static let lock: UInt16 = 10
  static let (toMeter, fromMeter): ([UInt16], [UInt16]) = ([20, 22, 24, 26], [30, 32, 34, 36])
  static let keyName = "meter/secret/key"
  static let layout: UInt32 = 0x8000
  /// 2026-07-18 00:00:00.
  static let now: Int64 = 1_784_332_800_000_000
  static let key = [UInt8](repeating: 0x5A, count: 16)

  let host: TestHost
  var meter = SimulatedOmron()
  var opening = TestOpening(parameters: [layout: 1])
  var capacities = Capacities.ample
  /// Changes the pieces of one answer, by its number.
  var onTheAir: (Int, [(channel: Int, bytes: [UInt8])]) -> [(channel: Int, bytes: [UInt8])] = { $1 }
  var committed: [TestRecord] = []
  var lastActions: [TestAction] = []
  private var answers = 0

  /// A paired HEM-7322T of which captured records of both users are in the memory, in slots without order.
  init(slots: [Int] = [0, 3, 57, 99]) throws {
    host = try TestHost(bundle: "omron")
    for (start, user) in [(0x02AC, 1), (0x0824, 2)] {
      meter.put([UInt8](repeating: 0xFF, count: 1400), at: start)
      for (slot, record) in zip(slots, Self.records(user)) { meter.put(record, at: start + 14 * slot) }
    }
    meter.put(SimulatedOmron.clock([26, 7, 18, 0, 1, 30]), at: 0x0274)
    meter.key = Self.key
    host.state.storage[Self.keyName] = Self.key
  }

  static func records(_ user: Int) -> [[UInt8]] {
    Vector.load("Omron").filter { $0.id.hasPrefix("m7-7322-user-\(user)") }.map(\.bytes)
  }

  var finished: Bool { lastActions.contains { $0.kind == MH_DO_FINISH } }
  var failure: TestAction? { lastActions.first { $0.kind == MH_DO_FAIL } }
  var measurements: [TestRecord] { committed.filter { $0.kind == MH_KIND_MEASUREMENT } }
  var names: Set<[UInt8]> { Set(measurements.map(\.identity)) }
  /// Commands that change the memory.
  var changes: [[UInt8]] { meter.commands.filter { $0[1] == 1 && $0[2] == 0xC0 } }
  static var allSystolic: [Int64] { (records(1) + records(2)).map { Int64($0[1]) + 25 } }

  static func uuid(_ first: UInt64, _ rest: UInt64) -> mh_uuid {
    var uuid = mh_uuid()
    withUnsafeMutableBytes(of: &uuid) { bytes in
      for index in 0..<8 {
        bytes[index] = UInt8(truncatingIfNeeded: first >> (56 - 8 * UInt64(index)))
        bytes[8 + index] = UInt8(truncatingIfNeeded: rest >> (56 - 8 * UInt64(index)))
      }
    }
    return uuid
  }

  static let keyedService = uuid(0xECBE_3980_C9A2_11E1, 0xB1BD_0002_A5D5_C51B)

  static func services(_ service: mh_uuid = keyedService, channels: Int = 4) -> TestEvent {
    let to: [(UInt64, UInt64)] = [
      (0xDB5B_55E0_AEE7_11E1, 0x965E_0002_A5D5_C51B), (0xE0B8_A060_AEE7_11E1, 0x92F4_0002_A5D5_C51B),
      (0x0AE1_2B00_AEE8_11E1, 0xA192_0002_A5D5_C51B), (0x10E1_BA60_AEE8_11E1, 0x89E5_0002_A5D5_C51B),
    ]
    let from: [(UInt64, UInt64)] = [
      (0x4912_3040_AEE8_11E1, 0xA74D_0002_A5D5_C51B), (0x4D0B_F320_AEE8_11E1, 0xA0D9_0002_A5D5_C51B),
      (0x5128_CE60_AEE8_11E1, 0xB84B_0002_A5D5_C51B), (0x560F_1420_AEE8_11E1, 0x8184_0002_A5D5_C51B),
    ]
    let lists = (0..<channels).flatMap { index in
      [
        (handle: toMeter[index], properties: UInt16(0x0C), uuid: uuid(to[index].0, to[index].1)),
        (handle: fromMeter[index], properties: UInt16(0x10), uuid: uuid(from[index].0, from[index].1)),
      ]
    }
    let lockUUID = uuid(0xB305_B680_AEE7_11E1, 0xA730_0002_A5D5_C51B)
    return .vendorServices([(lock, 0x18, lockUUID)] + lists, service: service)
  }

  /// Runs one session; the link drops after `limit` events, or `last` is what ends it.
  @discardableResult
  func run(droppingAfter limit: Int = .max, _ last: TestEvent = .disconnected) throws -> Int {
    let session = try host.open(opening)
    session.capacities = capacities
    session.unixMicroseconds = Self.now
    lastActions = []
    var queue = [Self.services()]
    var isTimerSet = false
    var events = 0
    while events < limit {
      // A monitor that says nothing more lets the timer run out.
      if queue.isEmpty, isTimerSet { queue = [.timer(1)] }
      guard !queue.isEmpty else { break }
      events += 1
      let unit = session.commit(queue.removeFirst())
      take(unit)
      for action in unit.actions {
        if action.kind == MH_DO_TIMER { isTimerSet = true }
        if action.kind == MH_DO_CANCEL_TIMER { isTimerSet = false }
        queue += carryOut(action)
      }
      if finished || failure != nil { return events }
    }
    take(session.commit(last))
    return events
  }

  private func take(_ unit: TestUnit) {
    lastActions += unit.actions
    committed += unit.records
  }

  private func carryOut(_ action: TestAction) -> [TestEvent] {
    switch action.kind {
    case MH_DO_PAIR: return [.encrypted(Int32(MH_SECURITY_ENCRYPTED))]
    case MH_DO_SUBSCRIBE: return [.subscribed(token: action.token)]
    case MH_DO_WRITE, MH_DO_WRITE_NO_RESPONSE:
      let confirmed: [TestEvent] = action.kind == MH_DO_WRITE ? [.wrote(token: action.token)] : []
      guard action.handle != Self.lock else {
        return confirmed + (meter.unlock(action.value).map { [.notification(Self.lock, $0)] } ?? [])
      }
      guard let channel = Self.toMeter.firstIndex(of: action.handle),
        let answer = meter.take(action.value, channel: channel)
      else { return confirmed }
      answers += 1
      return confirmed
        + onTheAir(answers, SimulatedOmron.pieces(answer)).map { .notification(Self.fromMeter[$0.channel], $0.bytes) }
    default: return []
    }
  }
}
