import DriverContract
import MeterCore

/// The version of MeterHost and of the driver contract that it was built with.
package enum GatewayVersion {
  /// Semantic version of the host.
  package static let host = HostVersion.current
  /// Version of the driver contract.
  package static let contract = "\(ContractVersion.host.major).\(ContractVersion.host.minor)"
  /// Both, as `meterhost --version` prints them.
  package static let text = "meterhost \(host) (driver contract \(contract))"
}
