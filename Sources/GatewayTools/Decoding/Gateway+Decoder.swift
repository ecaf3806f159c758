package import GatewayEngine

extension Gateway {
  /// Decodes captured values with the installed drivers.
  package var decoder: DriverDecoder { DriverDecoder(registry: registry, bundles: bundles, drivers: drivers) }
}
