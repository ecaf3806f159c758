import CMeterDriver
import DriverContract

/// The driver contract that this program was compiled with (rules R4, R19).
public struct CompiledABI: Sendable, Hashable {
  package let version: ABIVersion
  /// The fingerprint of every struct and constant (`MH_LAYOUT_HASH`).
  public let layoutHash: UInt64

  /// Names a contract.
  package init(version: ABIVersion, layoutHash: UInt64) {
    self.version = version
    self.layoutHash = layoutHash
  }

  /// The headers of this build.
  public static let current = CompiledABI(
    version: ABIVersion(major: mh_abi_major(), minor: mh_abi_minor()), layoutHash: mh_layout_hash())

  /// Which contracts of drivers are served beside it.
  var rule: ContractRule {
    ContractRule(
      host: ContractVersion(major: version.major, minor: version.minor, layoutHash: layoutHash),
      frozen: ContractVersion.frozen)
  }
}

extension ContractRule {
  /// Whether a driver that the registry lists may be loaded; the layout is judged when its file is at hand.
  func serves(_ version: ABIVersion) -> Bool {
    if case .accepted = verdict(major: version.major, minor: version.minor, layoutHash: nil) { true } else { false }
  }
}
