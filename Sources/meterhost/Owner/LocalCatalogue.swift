import GatewayAPI
import GatewayEngine
import GatewayTools
import MeterDrivers

/// What the registry's files say, as commands show it: the same whoever owns the state folder, so that no owner is asked.
struct LocalCatalogue {
  private let gateway: Gateway

  fileprivate init(_ gateway: Gateway) { self.gateway = gateway }

  /// The one that the environment or the installation names, for a shell that completes words.
  ///
  /// - Throws: ``GatewayError`` with code `registry`.
  static func installed() throws(GatewayError) -> LocalCatalogue {
    LocalCatalogue(try Gateway(locations: GatewayLocations()))
  }

  // MARK: - Meters

  /// Entries of one catalogue, by id.
  ///
  /// - Parameters:
  ///   - type: Only this type.
  ///   - text: Only entries whose name, manufacturer or model contains this.
  ///   - includesDisabled: Disabled entries, too.
  func peripherals(
    _ kind: PeripheralKind, type: PeripheralType?, text: String? = nil, includesDisabled: Bool = false
  ) -> [PeripheralDescription] {
    let filter = CatalogueFilter(kind: kind, type: type, text: text, includesDisabled: includesDisabled)
    return gateway.peripherals(filter).map { PeripheralDescription($0) }
  }

  /// One entry of a catalogue.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_peripheral`.
  func peripheral(_ id: UInt32, kind: PeripheralKind) throws(GatewayError) -> PeripheralDescription {
    try gateway.peripheral(id, kind: kind)
  }

  /// What is wrong with the picture of an entry, for people; nil: it can be shown.
  func pictureFault(of meter: PeripheralDescription, kind: PeripheralKind) -> String? {
    do throws(GatewayError) {
      _ = try gateway.picture(of: meter.id, kind: kind)
      return nil
    } catch { return error.message }
  }

  /// The meters whose displays are read, by id, each with the units that it may be set to.
  func displays(type: PeripheralType?) -> [(meter: PeripheralDescription, units: [String])] {
    gateway.peripherals(CatalogueFilter(kind: .ocr, type: type)).map {
      (meter: PeripheralDescription($0), units: $0.units)
    }
  }

  // MARK: - Drivers

  /// The ids of the drivers that are in use.
  var driverIDs: Set<String> { Set(gateway.registry.drivers.map(\.id)) }

  /// The drivers, those of disabled packages among them, by id.
  ///
  /// - Throws: ``GatewayError``: the folder of packages cannot be read.
  func drivers() throws(GatewayError) -> [InstalledDriver] { try gateway.driverList() }

  /// One of them.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_driver`.
  func driver(_ id: String) throws(GatewayError) -> InstalledDriver { try gateway.installedDriver(id) }

  /// The functions that a driver offers beside reading.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_driver`.
  func functions(of id: String) throws(GatewayError) -> [FunctionDescription] { try gateway.functions(of: id) }

  /// Checks a driver's bundle as loading it would; `target` is a driver's id or a file.
  func verify(_ target: String) -> BundleReport { gateway.verify(target) }
}

extension LocationOptions {
  /// The catalogue that these options name.
  ///
  /// - Throws: ``GatewayError`` with code `registry`.
  func catalogue() throws(GatewayError) -> LocalCatalogue { LocalCatalogue(try gateway()) }
}
