import MeterCore
import MeterDrivers
import GatewayAPI

/// `meterhost --version --json`: what this program is and what is built into it.
struct VersionDescription: Encodable {
  let version = GatewayVersion.host
  let contract = GatewayVersion.contract
  let features = HostFeature.allCases.filter(\.isBuiltIn).map(\.rawValue)

  /// Whether exactly that is asked for; everything else is the argument parser's.
  static func isAskedFor(_ arguments: [String]) -> Bool {
    Set(arguments.dropFirst()) == ["--version", "--json"]
  }
}
