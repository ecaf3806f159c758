package import GatewayEngine
package import GatewayAPI
import DriverContract
package import Foundation
import HostPrimitives
import MeterDrivers

/// What is fuzzed: a driver's sources, or a bundle that is there only as a library. Of a driver that reads no meter but exports the
/// inputs are files.
package struct FuzzTarget: Sendable {
  /// How the driver gets into the fuzzer.
  package enum Form: Sendable, Hashable {
    /// C or C++ sources, compiled with the fuzzer's instruments.
    case c([URL])
    /// Embedded Swift sources, compiled with the fuzzer's instruments.
    case swift([URL])
    /// A library as it ships: the fuzzer does not see which of its code runs.
    case library(URL)

    /// As `--json` names it.
    package var name: String {
      switch self {
      case .c: "c"
      case .swift: "swift"
      case .library: "library"
      }
    }
  }

  /// What the sources are written in.
  package enum Language: String, CaseIterable, Sendable {
    /// What their names say.
    case auto
    /// C or C++.
    case c
    /// Embedded Swift.
    case swift
  }

  /// The driver's id.
  package let driver: String
  /// How the driver gets into the fuzzer.
  package let form: Form
  /// The folder whose `Fuzz` keeps corpus and findings.
  package let home: URL
  /// Where the fuzzer is built.
  package let build: URL
  let meters: [FuzzMeter]
  let vectors: [FuzzVector]
  /// Whether it reads exports, and no meter.
  let readsExports: Bool
  /// What a host calls its exports: its family.
  let family: String
  /// The exports of its folder.
  let exports: [[UInt8]]

  /// The most bytes of an input.
  var longestInput: Int { readsExports ? FuzzSeeds.longestExport : 2048 }

  /// A bundle's folder, with one registry fragment in it, as `driver pack` takes it.
  ///
  /// - Throws: ``GatewayError`` with code `no_fragment` or `no_sources`.
  package init(folder: String, language: Language, build: String? = nil) throws(GatewayError) {
    home = URL(fileURLWithPath: folder).standardizedFileURL
    let names = (try? FileManager.default.contentsOfDirectory(atPath: home.path))?.sorted() ?? []
    let fragments = names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.compactMap { [home] name in
      (try? Data(contentsOf: home.appendingPathComponent(name)))
        .flatMap { try? JSONDecoder().decode(Fragment.self, from: $0) }
    }
    guard let fragment = fragments.first, fragments.count == 1, let driver = fragment.drivers.first else {
      throw GatewayError(
        .usage, code: "no_fragment",
        "\(home.path) holds \(fragments.count > 1 ? "several registry fragments" : "no registry fragment with a driver")",
        hint: "name the folder of a bundle, or a driver's id")
    }
    self.driver = driver.id
    meters = (fragment.peripherals ?? []).map(\.meter)
    vectors = FuzzVector.read(home.appendingPathComponent("vectors.json"))
    readsExports = driver.readsExports
    family = driver.family ?? ""
    exports = readsExports ? Self.exports(in: home) : []
    form = try Self.sources(in: home, language)
    self.build = Self.place(build, home.appendingPathComponent("build/fuzz"))
  }

  /// A driver of the registry: its library, or the sources of a folder that is no bundle's.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_driver` or `no_sources`; `RegistryError` for a library that is gone,
  ///   `BundleError` for one that is refused.
  package init(
    driver id: String, in gateway: Gateway, sources folder: String?, language: Language, build: String? = nil
  ) throws {
    let entry = try gateway.driver(id)
    driver = id
    meters = gateway.registry.peripherals.filter { $0.driverID == id }.map(FuzzMeter.init)
    family = entry.familyID
    readsExports = entry.extensions.contains(.import) && entry.capabilities.isEmpty
    if let folder {
      home = URL(fileURLWithPath: folder).standardizedFileURL
      form = try Self.sources(in: home, language)
      vectors = FuzzVector.read(home.appendingPathComponent("vectors.json"))
      exports = readsExports ? Self.exports(in: home) : []
    } else {
      home = URL(fileURLWithPath: "\(id)-fuzz").standardizedFileURL
      // The fuzzer loads the library into a process of its own: only what a read would load.
      _ = try gateway.registry.bundle(of: entry)
      form = .library(URL(fileURLWithPath: try gateway.registry.libraryPath(of: entry)))
      vectors = []
      exports = []
    }
    self.build = Self.place(build, home.appendingPathComponent("build/fuzz"))
  }

  /// What cannot be read is no seed; a driver is fuzzed without any, too.
  private static func exports(in home: URL) -> [[UInt8]] {
    BundleExports.files(of: home).compactMap { file in (try? Data(contentsOf: file)).map { [UInt8]($0) } }
  }

  private static func place(_ named: String?, _ other: URL) -> URL {
    named.map { URL(fileURLWithPath: $0).standardizedFileURL } ?? other
  }

  private static func sources(in home: URL, _ language: Language) throws(GatewayError) -> Form {
    let folder = home.appendingPathComponent("Sources").path
    let all = ((try? BundleTemplate.paths(in: folder)) ?? []).map { URL(fileURLWithPath: folder + "/" + $0) }
    let swift = all.filter { $0.pathExtension == "swift" }
    let c = all.filter { ["c", "cc", "cpp"].contains($0.pathExtension) }
    if language != .c, !swift.isEmpty { return .swift(swift) }
    if language != .swift, !c.isEmpty { return .c(c) }
    let wanted = language == .auto ? "" : "\(language.rawValue) "
    throw GatewayError(
      .usage, code: "no_sources", "there are no \(wanted)sources in \(folder)",
      hint: "a driver without sources is fuzzed by its id")
  }

  /// What a fragment says that seeds are made of.
  private struct Fragment: Decodable {
    struct Driver: Decodable {
      let id: String
      let family: String?
      let capabilities: [String]?
      let extensions: [String]?

      var readsExports: Bool {
        (extensions ?? []).contains(DriverExtension.import.rawValue) && (capabilities ?? []).isEmpty
      }
    }
    struct Characteristic: Decodable {
      let uuid: String
      let decode_code: UInt16?
    }
    struct Service: Decodable {
      let uuid: String
      let decode_code: UInt16?
      let characteristics: [Characteristic]?
    }
    struct Peripheral: Decodable {
      let services: [Service]?

      var meter: FuzzMeter {
        FuzzMeter(
          services: (services ?? []).compactMap { service in
            UUIDString(service.uuid).map { uuid in
              FuzzMeter.Service(
                uuid: uuid, code: service.decode_code,
                characteristics: (service.characteristics ?? []).compactMap { use in
                  UUIDString(use.uuid).map { ($0, use.decode_code) }
                })
            }
          })
      }
    }

    /// What tells it from other files, such as a meter's.
    let registry_version: Int
    let drivers: [Driver]
    let peripherals: [Peripheral]?
  }
}

/// The services of a meter, of which seeds are made.
struct FuzzMeter: Sendable {
  /// A service, with the numbers by which `decode` names its data and its characteristics.
  struct Service: Sendable {
    let uuid: UUIDString
    let code: UInt16?
    let characteristics: [(uuid: UUIDString, code: UInt16?)]
  }

  let services: [Service]

  init(services: [Service]) { self.services = services }

  init(_ peripheral: Peripheral) {
    services = peripheral.services.map { service in
      Service(
        uuid: service.uuid, code: service.decodeCode,
        characteristics: service.characteristics.map { ($0.uuid, $0.decodeCode) })
    }
  }

  /// By what number `decode` names a characteristic, or a service; nil: the meter does not have it.
  func code(of uuid: UUIDString, _ isServiceData: Bool) -> UInt16? {
    Peripheral.code(
      of: uuid, among: isServiceData ? services.map { ($0.uuid, $0.code) } : services.flatMap(\.characteristics))
  }
}

/// A captured value, of which seeds are made.
struct FuzzVector: Decodable, Sendable {
  let characteristic: String
  let hex: String
  let service_data: Bool?

  /// No vector of a number format has one.
  var uuid: UUIDString { UUIDString(characteristic) ?? UUIDString(uuid16: 0) }
  var bytes: [UInt8] { [UInt8](hexadecimal: hex.utf8) ?? [] }

  /// None where there is no such file: a driver is fuzzed without them too.
  static func read(_ file: URL) -> [FuzzVector] {
    (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode([FuzzVector].self, from: $0) } ?? []
  }
}
