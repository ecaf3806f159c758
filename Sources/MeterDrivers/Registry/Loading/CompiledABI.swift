import CMeterDriver

/// The driver contract that this program was compiled with (rules R4, R19).
public struct CompiledABI: Sendable, Hashable {
  /// The version.
  public let version: ABIVersion
  /// The fingerprint of every struct and constant (`MH_LAYOUT_HASH`).
  public let layoutHash: UInt64

  /// Names a contract.
  public init(version: ABIVersion, layoutHash: UInt64) {
    self.version = version
    self.layoutHash = layoutHash
  }

  /// The headers of this build.
  public static let current = CompiledABI(
    version: ABIVersion(major: mh_abi_major(), minor: mh_abi_minor()), layoutHash: mh_layout_hash())
}
