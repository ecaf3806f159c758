import CMeterDriver
import TestSupport
import Testing

import DriverContract
@testable import DriverRuntime

@Suite struct WireTests {
  static let opening = DriverOpening(
    peripheralID: 1000, purpose: .pair, clockTrust: .synchronised, unixMicroseconds: -1, since: 5, until: nil,
    utcOffsetSeconds: -3600, limit: 9, address: [1, 2, 3, 4, 5, 6], addressType: 1, security: 2, manufacturer: "Müller",
    model: "X", name: "n", advertisedName: "a", advertisement: [2, 1, 6],
    parameters: [
      DriverParameter(name: 1, value: .integer(-7)), DriverParameter(name: 2, value: .float(1.5)),
      DriverParameter(name: 3, value: .bytes([1])), DriverParameter(name: 4, value: .text("t")),
    ],
    storage: ["user/a": [1], "meter/b": []], assets: ["f": [1, 2, 3]])

  static let facts: [DriverFact] = [
    .connected(mtu: 23), .encrypted(level: 2),
    .services(
      [DriverService(firstHandle: 1, lastHandle: 2, uuid: DriverUUID(short: 0x1808))],
      [DriverCharacteristic(handle: 2, properties: 16, serviceIndex: 0, uuid: DriverUUID(high: 1, low: 2))]),
    .serviceChanged, .mtu(517), .subscribed(handle: 1, status: 3), .notification(handle: 1, [1, 2]),
    .indication(handle: 1, []), .read(handle: 1, [7], status: 2), .wrote(handle: 1, status: 0), .timer,
    .advertisement([1], rssi: -60), .userInput([0x31], status: -6), .cancel(graceNanoseconds: 5),
    .disconnected(reason: 19), .proceed,
  ]

  static func unit() -> RawUnit {
    RawUnit(
      status: 0,
      rounds: [RawOutput(records: [.init()], values: [.init()], texts: [.init()], arena: [1, 2, 3])],
      actions: [
        RawAction(kind: 4, token: 1, first: 2, second: 3, handle: 4, flags: 5, code: 6, value: [7], text: [0x38])
      ],
      writes: [DriverStorageWrite(key: "user/k", value: [1])], logs: [DriverLogLine(level: .error, message: "m")])
  }

  @Test func openingSurvives() throws {
    let message = HostMessage.open(driver: "d", Self.opening)
    guard case .open("d", let back) = try HostMessage(type: message.type, payload: message.payload) else {
      Issue.record("another message")
      return
    }
    #expect(back == Self.opening)
  }

  @Test(arguments: facts) func eventsSurvive(fact: DriverFact) throws {
    let event = DriverEvent(sequence: 1, token: 2, monotonicNanoseconds: 3, unixMicroseconds: -4, fact: fact)
    let message = HostMessage.event(event)
    guard case .event(let back) = try HostMessage(type: message.type, payload: message.payload) else {
      Issue.record("another message")
      return
    }
    #expect(back == event)
  }

  @Test func unitSurvives() throws {
    let message = WorkerMessage.unit(Self.unit())
    let back = try WorkerMessage(type: message.type, payload: message.payload)
    #expect(back.payload == message.payload)
  }

  static let messages: [(type: UInt8, payload: [UInt8], isHost: Bool)] =
    facts.map { fact in
      let message = HostMessage.event(
        DriverEvent(sequence: 1, token: 2, monotonicNanoseconds: 3, unixMicroseconds: 4, fact: fact))
      return (message.type, message.payload, true)
    } + [
      (1, HostMessage.open(driver: "d", opening).payload, true),
      (4, HostMessage.decode(slices: [.init()], arena: [1, 2]).payload, true),
      (66, WorkerMessage.unit(unit()).payload, false),
      (67, WorkerMessage.fault(DriverFault(.hung, driver: "d", rule: "R1", message: "m", cause: "c")).payload, false),
      (63, WorkerMessage.confined(.host).payload, false),
      (
        64,
        WorkerMessage.hello(
          .host,
          [
            DriverDescription(
              id: "i", version: "v", vendor: "w", capabilities: .decode,
              functions: [DriverFunction(name: "f", signature: "s")], extensions: [.image])
          ]
        ).payload, false
      ),
    ]

  private func read(_ type: UInt8, _ payload: [UInt8], isHost: Bool) throws {
    if isHost {
      _ = try HostMessage(type: type, payload: payload)
    } else {
      _ = try WorkerMessage(type: type, payload: payload)
    }
  }

  @Test(arguments: messages.indices) func everyTruncationAndExtensionIsAnError(index: Int) throws {
    let (type, payload, isHost) = Self.messages[index]
    try read(type, payload, isHost: isHost)
    for length in payload.indices {
      #expect(throws: WireError.self) { try read(type, Array(payload[..<length]), isHost: isHost) }
    }
    #expect(throws: WireError.self) { try read(type, payload + [0], isHost: isHost) }
  }

  @Test(arguments: messages.indices) func mutationsNeverTrap(index: Int) throws {
    let (type, payload, isHost) = Self.messages[index]
    guard !payload.isEmpty else { return }
    var random = SeededGenerator(seed: UInt64(index) + 1)
    var read = 0
    for _ in 0..<2000 {
      var bytes = payload
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] =
          [0, 1, 0x7f, 0x80, 0xff, .random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      if (try? self.read(type, bytes, isHost: isHost)) != nil { read += 1 }
    }
    #expect(read <= 2000)
  }

  @Test func mutatedUnitsAreCheckedWithoutATrap() throws {
    let session = try FixtureLibrary.session("good")
    let raw = try session.rawUnit(.notification([62]))
    let payload = WorkerMessage.unit(raw).payload
    var random = SeededGenerator(seed: 7)
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes = payload
      bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      guard case .unit(let raw)? = try? WorkerMessage(type: 66, payload: bytes) else { continue }
      guard let unit = try? UnitCheck(driver: "good", isDisconnected: false).check(raw) else { continue }
      accepted += 1
      #expect(unit.records.allSatisfy { $0.values.allSatisfy { $0.value.isFinite } })
    }
    #expect(accepted > 0)
  }

  @Test func frameHeadsAreJudged() throws {
    #expect(try WireFrame(head: WireFrame(type: 9, length: 77).head) == WireFrame(type: 9, length: 77))
    #expect(throws: WireError.self) { try WireFrame(head: [255, 255, 255, 255, 1, 4, 0, 0]) }
    #expect(throws: WireError.self) { try WireFrame(head: [0, 0, 0, 0, 1, 1, 0, 0]) }
    #expect(throws: WireError.self) { try WireFrame(head: [0, 0, 0, 0, 1, 2, 1, 0]) }
  }

  @Test func decodedFramesAreJudged() throws {
    var payload = [UInt8](repeating: 0, count: 24 + 32)
    payload[0] = 1
    payload[20] = 1
    func read(_ payload: [UInt8]) throws -> Int {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: payload.count, alignment: 16)
      defer { copy.deallocate() }
      copy.copyBytes(from: payload)
      return try DecodedFrame.read(UnsafeRawBufferPointer(copy)).slices.count
    }
    #expect(try read(payload) == 1)
    for length in payload.indices { #expect(throws: WireError.self) { try read(Array(payload[..<length])) } }
    for count in [0, 4, 8, 12, 16, 20] {
      var lying = payload
      lying[count + 3] = 0xff
      #expect(throws: WireError.self) { try read(lying) }
    }
  }
}
