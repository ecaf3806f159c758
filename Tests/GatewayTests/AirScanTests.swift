import BluetoothWire
import Foundation
import MeterDrivers
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

/// What a scan tells of what it hears.
@Suite struct AirScanTests {
  private let registry: Registry

  init() throws {
    let file = CompiledBundle.root.appending(path: "registry.json")
    registry = try Registry.load(RegistrySources(base: file.path))
  }

  private func report(
    _ services: [BluetoothUUID], _ name: String? = nil, address: UInt64 = 1, rssi: Int8 = -50
  ) -> AdvertisingReport {
    let named = name.map { [AdvertisingData.Structure.completeName($0)] } ?? []
    return AdvertisingReport(
      eventType: .connectable, address: BluetoothAddress(value: address), rssi: rssi,
      data: AdvertisingData(AdvertisingData.Structure.services(services) + named).encoded)
  }

  private func entries(_ report: AdvertisingReport, in registry: Registry? = nil) throws -> [String] {
    var scan = AirScan(registry: registry ?? self.registry, filter: AirScan.Filter(showsAll: true))
    let told = try #require(scan.hear(report) { [] })
    return told.entries.map { "\($0.id) \($0.reason.rawValue)" }
  }

  @Test func entriesSayHowItStandsWithThem() throws {
    #expect(try entries(report([0x1808], "Contour7800")) == ["10000 chosen", "10002 may_be", "1000 fits"])
    #expect(try entries(report([0x1808])) == ["1000 chosen", "10002 may_be"])
    #expect(try entries(report([0x1844], "Headset")) == [])
  }

  @Test(
    "A meter that nothing reads is named, behind what else it may be",
    arguments: [
      ([], "Kinsa QuickCare", ["10600 not_read"]), ([0xFD77], "WBS", ["10606 not_read"]),
      ([], "KN-550BT", ["10601 not_read"]), ([0x1810], "QardioARM 2", ["3000 chosen", "10607 not_read"]),
      ([0xFC83], "PO3", ["10604 not_read"]),
    ] as [([UInt16], String, [String])])
  func knownButNotRead(services: [UInt16], name: String, told: [String]) throws {
    let heard = report(services.map { BluetoothUUID($0) }, name)
    let all = try entries(heard)
    #expect(all.first == told.first && all.last == told.last, "\(all)")
    // It is told without being asked for, by its own entry too, and is no stranger in the count.
    for filter in [AirScan.Filter(), AirScan.Filter(peripheral: UInt32(told.last?.split(separator: " ").first ?? ""))] {
      var scan = AirScan(registry: registry, filter: filter)
      #expect(scan.hear(heard) { [] } != nil)
      #expect(scan.result(paired: []).others == 0)
    }
  }

  @Test func entriesThatTieAreAmbiguous() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mh-scan-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = try String(contentsOf: CompiledBundle.root.appending(path: "registry.json"), encoding: .utf8)
    let file = folder.appending(path: "registry.json")
    try text.replacingOccurrences(of: "\"BF788\"", with: "\"BF720\"").write(to: file, atomically: true, encoding: .utf8)
    let tied = try Registry.load(RegistrySources(base: file.path))
    let told = try entries(report([0x181D], "BF720"), in: tied)
    #expect(told.prefix(2) == ["10200 ambiguous", "10201 ambiguous"] && told.last == "5000 fits", "\(told)")
  }

  @Test func strengthsAndRepeatsAreNoNews() {
    var scan = AirScan(registry: registry, filter: AirScan.Filter())
    let (first, second) = (report([0x1808], "A"), report([0x1808], "B"))
    let news = [first, report([0x1808], "A", rssi: -80), second, first, second].map { report in
      scan.hear(report) { ["00:00:00:00:00:01"] }
    }
    #expect(news.map { $0?.name } == ["A", nil, "B", nil, nil])
    #expect(news[0]?.paired == true && news[0]?.rssi == -50)
    #expect(scan.hear(report([0x1844], "Headset")) { [] } == nil)
  }

  @Test func aDeviceThatAlwaysSaysSomethingElseIsToldOfSoOften() {
    var scan = AirScan(registry: registry, filter: AirScan.Filter())
    let told = (0..<1000).compactMap { number in scan.hear(report([0x1808], "\(number)")) { [] } }
    #expect(told.count == 16)
    #expect(scan.hear(report([0x1808], "X", address: 2)) { [] } != nil)
  }

  @Test func theStrongestComesFirstAtTheEnd() {
    var scan = AirScan(registry: registry, filter: AirScan.Filter())
    for (number, rssi) in [-70, -40, 127, -55].enumerated() {
      _ = scan.hear(report([0x1808], address: UInt64(number), rssi: Int8(rssi))) { [] }
    }
    _ = scan.hear(report([0x1844], address: 9)) { [] }
    let (found, others) = scan.result(paired: [])
    #expect(found.map(\.rssi) == [-40, -55, -70, nil])
    #expect(others == 1)
  }

  @Test func theWordsAreThoseOfTheDocumentation() throws {
    var scan = AirScan(registry: registry, filter: AirScan.Filter())
    let told = try #require(scan.hear(report([0x1808], "A\nB")) { [] })
    let line = GatewayJSON.line(told)
    #expect(
      line.hasPrefix(
        #"{"address":"00:00:00:00:00:01","address_kind":"public","company_ids":[],"entries":[{"id":1000,"name":"#))
    #expect(line.hasSuffix(#""name":"A B","paired":false,"rssi":-50,"services":["1808"]}"#))
  }
}
