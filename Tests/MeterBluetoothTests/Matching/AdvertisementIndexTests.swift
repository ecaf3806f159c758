import BluetoothWire
import Foundation
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth
@testable import MeterDrivers

@Suite("The index of advertisements")
struct AdvertisementIndexTests {
  /// What every entry's own rules say of some advertising data, tried one after the other.
  private func tried(_ peripherals: [Peripheral], _ advertisement: [UInt8], _ response: [UInt8] = [])
    -> AdvertisementMatches
  {
    let data = AdvertisingData(
      AdvertisingData(parsing: advertisement).structures + AdvertisingData(parsing: response).structures)
    let seen = SeenDevice(data, address: BluetoothAddress(value: 1))
    let fits = { (wanted: PeripheralFit) in peripherals.filter { $0.fit(seen) == wanted }.map(\.id).sorted() }
    return AdvertisementMatches(fits: fits(.fits), undecided: fits(.undecided))
  }

  /// A scale whose name comes in the scan response, or never: its service data tell it.
  @Test(
    "the shipped scales are known by their service data",
    arguments: [(0x1d, 10210), (0x1b, 10211)] as [(UInt8, UInt32)])
  func serviceData(service: UInt8, id: UInt32) throws {
    let registry = try StagedRegistry.shared.get().registry
    let data = [UInt8](repeating: 0, count: service == 0x1d ? 10 : 13)
    let bytes = [UInt8(data.count + 3), 0x16, service, 0x18] + data
    #expect(AdvertisementIndex(registry).matches(bytes).fits == [id])
    let seen = SeenDevice(AdvertisingData(parsing: bytes), address: BluetoothAddress(value: 1))
    guard case .chosen(let match) = registry.match(seen) else {
      Issue.record("nothing was chosen")
      return
    }
    #expect(match.peripheral.id == id)
  }

  @Test("says what the rules say, of any registry and any advertisement", arguments: 0..<32 as Range<UInt64>)
  func property(seed: UInt64) {
    var air = RandomAir(seed: seed)
    let peripherals = air.peripherals(Int(seed % 4) * 12 + 1)
    let index = AdvertisementIndex(peripherals)
    var (found, open) = (0, 0)
    for _ in 0..<150 {
      let (advertisement, response) = (air.data(), Bool.random(using: &air.random) ? air.data() : [])
      let matches = index.matches(advertisement, scanResponse: response)
      #expect(matches == tried(peripherals, advertisement, response), "\(advertisement) \(response)")
      found += matches.fits.count
      open += matches.undecided.count
    }
    // The walk is of use only if rules and advertisements meet.
    #expect(peripherals.count < 10 || (found > 10 && open > 10), "\(found) \(open)")
  }

  @Test("a rule that asks nothing of the advertisement stays open whatever is heard")
  func informationOnly() {
    let rule = MatchRule(services: [], companyID: nil, namePrefix: nil, manufacturerPrefix: nil, modelPrefix: "X")
    let index = AdvertisementIndex([Peripheral.recognised(9, by: [rule]), Peripheral.recognised(8, by: [])])
    for data in [[], [2, 1, 6], [0xFF]] as [[UInt8]] {
      #expect(index.matches(data) == AdvertisementMatches(fits: [], undecided: [9]))
    }
  }

  @Test("an entry that fits by one rule is not undecided by another; ids ascend")
  func severalRules() throws {
    let service = UUIDString(uuid16: 0x1808)
    let plain = MatchRule(
      services: [service], companyID: nil, namePrefix: nil, manufacturerPrefix: nil, modelPrefix: nil)
    let open = MatchRule(
      services: [service], companyID: nil, namePrefix: nil, manufacturerPrefix: "M", modelPrefix: nil)
    let index = AdvertisementIndex([
      Peripheral.recognised(30, by: [open, plain]), Peripheral.recognised(20, by: [open]),
      Peripheral.recognised(10, by: [plain, open]),
    ])
    let matches = index.matches(AdvertisingData(AdvertisingData.Structure.services([0x1808])).encoded)
    #expect(matches == AdvertisementMatches(fits: [10, 30], undecided: [20]))
    #expect(matches.ids == [10, 20, 30])
    #expect([10, 20, 30, 40].map(matches.fit(of:)) == [.fits, .undecided, .fits, .differs])
  }

  @Test("every shipped virtual meter is found, as the rules of the shipped registry say")
  func shippedMeters() throws {
    let registry = try StagedRegistry.shared.get().registry
    let index = AdvertisementIndex(registry)
    let matchable = registry.peripherals.filter(registry.isMatchable)
    let folder = CompiledBundle.root.appending(path: "SDK/meters")
    let scripts = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
    #expect(scripts.count > 10)
    for script in scripts {
      let report = VirtualMeter(script: try MeterScript.load(file: folder.appending(path: script).path)).advertisement
      let matches = index.matches(report)
      #expect(!matches.isEmpty, "\(script)")
      #expect(matches == tried(matchable, report.data), "\(script)")
      for id in matches.ids {
        #expect(AdvertisementIndex(registry, choosing: [id]).matches(report).ids == [id], "\(script)")
      }
      let all = registry.match(SeenDevice(report))
      #expect(registry.match(SeenDevice(report), among: matches.ids) == all, "\(script)")
    }
  }

  @Test("every rule of the shipped registry is found by what it asks for")
  func shippedRules() throws {
    let registry = try StagedRegistry.shared.get().registry
    let index = AdvertisementIndex(registry)
    for peripheral in registry.peripherals where registry.isMatchable(peripheral) {
      for rule in peripheral.matchRules {
        var structures = AdvertisingData.Structure.services(
          rule.services.compactMap { BluetoothUUID(bytes: $0.bigEndianBytes) })
        for service in rule.serviceData.compactMap({ BluetoothUUID(bytes: $0.bigEndianBytes) }) {
          structures.append(.serviceData(service, []))
        }
        if let company = rule.companyID { structures.append(.manufacturerData(company: company, [])) }
        if let prefix = rule.namePrefix { structures.append(.completeName(prefix + "-1")) }
        #expect(index.matches(AdvertisingData(structures).encoded).ids.contains(peripheral.id), "\(rule)")
        #expect(!index.matches(AdvertisingData(structures.dropLast()).encoded).fits.contains(peripheral.id), "\(rule)")
      }
    }
  }

  @Test("disabled entries and those without a driver are left out")
  func unmatchable() throws {
    let registry = try StagedRegistry.shared.get().registry
    let report = AdvertisingReport(
      eventType: .connectable, address: BluetoothAddress(value: 1), rssi: -50,
      data: AdvertisingData(AdvertisingData.Structure.services([0x1808])).encoded)
    #expect(AdvertisementIndex(registry, choosing: [32, 33, 4711]).matches(report) == .none)
    let disabled = try StagedRegistry { text in
      guard let entry = text.range(of: "\"id\": 1000,"),
        let word = text.range(of: "\"disabled\": false", range: entry.upperBound..<text.endIndex)
      else { return text }
      return text.replacingCharacters(in: word, with: "\"disabled\": true")
    }
    #expect(!AdvertisementIndex(disabled.registry).matches(report).ids.contains(1000))
    #expect(AdvertisementIndex(registry).matches(report).fits == [1000])
  }

  @Test("the walk along a name finds each text that it starts with", arguments: 0..<32 as Range<UInt64>)
  func prefixes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let letters = { (count: ClosedRange<Int>, random: inout SeededGenerator) in random.bytes(count).map { $0 % 3 } }
    let texts = Set((0..<Int.random(in: 0...40, using: &random)).map { _ in letters(0...5, &random) })
      .sorted { $0.lexicographicallyPrecedes($1) }
    let table = PrefixTable(sorted: texts)
    for _ in 0..<60 {
      let name = letters(0...7, &random)
      var found: [Int] = []
      table.forEachPrefix(of: name) { found.append($0) }
      #expect(found == texts.indices.filter { name.starts(with: texts[$0]) }, "\(texts) \(name)")
    }
  }
}
