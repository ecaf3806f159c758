/// Which contracts a host serves (rule R4): a pure function of versions, so that every case is a row of a test.
public struct ContractRule: Sendable, Hashable {
  /// The contract that the host was built with.
  public let host: ContractVersion
  /// Versions that were frozen, with the layouts that they had and have for ever.
  public let frozen: [ContractVersion]

  /// A rule for a host; `.host` is that of this process.
  public init(host: ContractVersion, frozen: [ContractVersion]) {
    self.host = host
    self.frozen = frozen
  }

  /// The rule of this process.
  public static var host: ContractRule { ContractRule(host: .host, frozen: ContractVersion.frozen) }

  /// What comes of a version.
  public enum Verdict: Sendable, Hashable {
    /// Both sides use what this minor has: the lower of the two.
    case accepted(minor: UInt16)
    /// Another major: structs may differ from their first byte on.
    case otherMajor
    /// The major is 0, where every minor is a contract of its own.
    case otherDraft
    /// An older minor that was never frozen: nobody can say what it looked like.
    case unknownMinor
    /// A minor that the host knows, with another layout than it knows.
    case otherLayout
  }

  /// Judges the contract of a bundle.
  ///
  /// A newer minor is served whatever its layout: it can only have grown at its ends, and the host reads what it knows
  /// (rule R3).
  ///
  /// - Parameter layoutHash: `MH_LAYOUT_HASH` of the bundle; nil where only a version is known, as in the registry.
  public func verdict(major: UInt16, minor: UInt16, layoutHash: UInt64?) -> Verdict {
    guard major == host.major else { return .otherMajor }
    if minor == host.minor { return agrees(layoutHash, host.layoutHash) ? .accepted(minor: minor) : .otherLayout }
    guard major > 0 else { return .otherDraft }
    guard minor < host.minor else { return .accepted(minor: host.minor) }
    guard let known = frozen.first(where: { $0.major == major && $0.minor == minor }) else { return .unknownMinor }
    return agrees(layoutHash, known.layoutHash) ? .accepted(minor: minor) : .otherLayout
  }

  /// Judges the contract of a bundle.
  public func verdict(_ theirs: ContractVersion) -> Verdict {
    verdict(major: theirs.major, minor: theirs.minor, layoutHash: theirs.layoutHash)
  }

  /// Why a bundle's contract is refused, naming both sides, and the cure; nil when it is served.
  public func refusal(of theirs: ContractVersion) -> (reason: String, cure: String)? {
    let reason = "was built for contract \(theirs), this host speaks \(host)"
    return switch verdict(theirs) {
    case .accepted: nil
    case .otherMajor, .otherDraft:
      (reason, "install the bundle of this release, or build it with this release's headers")
    case .unknownMinor:
      (reason + "; \(theirs.major).\(theirs.minor) was never released", "build the bundle with released headers")
    case .otherLayout:
      (
        reason + "; the headers of \(theirs.major).\(theirs.minor) were changed before it was built",
        "build the bundle with the headers as they were released"
      )
    }
  }

  private func agrees(_ theirs: UInt64?, _ known: UInt64) -> Bool { theirs.map { $0 == known } ?? true }
}
