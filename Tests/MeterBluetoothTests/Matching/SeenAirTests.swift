import BluetoothWire
import TestSupport
import Testing

@testable import MeterBluetooth
@testable import MeterDrivers

@Suite("What is known of the air")
struct SeenAirTests {
  private static let service = UUIDString(uuid16: 0x1808)

  /// 1 wants a service, 2 the service and a name.
  private static let index = AdvertisementIndex([
    Peripheral.recognised(
      1,
      by: [
        MatchRule(
          services: [service], companyID: nil, namePrefix: nil, manufacturerPrefix: nil, modelPrefix: nil)
      ]),
    Peripheral.recognised(
      2,
      by: [
        MatchRule(
          services: [service], companyID: nil, namePrefix: "Meter", manufacturerPrefix: nil, modelPrefix: nil)
      ]),
  ])

  private static let glucose = AdvertisingData(AdvertisingData.Structure.services([0x1808])).encoded
  private static let name = AdvertisingData([.completeName("Meter+7")]).encoded

  private func report(
    _ address: UInt64, _ data: [UInt8], response: Bool = false, rssi: Int8 = -50, random: Bool = false
  ) -> AdvertisingReport {
    AdvertisingReport(
      eventType: response ? .scanResponse : .connectable,
      address: BluetoothAddress(value: address, kind: random ? .random : .public), rssi: rssi, data: data)
  }

  @Test("advertisement and scan response are known together, in either order", arguments: [false, true])
  func merging(responseFirst: Bool) {
    var air = SeenAir(index: Self.index)
    let reports = [report(1, Self.glucose), report(1, Self.name, response: true)]
    for report in responseFirst ? reports.reversed() : reports { _ = air.hear(report) }
    let sighting = air.sighting(of: BluetoothAddress(value: 1))
    #expect(sighting?.matches.fits == [1, 2])
    #expect(sighting?.advertisingData.localName == "Meter+7")
    #expect(sighting?.device.services == [Self.service])
    // The same address as a random one is somebody else.
    #expect(air.hear(report(1, Self.name, random: true)).change == .first)
    #expect(air.count == 2)
  }

  @Test("repeats change nothing, and everything else does")
  func repeats() {
    var air = SeenAir(index: Self.index)
    #expect(air.hear(report(1, Self.glucose)).change == .first)
    #expect(
      air.hear(report(1, Self.glucose, rssi: -70))
        == .init(change: .none, matches: air.sightings[0].matches, forgotten: nil))
    #expect(air.hear(report(1, Self.name, response: true)).change == .payload)
    #expect(air.hear(report(1, Self.name, response: true)).change == .none)
    #expect(air.hear(report(1, Self.glucose)).matches.fits == [1, 2])
    let other = air.hear(report(1, []))
    #expect(other.change == .payload && other.matches == .none)
    #expect(air.sightings.map(\.rssi) == [-50])
    // A strength that was not measured tells nothing.
    _ = air.hear(report(1, [], rssi: 127))
    #expect(air.sightings.map(\.rssi) == [-50])
    #expect(air.hear(report(2, Self.glucose, rssi: 127)).change == .first)
    #expect(air.sighting(of: BluetoothAddress(value: 2))?.rssi == .some(nil))
  }

  @Test("data beyond what is parsed are not kept")
  func longData() {
    var air = SeenAir(index: Self.index)
    var long = report(1, [])
    long.data = Self.glucose + Array(repeating: 0, count: 100_000)
    #expect(air.hear(long).matches.fits == [1])
    #expect(air.hear(long).change == .none)
    #expect(air.sightings[0].advertisement.count == AdvertisingData.maximumLength)
  }

  @Test("other entries are looked for at once")
  func otherIndex() {
    var air = SeenAir(index: AdvertisementIndex([]))
    #expect(air.hear(report(1, Self.glucose)).matches == .none)
    air.use(Self.index)
    #expect(
      air.hear(report(1, Self.glucose))
        == .init(change: .none, matches: .init(fits: [1], undecided: []), forgotten: nil))
  }

  @Test("who was silent for the longest time is forgotten", arguments: [1, 2, 7, 64])
  func forgetting(capacity: Int) {
    var random = SeededGenerator(seed: UInt64(capacity))
    var air = SeenAir(index: Self.index, capacity: capacity)
    var known: [UInt64] = []
    for _ in 0..<1000 {
      let address = UInt64.random(in: 0..<UInt64(capacity * 2 + 1), using: &random)
      let hearing = air.hear(report(address, Self.glucose))
      #expect((hearing.change == .first) == !known.contains(address))
      #expect(hearing.matches.fits == [1])
      known.removeAll { $0 == address }
      known.insert(address, at: 0)
      let forgotten = known.count > capacity ? known.removeLast() : nil
      #expect(hearing.forgotten == forgotten.map { BluetoothAddress(value: $0) })
    }
    #expect(air.sightings.map(\.address.value) == known)
    #expect(air.count == capacity)
  }

  @Test("what is remembered is what the index says of the last of both", arguments: 0..<8 as Range<UInt64>)
  func property(seed: UInt64) {
    var random = RandomAir(seed: seed)
    let index = AdvertisementIndex(random.peripherals(20))
    var air = SeenAir(index: index)
    var last: [UInt64: [Bool: [UInt8]]] = [:]
    let payloads = (0..<12).map { _ in Array(random.data().prefix(255)) }
    for _ in 0..<500 {
      let address = UInt64.random(in: 0..<5, using: &random.random)
      let isResponse = Bool.random(using: &random.random)
      let data = payloads.randomElement(using: &random.random) ?? []
      let before = last[address]
      last[address, default: [:]][isResponse] = data
      let hearing = air.hear(report(address, data, response: isResponse))
      let isRepeat = (before?[isResponse] ?? []) == data
      #expect(hearing.change == (before == nil ? .first : isRepeat ? .none : .payload))
      #expect(
        hearing.matches
          == index.matches(last[address]?[false] ?? [], scanResponse: last[address]?[true] ?? []))
    }
  }
}
