import DriverRuntime
import Foundation
import MeterDrivers
import TestSupport
import Testing

/// Today's host runs every frozen driver of its major as it ran the first one.
@Suite("R4 frozen drivers") struct FrozenDriverTests {
  static let cases = FrozenContract.served.flatMap { contract in
    DriverHostConfiguration.Isolation.allCases.map { (contract, $0) }
  }

  /// flags, sequence 5, 100 s, 5.5, as the driver's meter sends it.
  static func packet(flags: UInt8 = 0, sequence: UInt8 = 5, seconds: UInt8 = 100, raw: UInt8 = 55) -> [UInt8] {
    [flags, sequence, 0, seconds, 0, 0, 0, raw, 0, 0xff]
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
    return opening
  }

  private func session(
    _ contract: FrozenContract, _ isolation: DriverHostConfiguration.Isolation
  ) async throws -> any DriverSession {
    try await DriverHost(configuration: DriverHostConfiguration(isolation: isolation))
      .open(contract.driver(), driver: "org.meterhost.frozen", opening: opening())
  }

  private static func numbers(_ unit: DriverUnit) -> [[Int64]] { unit.records.map { $0.values.map(\.raw) } }

  @Test(arguments: cases)
  func everyFieldOfTheOpeningArrivesAndEveryServiceAnswers(
    contract: FrozenContract, isolation: DriverHostConfiguration.Isolation
  ) async throws {
    let session = try await session(contract, isolation)
    let service = DriverService(firstHandle: 1, lastHandle: 90, uuid: DriverUUID(short: 0x1808))
    let properties: [UInt16] = [0x10, 0x20, 0x02, 0x08, 0x04]
    let characteristics = properties.enumerated().map { index, properties in
      DriverCharacteristic(
        handle: UInt16(3 + 2 * index), properties: properties, serviceIndex: 0,
        uuid: DriverUUID(short: 0x2a18 + UInt16(index)))
    }
    let unit = try await session.handle(DriverHostTests.event(.services([service], characteristics)))
    #expect(unit.status == 0)
    let names = Int64(5 + 0x8001 + 0x8002 + 0x8003)
    let told: [Int64] = [12, 1, 1, 1, 1_700_000_000_000_000, 1, 1, 7_200, 3, 1, 6, 1, 2, 4, -3, 5, 3, names]
    let answers: [Int64] = [0, 0, 0, 3, -4, -8, -8, 1]
    #expect(Self.numbers(unit) == [told, answers])
    #expect(
      unit.records.map { $0.texts.map(\.text) } == [["quirk|Maker|Model|Name|Advertised|data|"], ["services"]])
    #expect(unit.writes == [DriverStorageWrite(key: "meter/fact", value: Array("abc".utf8))])
    #expect(unit.logs.map(\.message) == ["all services"])
    let wanted: [DriverAction] =
      [
        .subscribe(handle: 3, token: 100), .subscribe(handle: 5, token: 101), .read(handle: 7, token: 102),
        .write(handle: 9, [1, 2], token: 103), .writeNoResponse(handle: 11, [1, 2]), .exchangeMTU(247, token: 1),
        .pair([.bond, .authenticated], token: 2), .timer(token: 3, nanoseconds: 5_000_000_000), .ready,
        .progress(done: 1, total: 4),
      ]
    #expect(unit.actions == wanted)
    await session.close()
  }

  @Test(arguments: cases)
  func everyEventHasItsUnit(contract: FrozenContract, isolation: DriverHostConfiguration.Isolation) async throws {
    let session = try await session(contract, isolation)
    var sequence: UInt64 = 0
    func send(_ fact: DriverFact, token: UInt64 = 0) async throws -> DriverUnit {
      sequence += 1
      return try await session.handle(
        DriverEvent(
          sequence: sequence, token: token, monotonicNanoseconds: sequence, unixMicroseconds: 77_000_000, fact: fact))
    }
    #expect(try await Self.numbers(send(.connected(mtu: 23))) == [[1, 0, 0, 0, 23, 0]])
    #expect(try await Self.numbers(send(.encrypted(level: 2))) == [[2, 0, 2, 0, 0, 0]])
    #expect(try await Self.numbers(send(.mtu(247), token: 1)) == [[5, 1, 0, 0, 247, 0]])
    #expect(try await Self.numbers(send(.subscribed(handle: 3, status: 0), token: 100)) == [[6, 100, 0, 3, 0, 0]])
    #expect(try await Self.numbers(send(.wrote(handle: 9, status: 3), token: 103)) == [[10, 103, 3, 9, 0, 0]])
    let serial = try await send(.read(handle: 7, Array("S-1".utf8), status: 0), token: 102)
    #expect(serial.records.map(\.texts) == [[DriverText(field: 300, text: "S-1")]])
    let reading = try await send(.notification(handle: 3, Self.packet(flags: 1 | 8)))
    let record = try #require(reading.records.first)
    #expect(
      record.values.first == DriverValue(metric: 1, unit: 3, exponent: -1, qualifier: .exact, value: 5.5, raw: 55))
    #expect(record.texts.map(\.text) == ["before breakfast"])
    #expect(record.startMicroseconds == 100_000_000 && record.utcOffsetSeconds == 3_600)
    #expect(record.deviceSequence == 5 && record.identity == Array(Self.packet().dropFirst()))
    #expect(record.deviceUser == 1 && record.group == 0)
    #expect(reading.writes == [DriverStorageWrite(key: "user/cursor", value: [5, 0])])
    let timeless = try await send(.indication(handle: 5, Self.packet(seconds: 0)))
    #expect(timeless.records.first?.startMicroseconds == 77_000_000 && timeless.records.first?.group == 7)
    #expect(try await send(.notification(handle: 3, [1])).status == -3)
    #expect(try await send(.notification(handle: 3, Self.packet(raw: 0x37) + [0])).status == -3)
    let flood = try await send(.notification(handle: 3, [0x2c, 0x01]))
    #expect(flood.records.compactMap(\.deviceSequence) == (1...300).reversed().map { UInt64($0) })
    #expect(
      try await send(.timer, token: 3).actions.count == 2)
    #expect(try await send(.serviceChanged).actions == [.unsubscribe(handle: 1, token: 4)])
    #expect(try await send(.cancel(graceNanoseconds: 1)).actions == [.finish])
    #expect(try await Self.numbers(send(.disconnected(reason: 8))) == [[15, 0, 8, 0, 0, 0]])
    await session.close()
  }

  @Test(arguments: cases)
  func failingEndsTheSession(contract: FrozenContract, isolation: DriverHostConfiguration.Isolation) async throws {
    let session = try await session(contract, isolation)
    let unit = try await session.handle(DriverHostTests.event(.userInput([], status: -6)))
    #expect(unit.actions == [DriverAction.fail(.keyWrong, subcode: 42, text: "not today")])
    #expect(!unit.sessionGoesOn)
    await session.close()
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
    let values: [[UInt8]] = [Self.packet(), Self.packet(flags: 2), [1], [0, 1, 0, 1, 0, 0, 0, 0, 0x80, 0]]
    let items = values.map {
      DecodeItem(characteristic: 0x2a18, receivedMicroseconds: 9, bytes: $0)
    }
    let other = DecodeItem(characteristic: 0x2a19, receivedMicroseconds: 9, bytes: Self.packet())
    let outcomes = try await host.decode(
      contract.driver(), driver: "org.meterhost.frozen", opening: DriverOpening(peripheralID: 12),
      items: items + [other])
    #expect(outcomes.map(\.status) == [0, 0, -3, -9, -2])
    #expect(outcomes.prefix(2).map { $0.records.map(\.group) } == [[12], [12]])
  }
}
