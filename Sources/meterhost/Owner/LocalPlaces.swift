import BluetoothWire
import GatewayAPI
import GatewayEngine
import GatewayTools
import MeterDrivers
import MeterHealth
import Synchronization

/// The files of a gateway, by their paths.
struct LocalPlaces: Sendable {
  /// The registry file.
  let registry: String
  /// The drop-in folder with registry fragments of third-party drivers.
  let fragments: String?
  /// The list of trusted publishers.
  let trust: String
  /// The state folder.
  let state: String
  /// The worker program; nil: beside this program or where an installation puts it.
  let worker: String?

  /// The folder with the virtual meters that ship with MeterHost; nil when this is no installation.
  static var shippedMeters: String? { GatewayLocations.shippedMeters }
  /// This program, links resolved.
  static var program: String { GatewayLocations.runningExecutable }
}

extension LocationOptions {
  /// Where everything is, for the engine and for tools; commands that name a file themselves take ``places``.
  var locations: GatewayLocations {
    var settings = GatewayLocations.Settings()
    settings.registry = registry ?? ConfigurationInForce.text(.registry)
    settings.fragments = fragments ?? ConfigurationInForce.text(.fragments)
    settings.trust = trust ?? ConfigurationInForce.text(.trust)
    settings.state = state ?? ConfigurationInForce.text(.state)
    settings.worker = worker ?? ConfigurationInForce.text(.worker)
    return GatewayLocations(settings: settings)
  }

  /// Where everything is.
  var places: LocalPlaces {
    let found = locations
    return LocalPlaces(
      registry: found.registry, fragments: found.fragments, trust: found.trust, state: found.state,
      worker: found.worker)
  }

  /// Whether drivers run in this process.
  private var isInProcess: Bool { inProcess || ConfigurationInForce.flag(.inProcess) }

  /// The gateway that these options describe, for tools.
  func gateway(spares: Int = 0) throws(GatewayError) -> Gateway {
    let gateway = try Gateway(locations: locations, isolation: isInProcess ? .inProcess : .worker, spares: spares)
    Self.kept.withLock { $0.append(gateway) }
    return gateway
  }

  /// Reads exports of health stores with the gateway's drivers.
  func healthImporter() throws(GatewayError) -> HealthImporter {
    let gateway = try gateway()
    return HealthImporter(registry: gateway.registry, drivers: gateway.drivers)
  }

  /// A catalogue of thousands takes a while to take apart; the end of the process does it at once.
  private static let kept = Mutex<[Gateway]>([])
}

extension AirOptions {
  /// The virtual air: the folder that was named, else what the environment or the configuration says.
  ///
  /// - Throws: ``GatewayError`` when there is no usable folder.
  func virtualAir() throws(GatewayError) -> VirtualAir {
    try VirtualAir.of(air ?? ConfigurationInForce.text(.radioAir))
  }
}
