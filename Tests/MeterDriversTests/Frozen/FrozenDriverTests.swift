import DriverContract
import Foundation
import MeterDrivers
import TestSupport
import Testing

/// Today's host runs every frozen driver of its major as it ran the first one.
@Suite("R4 frozen drivers") struct FrozenDriverTests {
  static let cases = FrozenContract.served.flatMap { contract in
    DriverHostConfiguration.Isolation.allCases.map { (contract, $0) }
  }

  private func opening() -> DriverOpening {
    var opening = DriverOpening(peripheralID: 12, purpose: .read)
    opening.clockTrust = .synchronised
    opening.unixMicroseconds = 1_700_000_000_000_000
    opening.utcOffsetSeconds = 7_200
    opening.limit = 3
    opening.address = [1, 2, 3, 4, 5, 6]
    opening.addressType = 1
    opening.security = 2
    opening.manufacturer = "Maker"
    opening.model = "Model"
    opening.name = "Name"
    opening.advertisedName = "Advertised"
    opening.advertisement = Array("data".utf8)
    opening.parameters = [
      DriverParameter(name: 5, value: .integer(-3)), DriverParameter(name: 0x8001, value: .float(1.25)),
      DriverParameter(name: 0x8002, value: .bytes([1, 2, 3])), DriverParameter(name: 0x8003, value: .text("quirk")),
    ]
    opening.assets = ["table.bin": [0, 1, 2, 3, 4]]
    return opening
  }

  private func session(
    _ contract: FrozenContract, _ isolation: DriverHostConfiguration.Isolation
  ) async throws -> FrozenSession {
    let keys = [
      "credential/open": SessionKey([1, 2, 3], isReadable: true),
      "credential/closed": SessionKey([UInt8](0..<16), isReadable: false),
    ]
    return FrozenSession(
      try await DriverHost(configuration: DriverHostConfiguration(isolation: isolation))
        .open(
          contract.driver(), driver: "org.meterhost.frozen", opening: opening(), services: KeyService(keys: keys)))
  }

  private func begin(_ session: FrozenSession) async throws -> DriverUnit {
    let service = DriverService(firstHandle: 1, lastHandle: 90, uuid: DriverUUID(short: 0x1808))
    let properties: [UInt16] = [0x10, 0x20, 0x02, 0x08, 0x04]
    let characteristics = properties.enumerated().map { index, properties in
      DriverCharacteristic(
        handle: UInt16(3 + 2 * index), properties: properties, serviceIndex: 0,
        uuid: DriverUUID(short: 0x2a18 + UInt16(index)))
    }
    return try await session.send(.services([service], characteristics))
  }

  private static func numbers(_ unit: DriverUnit) -> [[Int64]] { unit.records.map { $0.values.map(\.raw) } }

  @Test(arguments: cases)
  func everyFieldOfTheOpeningArrivesAndEveryServiceAnswers(
    contract: FrozenContract, isolation: DriverHostConfiguration.Isolation
  ) async throws {
    let session = try await session(contract, isolation)
    let unit = try await begin(session)
    let names = Int64(5 + 0x8001 + 0x8002 + 0x8003)
    let told: [Int64] = [12, 1, 1, 1, 1_700_000_000_000_000, 1, 1, 7_200, 3, 1, 6, 1, 2, 4, -3, 5, 3, names]
    let answers: [Int64] = [0, -1, 0, 3, -4, -8, 0, 0, -8, -6, -1, 0, 16, 0, 4, 3, -6, -8, 0, 5, -8, 1]
    // Lengths of what five ciphers sealed; no room, a damaged tag, a short nonce; codes; SHA-256 of "abc" begins with BA;
    // a derived key; two pairs that agree, and a point that is none.
    let cryptography: [Int64] = [
      16, 16, 16, 24, 32, -4, -5, -1, -2, 16, 32, -8, -2, 0, 0xba, 0, 16, 0, 0, 0, 0, 1, -5,
    ]
    let refusals: [Int64] = [-2, -2, -2, -2]
    #expect(unit.status == 0 && Self.numbers(unit) == [told, answers, cryptography, refusals])
    let texts = [["quirk|Maker|Model|Name|Advertised|data|"], ["services"], ["cryptography"], []]
    #expect(unit.records.map { $0.texts.map(\.text) } == texts)
    let writes = [
      ("meter/fact", "abc"), ("meter/gone", ""), ("meter/opened", "yes"), ("meter/secret/seed", "seed"),
      ("user/secret/key", "0123456789abcdef"),
    ]
    #expect(unit.writes == writes.map { DriverStorageWrite(key: $0, value: Array($1.utf8)) })
    // Behind them the host says what it did not take.
    #expect(
      Array(unit.logs.prefix(4)) == DriverLogLevel.allCases.map { DriverLogLine(level: $0, message: "all services") })
    await session.close()
  }

  @Test(arguments: cases)
  func everyActionArrives(contract: FrozenContract, isolation: DriverHostConfiguration.Isolation) async throws {
    let session = try await session(contract, isolation)
    // What the host did not know is not among them.
    let first: [DriverAction] = [
      .subscribe(handle: 3, token: 100), .subscribe(handle: 5, token: 101), .read(handle: 7, token: 102),
      .write(handle: 9, [1, 2], token: 103), .writeNoResponse(handle: 11, [1, 2]), .exchangeMTU(247, token: 1),
      .pair([.bond, .authenticated], token: 2), .timer(token: 3, nanoseconds: 5_000_000_000), .ready,
      .progress(done: 1, total: 4),
    ]
    #expect(try await begin(session).actions == first)
    let questions: [DriverAction] = [
      .cancelTimer(token: 3),
      .askUser(
        DriverPrompt(
          kind: .passkey, isSecret: true, minimumLength: 6, maximumLength: 6, text: "The number on the meter?",
          keepAs: "meter/secret/pin"), token: 9),
      .askUser(
        DriverPrompt(
          kind: .hexKey, isSecret: true, minimumLength: 32, maximumLength: 32, text: "The key in the box?",
          keepAs: "user/secret/pairing"), token: 10),
      .askUser(
        DriverPrompt(
          kind: .qr, isSecret: false, minimumLength: 1, maximumLength: 4096, text: "The code on the meter?",
          keepAs: "credential/open"), token: 11),
      .askUser(
        DriverPrompt(
          kind: .choice, isSecret: false, minimumLength: 1, maximumLength: 1, text: "Whose meter is it?\nMine\nYours"),
        token: 12),
    ]
    #expect(try await session.send(.timer, token: 3).actions == questions)
    #expect(try await session.send(.serviceChanged).actions == [.unsubscribe(handle: 11, token: 4)])
    #expect(try await session.send(.cancel(graceNanoseconds: 1)).actions == [.finish])
    await session.close()
  }

  @Test(arguments: cases)
  func everyEventHasItsUnit(contract: FrozenContract, isolation: DriverHostConfiguration.Isolation) async throws {
    let session = try await session(contract, isolation)
    func told(_ fact: DriverFact, token: UInt64 = 0) async throws -> [[Int64]] {
      try await Self.numbers(session.send(fact, token: token))
    }
    #expect(try await told(.connected(mtu: 23)) == [[1, 0, 0, 0, 23, 0, 0]])
    #expect(try await told(.encrypted(level: 2)) == [[2, 0, 2, 0, 0, 0, 0]])
    #expect(try await told(.mtu(247), token: 1) == [[5, 1, 0, 0, 247, 0, 0]])
    #expect(try await told(.subscribed(handle: 3, status: 0), token: 100) == [[6, 100, 0, 3, 0, 0, 0]])
    #expect(try await told(.wrote(handle: 9, status: 3), token: 103) == [[10, 103, 3, 9, 0, 0, 0]])
    #expect(try await told(.read(handle: 7, [], status: 2), token: 102) == [[9, 102, 2, 7, 0, 0, 0]])
    #expect(try await told(.userInput([2], status: 0), token: 12) == [[13, 12, 0, 0, 0, 1, 2]])
    #expect(try await told(.userInput([], status: -2), token: 9) == [[13, 9, -2, 0, 0, 0, 0]])
    #expect(try await told(.advertisement([2, 1, 6], rssi: -70)) == [[12, 0, -70, 0, 0, 3, 2]])
    let serial = try await session.send(.read(handle: 7, Array("S-1".utf8), status: 0), token: 102)
    #expect(serial.records.map(\.kind) == [.deviceInfo])
    #expect(serial.records.map(\.texts) == [[DriverText(field: 300, text: "S-1")]])
    let heard = try await session.send(.advertisement([15, 0x16, 0x1d, 0x18] + FrozenPacket().bytes, rssi: 127))
    #expect(heard.records.map(\.deviceSequence) == [5] && heard.writes.map(\.key) == ["user/cursor"])
    #expect(try await told(.disconnected(reason: 8)) == [[15, 0, 8, 0, 0, 0, 0]])
    await session.close()
  }

  @Test(arguments: cases)
  func everyKindOfRecordArrives(contract: FrozenContract, isolation: DriverHostConfiguration.Isolation) async throws {
    let session = try await session(contract, isolation)
    // What open wrote joins the first event's unit.
    #expect(try await session.send(.connected(mtu: 23)).writes.map(\.key) == ["meter/opened"])
    for packet in FrozenPacket.all {
      let unit = try await session.send(.notification(handle: 3, packet.bytes))
      #expect(unit.records == [packet.record(arrival: FrozenSession.now)], "\(packet)")
      #expect(unit.writes == [DriverStorageWrite(key: "user/cursor", value: [5, 0])])
    }
    let grouped = try await session.send(.indication(handle: 5, FrozenPacket().bytes))
    #expect(grouped.records.map(\.group) == [7])
    await session.close()
  }

  @Test(arguments: cases)
  func floodsGoOnWhereTheSinkWasFull(
    contract: FrozenContract, isolation: DriverHostConfiguration.Isolation
  ) async throws {
    let session = try await session(contract, isolation)
    for count in [300, 4096] {
      let flood = try await session.send(.notification(handle: 3, [UInt8(count & 0xff), UInt8(count >> 8)]))
      #expect(flood.records.compactMap(\.deviceSequence) == (1...count).reversed().map { UInt64($0) })
      #expect(flood.records.map(\.texts.count) == (1...count).reversed().map { $0 % 3 })
    }
    await session.close()
  }

  /// Refused bytes and an event that the driver does not know leave the session as it is; any other status ends it.
  @Test(arguments: cases)
  func statusesMeanWhatTheyMeant(contract: FrozenContract, isolation: DriverHostConfiguration.Isolation) async throws {
    let session = try await session(contract, isolation)
    for status in [MH.protocolError, MH.unsupported] {
      let unit = try await session.send(.notification(handle: 3, [UInt8(-status)]))
      #expect(unit.status == status && unit.sessionGoesOn && unit.records.isEmpty)
      #expect(try await session.send(.notification(handle: 3, FrozenPacket().bytes)).records.count == 1)
    }
    let broken = try await session.send(.notification(handle: 3, FrozenPacket().bytes + [0]))
    #expect(broken.status == MH.protocolError && broken.sessionGoesOn)
    let last = try await session.send(.notification(handle: 3, [UInt8(-MH.denied)]))
    #expect(last.status == MH.denied && !last.sessionGoesOn)
    await session.close()
  }

  @Test(arguments: cases)
  func everyFailureEndsTheSession(contract: FrozenContract, isolation: DriverHostConfiguration.Isolation) async throws {
    for code in DriverFailureCode.allCases {
      let session = try await session(contract, isolation)
      let unit = try await session.send(.userInput([], status: MH.denied), token: UInt64(code.rawValue))
      #expect(unit.actions == [DriverAction.fail(code, subcode: 42, text: "not today")])
      #expect(!unit.sessionGoesOn)
      await session.close()
    }
  }

  @Test(arguments: cases)
  func decodesAndDescribesItself(contract: FrozenContract, isolation: DriverHostConfiguration.Isolation) async throws {
    let host = DriverHost(configuration: DriverHostConfiguration(isolation: isolation))
    let described = try await host.drivers(of: contract.driver())
    #expect(
      described == [
        DriverDescription(
          id: "org.meterhost.frozen", version: "1.0.0", vendor: "MeterHost",
          capabilities: [.connect, .advertisementOnly, .decode],
          functions: [DriverFunction(name: "twice", signature: "i32(i64,out_i64)")])
      ])
    func item(_ characteristic: UInt16, _ bytes: [UInt8]) -> DecodeItem {
      DecodeItem(characteristic: characteristic, receivedMicroseconds: 9, bytes: bytes)
    }
    let packets = FrozenPacket.all
    let values = [[1], FrozenPacket(raw: -1).bytes, FrozenPacket(identity: .unidentified).bytes]
    let items =
      packets.map { item(0x2a18, $0.bytes) } + values.map { item(0x2a18, $0) }
      // An unknown characteristic; service data that is not said to be any; an action, which decode may not ask for.
      + [item(0x2a19, packets[0].bytes), item(0x181d, packets[0].bytes), item(0x2a1b, [])]
    let outcomes = try await host.decode(
      contract.driver(), driver: "org.meterhost.frozen", opening: DriverOpening(peripheralID: 12), items: items)
    #expect(outcomes.prefix(packets.count).map(\.records) == packets.map { [$0.record(arrival: 9, group: 12)] })
    #expect(outcomes.dropFirst(packets.count).map(\.status) == [-3, -9, -3, -2, -2, 0])
    #expect(outcomes.last?.records.first?.values.map(\.raw) == [Int64(MH.denied)])
  }

  /// More than a batch holds, with notes: every round begins with the value that found no room.
  @Test(arguments: cases)
  func decodesManyOverManyRounds(contract: FrozenContract, isolation: DriverHostConfiguration.Isolation) async throws {
    let packets = (0..<3000).map { FrozenPacket(sequence: $0, hasNote: $0 % 2 == 0) }
    let outcomes = try await DriverHost(configuration: DriverHostConfiguration(isolation: isolation)).decode(
      contract.driver(), driver: "org.meterhost.frozen", opening: DriverOpening(),
      items: packets.map { DecodeItem(characteristic: 0x2a18, receivedMicroseconds: 9, bytes: $0.bytes) })
    #expect(outcomes.map(\.records) == packets.map { [$0.record(arrival: 9)] })
  }
}
