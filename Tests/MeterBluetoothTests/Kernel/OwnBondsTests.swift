import BluetoothWire
import KernelBluetooth
import Testing

@testable import MeterBluetooth

/// What this host makes of the bonds in its own store.
@Suite("Bonds of this host's own") struct OwnBondsTests {
  private static let here = BluetoothAddress(value: 0x0000_0000_00A1, kind: .public)
  private static let there = BluetoothAddress(value: 0x0000_0000_00B2, kind: .public)
  private static let meter = BluetoothAddress(value: 0xC0FF_EE00_0001, kind: .random)
  private static let other = BluetoothAddress(value: 0xC0FF_EE00_0002, kind: .random)

  /// A store with bonds by adapter.
  private struct Shelf: AdapterBonds {
    var kept: [BluetoothAddress: [[UInt8]]] = [:]

    func bond(with address: BluetoothAddress, at adapter: BluetoothAddress) -> [UInt8]? {
      // As the store's: by the 48 bits alone.
      kept[adapter]?.first { KernelBond(decoding: $0)?.peer?.value == address.value }
    }
    func keep(_ bond: [UInt8]?, with address: BluetoothAddress, at adapter: BluetoothAddress) {}
    func bonds(at adapter: BluetoothAddress) -> [[UInt8]] { kept[adapter] ?? [] }
    func bonds() -> [[UInt8]] { kept.values.flatMap(\.self) }
  }

  private static func bond(_ peer: BluetoothAddress, _ kind: LongTermKey.Kind) throws -> [UInt8] {
    let value = [UInt8](repeating: UInt8(truncatingIfNeeded: peer.value), count: 16)
    let key = LongTermKey(
      peer: peer, kind: kind, isCentral: true, size: 16, diversifier: 0, random: 0, value: value)
    return try #require(KernelBond(keys: [key], identity: IdentityKey(peer: peer, value: value))).encoded
  }

  @Test("a link is protected as its bond was made, and a device with the other kind of address has no bond")
  func protection() async throws {
    let shelf = Shelf(kept: [
      Self.here: [try Self.bond(Self.meter, .unauthenticatedCurve), try Self.bond(Self.other, .authenticated)]
    ])
    let keeper = OwnBondKeeper(bonds: shelf)
    #expect(try await keeper.protection(of: Self.meter, at: Self.here) == .encrypted)
    #expect(try await keeper.protection(of: Self.other, at: Self.here) == .authenticated)
    #expect(try await keeper.protection(of: Self.meter, at: Self.there) == nil)
    let namesake = BluetoothAddress(value: Self.meter.value, kind: .public)
    #expect(try await keeper.protection(of: namesake, at: Self.here) == nil)
  }

  @Test("an adapter encrypts with its own bonds and recognises the meters of all, each once")
  func identities() async throws {
    let shelf = Shelf(kept: [
      Self.here: [try Self.bond(Self.meter, .authenticatedCurve), [9, 9]],
      Self.there: [try Self.bond(Self.other, .authenticatedCurve), try Self.bond(Self.meter, .authenticated)],
    ])
    let kept = try #require(try await OwnBondKeeper(bonds: shelf).bonds(of: Self.here))
    #expect(kept.bonds.compactMap(\.peer) == [Self.meter])
    #expect(kept.identities.map(\.peer) == [Self.meter, Self.other])
  }
}

/// The exchange that comes before a link is encrypted.
@Suite("The opening of a link") struct LinkOpeningTests {
  @Test(
    "the size that both take is agreed on, whatever the meter answers",
    arguments: [
      (ATTPDU.exchangeMTUResponse(serverMTU: 185), 185), (.exchangeMTUResponse(serverMTU: 5), 23),
      (.exchangeMTUResponse(serverMTU: 65_535), ATTClient.maximumPDULength),
      (.errorResponse(request: .exchangeMTURequest, handle: 0, code: .requestNotSupported), 23),
    ])
  func size(answer: ATTPDU, mtu: Int) {
    var opening = LinkOpening()
    opening.take(answer.encoded)
    #expect(opening.mtu == mtu && opening.others.isEmpty)
  }

  @Test("what the meter sends before it answers is kept in its order")
  func others() {
    let sent: [[UInt8]] = [
      ATTPDU.handleValueNotification(handle: 3, value: [1]).encoded, [0xFF, 2],
      ATTPDU.errorResponse(request: .readRequest, handle: 0, code: .requestNotSupported).encoded,
    ]
    var opening = LinkOpening()
    for pdu in sent { opening.take(pdu) }
    #expect(opening.mtu == nil && opening.others == sent)
  }
}
