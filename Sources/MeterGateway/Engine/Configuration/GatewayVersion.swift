import CMeterDriver
import MeterCore

/// The version of MeterHost and of the driver contract that it was built with.
public enum GatewayVersion {
  /// Semantic version of the host.
  public static let host = HostVersion.current
  /// Version of the driver contract.
  public static let contract = "\(mh_abi_major()).\(mh_abi_minor())"
  /// Both, as `meterhost --version` prints them.
  public static let text = "meterhost \(host) (driver contract \(contract))"
}
