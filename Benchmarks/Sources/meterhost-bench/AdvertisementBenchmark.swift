import BluetoothWire
import Foundation
import MeterBluetooth
import MeterDrivers

/// Nanoseconds an advertisement takes to be matched with the rules of a thousand drivers, on one core.
///
/// All ways take turns within one loop. Before anything is timed, the index and the rules tried one after the other have
/// to say the same of every advertisement.
struct AdvertisementBenchmark {
  private static let naiveBatch = 40
  /// 200,000 advertisements a second.
  private static let limit = 5_000.0

  private let options: Options
  private let drivers: Int
  private let batch: Int
  private let samples: Int
  private let warmup: Int

  init(_ options: Options) {
    self.options = options
    drivers = options.count(1_000, smoke: 50)
    batch = options.count(2_000, smoke: 100)
    samples = options.count(100, smoke: 2)
    warmup = options.count(5, smoke: 1)
  }

  func run(_ report: inout Report) throws {
    let many = try ManyDrivers(drivers, like: options.registry, match: Self.rules)
    defer { many.remove() }
    let registry = try Registry.load(RegistrySources(base: many.oneFile))
    let peripherals = registry.peripherals.filter(registry.isMatchable)
    guard peripherals.count == drivers else {
      throw BenchmarkError("\(peripherals.count) of \(drivers) drivers can be matched")
    }
    let index = AdvertisementIndex(registry)
    let reports = (0..<batch).map { self.report($0, address: UInt64($0)) }
    for report in reports {
      guard index.matches(report).ids == Self.tried(peripherals, report) else {
        throw BenchmarkError("the index and the rules differ in \(report.data)")
      }
    }
    var times: [[Double]] = Array(repeating: [], count: 4)
    var (known, fresh) = (SeenAir(index: index), SeenAir(index: index))
    for report in reports { _ = known.hear(report) }
    var (next, found) = (UInt64(batch), 0)
    for round in 0..<warmup + samples {
      let strangers = reports.indices.map { self.report($0, address: next + UInt64($0)) }
      next += UInt64(batch)
      let sample = [
        nanoseconds { for report in reports { found += known.hear(report).matches.fits.count } } / Double(batch),
        nanoseconds { for report in strangers { found += fresh.hear(report).matches.fits.count } } / Double(batch),
        nanoseconds { for report in reports { found += index.matches(report).fits.count } } / Double(batch),
        nanoseconds {
          for report in reports.prefix(Self.naiveBatch) { found += Self.tried(peripherals, report).count }
        } / Double(Self.naiveBatch),
      ]
      guard round >= warmup else { continue }
      for way in times.indices { times[way].append(sample[way]) }
    }
    add(times, found: found, to: &report)
  }

  private func add(_ times: [[Double]], found: Int, to report: inout Report) {
    let names = [
      "repeats of known addresses", "every report of a new address", "the index alone",
      "every rule tried for each report",
    ]
    let measured = zip(names, times).map { Measurement("adv-match", $0, unit: "ns/advertisement", $1) }
    report.measurements += measured
    report.goals += measured.prefix(2).map {
      Goal("adv-match", "\($0.name), ns on one core", limit: Self.limit, measured: $0.median)
    }
    report.notes.append(
      "adv-match: \(drivers) drivers' rules, \(batch) advertisements of four kinds, \(found) entries found; "
        + "the index and the rules tried one after the other agree on each")
  }

  /// The entries that may be it, found the long way.
  private static func tried(_ peripherals: [Peripheral], _ report: AdvertisingReport) -> [UInt32] {
    let seen = SeenDevice(report)
    return peripherals.filter { $0.fit(seen) != .differs }.map(\.id)
  }

  /// A quarter of the drivers each: a name with a profile that all share, a service of the maker's own, the maker's company
  /// with a profile, and a name of two.
  private static func rules(_ number: Int) -> [[String: Any]] {
    switch number % 4 {
    case 0: [["services": ["1809"], "name_prefix": "EX\(number)-"]]
    case 1: [["services": [service(number)]]]
    case 2: [["services": ["1808"], "company_id": number, "manufacturer_prefix": "Example \(number)"]]
    default: [["name_prefix": "METER \(number)"], ["name_prefix": "M\(number) "]]
    }
  }

  private static func service(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "F0D40001-6D68-4B65-8964-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  /// What is in the air: meters of these drivers, meters of a profile that nobody reads, telephones, and beacons.
  private func report(_ number: Int, address: UInt64) -> AdvertisingReport {
    let structures: [AdvertisingData.Structure]
    let driver = number / 4 * 7 % drivers
    switch number % 4 {
    case 0: structures = Self.meter(driver)
    case 1: structures = AdvertisingData.Structure.services([0x1809, 0x180A]) + [.completeName("EX of nobody")]
    case 2:
      structures = [.manufacturerData(company: 76, (0..<22).map { UInt8(truncatingIfNeeded: number &* 31 + $0) })]
    default:
      structures = AdvertisingData.Structure.services([0xFEAA]) + [.serviceData(0xFEAA, Array(repeating: 7, count: 18))]
    }
    return AdvertisingReport(
      eventType: .connectable, address: BluetoothAddress(value: address, kind: .random), rssi: -60,
      data: AdvertisingData([.flags(6)] + structures).encoded)
  }

  private static func meter(_ driver: Int) -> [AdvertisingData.Structure] {
    switch driver % 4 {
    case 0: AdvertisingData.Structure.services([0x1809]) + [.completeName("EX\(driver)-42")]
    case 1: AdvertisingData.Structure.services([service(driver)].compactMap { BluetoothUUID($0) })
    case 2: AdvertisingData.Structure.services([0x1808]) + [.manufacturerData(company: UInt16(driver), [1, 2, 3])]
    default: [.completeName("METER \(driver) B")]
    }
  }
}
