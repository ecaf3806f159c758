import BluetoothWire
import TestSupport
import Testing

@testable import KernelBluetooth

@Suite("Management packets")
struct ManagementPacketTests {
  static let meter = BluetoothAddress(value: 0xF0F1_F2F3_F4F5, kind: .random)

  @Test("A packet has code, adapter and length before its parameters")
  func head() throws {
    let packet = ManagementPacket(code: 0x0023, index: 1, parameters: [6])
    #expect(packet.encoded == [0x23, 0, 1, 0, 1, 0, 6])
    #expect(ManagementPacket(decoding: packet.encoded) == packet)
    #expect(ManagementPacket(decoding: [0x23, 0, 1, 0, 2, 0, 6]) == nil)
    #expect(ManagementPacket(decoding: [0x23, 0, 1, 0, 1, 0, 6, 7]) == nil)
    #expect(ManagementPacket(decoding: [0x23, 0, 1, 0, 1]) == nil)
  }

  @Test(
    "Commands are written as the kernel reads them",
    arguments: [
      (
        ManagementCommand.pair(meter, .keyboardDisplay),
        [0x19, 0, 0, 0, 8, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2, 4]
      ),
      (.confirm(meter, true), [0x1C, 0, 0, 0, 7, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2]),
      (.confirm(meter, false), [0x1D, 0, 0, 0, 7, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2]),
      (
        .passkey(meter, 123_456),
        [0x1E, 0, 0, 0, 11, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2, 0x40, 0xE2, 0x01, 0x00]
      ),
      (.passkey(meter, nil), [0x1F, 0, 0, 0, 7, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2]),
      (.unpair(meter, disconnects: true), [0x1B, 0, 0, 0, 8, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2, 1]),
      (.startDiscovery, [0x23, 0, 0, 0, 1, 0, 6]),
      (.loadIdentityKeys([]), [0x30, 0, 0, 0, 2, 0, 0, 0]),
      (.setPowered(true), [0x05, 0, 0, 0, 1, 0, 1]),
    ] as [(ManagementCommand, [UInt8])])
  func commands(_ command: ManagementCommand, _ bytes: [UInt8]) {
    #expect(command.packet(index: 0).encoded == bytes)
  }

  @Test("A monitor's pattern has room for 31 bytes")
  func monitor() {
    let packet = ManagementCommand.addMonitor([AdvertisementPattern(type: 1, bytes: [6])]).packet(index: 0)
    #expect(packet.parameters == [1, 1, 0, 1, 6] + Array(repeating: 0, count: 30))
  }

  /// Events as a kernel 6.1 sent them during pairings with a bumble peripheral.
  @Test(
    "Events of the kernel",
    arguments: [
      ([0x10, 0, 0, 0, 7, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2], ManagementEvent.passkeyRequest(meter)),
      (
        [0x0F, 0, 0, 0, 12, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2, 0, 0x40, 0xE2, 1, 0],
        .confirmationRequest(meter, number: 123_456)
      ),
      (
        [0x0F, 0, 0, 0, 12, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2, 1, 0, 0, 0, 0],
        .confirmationRequest(meter, number: nil)
      ),
      ([0x17, 0, 0, 0, 12, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2, 7, 0, 0, 0, 0], .passkeyToShow(meter, 7)),
      (
        [0x11, 0, 0, 0, 8, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2, 5],
        .authenticationFailed(meter, .authenticationFailed)
      ),
      ([0x0C, 0, 0, 0, 8, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2, 2], .disconnected(meter, .local)),
      ([0x13, 0, 0, 0, 2, 0, 6, 0], .discovering(false)),
      ([0x05, 0, 1, 0, 0, 0], .adapterRemoved),
      ([0x01, 0, 0, 0, 4, 0, 0x19, 0, 5, 9], .answer(command: 0x19, .authenticationFailed, [9])),
    ] as [([UInt8], ManagementEvent)])
  func events(_ bytes: [UInt8], _ event: ManagementEvent) throws {
    let packet = try #require(ManagementPacket(decoding: bytes))
    #expect(ManagementEvent(packet) == event)
  }

  @Test("A found device is a report")
  func found() throws {
    let data: [UInt8] = [2, 1, 6, 3, 3, 0x08, 0x18]
    let parameters: [UInt8] = [0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2, 0xC4, 4, 0, 0, 0, 7, 0] + data
    let report = AdvertisingReport(eventType: .nonconnectable, address: Self.meter, rssi: -60, data: data)
    #expect(ManagementEvent(ManagementPacket(code: 0x12, index: 0, parameters: parameters)) == .found(report))
    // The same through a monitor, with its handle in front.
    #expect(ManagementEvent(ManagementPacket(code: 0x2F, index: 0, parameters: [1, 0] + parameters)) == .found(report))
    // BR/EDR devices are left out.
    var classic = parameters
    classic[6] = 0
    #expect(ManagementEvent(ManagementPacket(code: 0x12, index: 0, parameters: classic)) == nil)
  }

  @Test("Keys go back as they came")
  func keys() throws {
    var key: [UInt8] = [0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2, 1, 0, 16, 0x34, 0x12] + Array(1...8)
    key += Array(100...115)
    let event = ManagementEvent(ManagementPacket(code: 0x0A, index: 0, parameters: [1] + key))
    guard case .longTermKey(let found, isToBeKept: true) = event else {
      Issue.record("\(String(describing: event))")
      return
    }
    #expect(found.peer == Self.meter && found.kind == .authenticated && !found.isCentral && found.size == 16)
    #expect(ManagementCommand.loadLongTermKeys([found]).packet(index: 0).parameters == [1, 0] + key)
    let identity: [UInt8] = [0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2] + Array(1...16)
    let learnt = ManagementEvent(
      ManagementPacket(code: 0x18, index: 0, parameters: [1, 1, 2, 3, 4, 5, 0x46] + identity))
    guard case .identityKey(let identityKey, let address, isToBeKept: true) = learnt else {
      Issue.record("\(String(describing: learnt))")
      return
    }
    #expect(address == BluetoothAddress(value: 0x4605_0403_0201, kind: .random))
    let bond = try #require(KernelBond(keys: [found], identity: identityKey))
    #expect(KernelBond(decoding: bond.encoded) == bond)
    #expect(bond.isAuthenticated && bond.peer == Self.meter)
  }

  @Test("Whatever bytes come, reading them ends")
  func anyBytes() {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = ManagementPacket(decoding: bytes).map(ManagementEvent.init)
      let code = UInt16.random(in: 0...0x31, using: &random)
      if let event = ManagementEvent(ManagementPacket(code: code, index: 0, parameters: bytes)),
        case .found(let report) = event
      {
        #expect(report.data.count <= bytes.count)
      }
      _ = KernelBond(decoding: bytes)
    }
  }

  @Test("A damaged bond is none", arguments: [0, 1, 5, 36, 37, 38, 60])
  func damagedBond(_ length: Int) throws {
    let key = LongTermKey(
      peer: Self.meter, kind: .unauthenticatedCurve, isCentral: false, size: 16, diversifier: 0, random: 0,
      value: Array(repeating: 7, count: 16))
    let bond = try #require(KernelBond(keys: [key], identity: IdentityKey(peer: Self.meter, value: Array(0..<16))))
    #expect(bond.encoded.count == 2 + 36 + 23)
    let cut = KernelBond(decoding: Array(bond.encoded.prefix(length)))
    // Without its last part it is a bond with a meter that does not change its address.
    #expect(length == 38 ? cut?.identity == nil && cut?.keys == [key] : cut == nil)
  }
}
