public import DriverContract

extension DriverHost {
  /// Opens the reader of a peripheral's display: finds its driver, verifies the bundle and loads it.
  ///
  /// - Throws: `DriverFault`; `loadFailed` names what is wrong with the bundle or its assets.
  public func displayReader(
    for peripheral: Peripheral, in registry: Registry
  ) async throws(DriverFault) -> DisplayReader {
    let driver = try registry.displayDriver(for: peripheral)
    return try await DisplayReader.open(host: self, bundle: driver.bundle, entry: driver.entry)
  }

  /// Opens the decoder of pictures that the registry has.
  ///
  /// - Throws: `DriverFault`; `unknownDriver` when no driver offers it.
  public func imageCodec(in registry: Registry) async throws(DriverFault) -> ImageCodec {
    let driver = try registry.imageDriver()
    return try await ImageCodec.open(host: self, bundle: driver.bundle, entry: driver.entry)
  }
}

/// A driver with its verified bundle. Nothing of it runs yet.
package struct VerifiedDriver: Sendable, Hashable {
  /// What the registry says of it.
  package let entry: DriverEntry
  /// Its bundle, with its assets.
  package let bundle: VerifiedBundle
}

extension Registry {
  /// The driver of a peripheral's display.
  ///
  /// - Throws: `DriverFault`; `loadFailed` names what is wrong with the bundle or its assets.
  package func displayDriver(for peripheral: Peripheral) throws(DriverFault) -> VerifiedDriver {
    guard peripheral.kind == .ocr, let id = peripheral.driverID else {
      throw DriverFault(
        .unknownDriver, driver: peripheral.driverID ?? peripheral.name,
        message: "\(peripheral.name) has no display that a camera can read here; see `meterhost snap list`")
    }
    guard let entry = driver(id: id) else { throw missing(id) }
    return VerifiedDriver(entry: entry, bundle: try bundleOrFault(of: entry))
  }

  /// The driver that decodes pictures.
  ///
  /// - Throws: `DriverFault`; `unknownDriver` when there is none.
  package func imageDriver() throws(DriverFault) -> VerifiedDriver {
    guard let entry = drivers.first(where: { $0.extensions.contains(.image) }) else {
      throw DriverFault(
        .unknownDriver, driver: "image codec",
        message:
          "no driver of the registry decodes pictures (extension \(DriverExtension.image.rawValue)); install the "
          + "bundle that comes with this host")
    }
    return VerifiedDriver(entry: entry, bundle: try bundleOrFault(of: entry))
  }

  private func bundleOrFault(of entry: DriverEntry) throws(DriverFault) -> VerifiedBundle {
    do { return try bundle(of: entry) } catch let error as BundleError {
      throw DriverFault(.loadFailed, driver: entry.id, rule: error.rule, message: error.message, cause: error.path)
    } catch {
      throw DriverFault(.loadFailed, driver: entry.id, message: "the bundle cannot be used", cause: "\(error)")
    }
  }

  private func missing(_ id: String) -> DriverFault {
    DriverFault(
      .unknownDriver, driver: id,
      message: "the registry has no such driver that may be used; see `meterhost doctor`",
      cause: refusedDrivers[id].map { "\($0)" })
  }
}
