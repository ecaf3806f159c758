import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// The registry.json of this repository.
@Suite struct RepositoryRegistryTests {
  let registry: Registry

  init() throws {
    registry = try Registry.load(RegistrySources(base: RegistryFixture.repositoryFile))
  }

  @Test func loadsWithoutAnythingToComplainAbout() {
    #expect(registry.warnings.isEmpty)
    #expect(registry.problems.isEmpty)
    #expect(registry.ties().isEmpty)
    #expect(registry.isDevelopment)
    #expect(registry.abi == CompiledABI.current.version)
  }

  @Test func namesTheFirstDriversAndMeters() throws {
    #expect(registry.drivers.prefix(2).map(\.id) == ["org.meterhost.glucose", "org.meterhost.thermometer"])
    let glucose = try #require(registry.peripheral(id: 1000))
    #expect(glucose.isGeneric && glucose.hasStoredHistory && glucose.driverID == "org.meterhost.glucose")
    #expect(
      glucose.services.flatMap(\.characteristics).map { "\($0.uuid) \($0.isRequired)" }
        == ["2A18 true", "2A34 false", "2A52 true"])
    let thermometer = try #require(registry.peripheral(id: 4000))
    #expect(
      thermometer.services.flatMap(\.characteristics).map { "\($0.uuid) \($0.isRequired)" }
        == ["2A1C true", "2A1E false"])
    #expect(
      registry.driver(id: "org.meterhost.glucose")?.metrics.map(\.code) == Array(0x8000...0x8008))
    let guide = try #require(registry.peripheral(id: 10001))
    #expect(guide.requiresPairing && guide.pairingMethod == .passkey)
  }

  @Test(
    "A CareSens decides glucose or ketone by its context, whatever entry it is read as (R26)",
    arguments: [
      DeviceFacts(manufacturer: "i-SENS"), DeviceFacts(manufacturer: "I-Sens, Inc."),
      DeviceFacts(name: "CareSens 0123"),
    ])
  func careSensQuirk(facts: DeviceFacts) throws {
    for id: UInt32 in [1000, 10002] {
      let peripheral = try #require(registry.peripheral(id: id))
      #expect(
        peripheral.parameters(for: facts) == [
          ParameterSetting(name: 1, value: .integer(1)), ParameterSetting(name: 2, value: .integer(6)),
        ])
    }
  }

  @Test func otherMetersHaveNoQuirk() throws {
    let peripheral = try #require(registry.peripheral(id: 1000))
    #expect(peripheral.parameters(for: DeviceFacts(name: "Contour7830", manufacturer: "Ascensia")).isEmpty)
    #expect(peripheral.parameters(for: DeviceFacts()).isEmpty)
  }

  @Test(
    "A BM85 is read with its byte order and its user id, whatever entry it is read as",
    arguments: [
      DeviceFacts(name: "BM85"), DeviceFacts(name: "Beurer BM85"), DeviceFacts(name: "ELITE900"),
      DeviceFacts(manufacturer: "Beurer GmbH", model: "BM85"), DeviceFacts(name: "X", model: "BM 59"),
    ])
  func beurerQuirk(facts: DeviceFacts) throws {
    for id: UInt32 in [3000, 10100] {
      let peripheral = try #require(registry.peripheral(id: id))
      #expect(
        Set(peripheral.parameters(for: facts)).isSuperset(of: [
          ParameterSetting(name: 0x8000, value: .integer(1)), ParameterSetting(name: 0x8001, value: .integer(1)),
        ]))
      #expect(
        peripheral.parameters(for: DeviceFacts(name: "BM54", manufacturer: "Beurer", model: "BM54"))
          == [ParameterSetting(name: 0x8002, value: .integer(1))])
      #expect(peripheral.parameters(for: DeviceFacts(name: "UA-651BLE", manufacturer: "A&D")).isEmpty)
    }
  }

  @Test(
    "A scale that says it is another model is not read with the weight steps of the Renpho that has its name",
    arguments: [(nil, true), ("", true), ("ES-WBE28", true), ("QN-KS", false), ("BF720", false)] as [(String?, Bool)])
  func renphoQuirk(model: String?, isRenpho: Bool) throws {
    let facts = DeviceFacts(name: "Renpho-Scale", manufacturer: "QN", model: model)
    let generic = try #require(registry.peripheral(id: 5000))
    #expect(generic.parameters(for: facts).contains(ParameterSetting(name: 0x8000, value: .integer(50))) == isRenpho)
    var seen = SeenDevice(
      services: [UUIDString(uuid16: 0x181D), UUIDString(uuid16: 0x181B)], name: facts.name, manufacturer: "QN")
    seen.model = model
    guard case .chosen(let chosen) = registry.match(seen) else { throw CancellationError() }
    #expect(chosen.peripheral.id == (isRenpho ? 10202 : 5000))
    let renpho = try #require(registry.peripheral(id: 10202))
    #expect(renpho.fit(seen) == (isRenpho ? .fits : .differs))
    #expect(registry.betterEntry(than: renpho, for: seen) == nil)
  }

  @Test(
    "Blood pressure and heart rate go to the named entry, else to the generic one",
    arguments: [
      (0x1810, "BM85", 10100), (0x1810, "Beurer BM85", 10100), (0x1810, "X4 Smart", 10101),
      (0x1810, "UA-651BLE", 10350),
      (0x180d, "Polar H7", 6000),
    ] as [(UInt16, String, UInt32)])
  func pressureAndHeartRate(service: UInt16, name: String, id: UInt32) throws {
    let seen = SeenDevice(services: [UUIDString(uuid16: service)], name: name)
    guard case .chosen(let chosen) = registry.match(seen) else { throw CancellationError() }
    #expect(chosen.peripheral.id == id)
  }

  @Test(
    "A meter of TaiDoc goes to one entry by its name; with a name that nobody knows it is read by the profile that it advertises",
    arguments: [
      (0x1808, "FORA 6 CONNECT\0\0\0\0\0", 10004), (nil, "FORA 6 CONNECT", 10004), (nil, "TNG VOICE", 10005),
      (0x1808, "TNG VOICE", 10005), (nil, "DIAMOND MOBILE", 10006), (0x1808, "DIAMOND MOBILE", 10006),
      (0x1808, "TAIDOC TD4277", 10007), (nil, "Glucomaxx Connect", 10007), (0x1808, "GlucoRx Nexus", 10008),
      (0x1808, "TAIDOC TD4999", 10003), (0x1808, "FORA X", 10003), (0x1808, "TAIDOC TD4257", 10300),
      (nil, "FORA P30 PLUS", 10301), (0x1808, "FORA MD6", 10303),
      // Oximeters, and what sources call an oximeter here and a glucose meter there.
      (nil, "TNG SPO2", nil), (nil, "TAIDOC TD8255", nil), (nil, "TAIDOC TD4279", nil), (nil, "TAIDOC TD4999", nil),
    ] as [(UInt16?, String, UInt32?)])
  func taidocByName(service: UInt16?, name: String, id: UInt32?) throws {
    let services = service.map { [UUIDString(uuid16: $0)] } ?? []
    let result = registry.match(SeenDevice(services: Set(services), name: name))
    guard let id else {
      #expect(result == .none)
      return
    }
    guard case .chosen(let chosen) = result else { throw CancellationError() }
    #expect(chosen.peripheral.id == id)
    // Glucose and ketone look alike under the profile, so it is never asked where the meter says itself which it is.
    let facts = DeviceFacts(name: name)
    let parameters = chosen.peripheral.parameters(for: facts)
    let multi = ParameterSetting(name: id == 10003 ? 0x8001 : 0x8000, value: .integer(id == 10003 ? 1 : 4))
    #expect(parameters.contains(multi) == [10003, 10004, 10008, 10303].contains(id))
  }

  @Test("An entry that nothing reads says why, matches nothing and asks for no service")
  func entriesWithoutADriver() {
    let waiting = registry.peripherals.filter { $0.kind == .bluetooth && $0.driverID == nil }
    #expect(waiting.count >= 19)
    for entry in waiting {
      #expect(entry.services.isEmpty && entry.quirks.isEmpty && entry.passive == .no && !registry.isMatchable(entry))
      #expect(["not read", "bundle"].contains { entry.instructions.contains($0) }, "\(entry.name)")
      #expect(!entry.instructions.contains("\n"), "\(entry.name): it stands in one line of an error")
      for rule in entry.matchRules {
        var seen = SeenDevice(services: Set(rule.services), name: rule.namePrefix.map { $0 + " 1" })
        seen.companyIDs = Set([rule.companyID].compactMap { $0 })
        #expect(registry.match(seen) == .none, "\(entry.name)")
        #expect(entry.fit(seen) == .fits && registry.isKnownButNotRead(entry), "\(entry.name)")
      }
    }
  }

  @Test func aCareSensDualIsKnownOnceDeviceInformationIsRead() throws {
    var seen = SeenDevice(services: [UUIDString(uuid16: 0x1808)], name: "CS 1")
    guard case .chosen(let first) = registry.match(seen) else { throw CancellationError() }
    #expect(first.peripheral.id == 1000)
    #expect(first.mayBecome == [PeripheralKey(id: 10002)])
    seen.manufacturer = "i-SENS"
    seen.model = "CareSens Dual"
    guard case .chosen(let second) = registry.match(seen) else { throw CancellationError() }
    #expect(second.peripheral.id == 10002)
  }

  @Test func metricsHeaderAndDictionaryAgree() throws {
    let header = try String(
      contentsOf: RegistryFixture.root.appending(path: "SDK/include/meterhost/metrics.h"), encoding: .utf8)
    let defined = Set(
      header.split(separator: "\n").filter { $0.hasPrefix("#define MH_METRIC_") || $0.hasPrefix("#define MH_UNIT_") }
        .map { $0.dropFirst(8).lowercased() })
    let file = try Data(contentsOf: URL(filePath: RegistryFixture.repositoryFile))
    let dictionary = try JSONDecoder().decode(DictionaryFile.self, from: file).dictionary
    let listed = Set(
      dictionary.metrics.map { "mh_metric_\($0.name) \($0.code)u" }
        + dictionary.units.map { "mh_unit_\($0.name) \($0.code)u" })
    #expect(listed == defined)
    #expect(listed.count > 50)
  }

  @Test("scripts/generate --check", .enabled(if: Tool.isThere("python3") && Tool.isThere("clang")))
  func generatedFilesAreUpToDate() throws {
    let (status, output) = try Tool.run(["scripts/generate", "--check"], in: RegistryFixture.root)
    #expect(status == 0, "\(output)")
  }
}

private struct DictionaryFile: Decodable {
  struct Entry: Decodable {
    let code: Int
    let name: String
  }
  struct Content: Decodable {
    let units: [Entry]
    let metrics: [Entry]
  }
  let dictionary: Content
}

/// Programs that a developer's machine has and a user's need not have.
enum Tool {
  static func isThere(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  static func run(_ arguments: [String], in folder: URL) throws -> (status: Int32, output: String) {
    let done = try ChildProcess.run(tool: "python3", arguments, folder: folder)
    return (done.status, done.out + done.err)
  }
}
