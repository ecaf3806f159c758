import DriverContract
import MeterCore

/// What an index comes to for one installed package.
package struct UpdateOffer: Sendable, Hashable {
  /// Whether a version is installed, and why not.
  package enum Standing: String, Sendable, Hashable, CaseIterable {
    /// There is nothing newer.
    case upToDate = "up_to_date"
    /// It is newer, and nothing speaks against it.
    case available
    /// It is for fewer gateways yet than this one's number.
    case staged
    /// It was in use here and was gone back from, or removed.
    case goneBack = "gone_back"
    /// It needs a newer MeterHost.
    case hostTooOld = "host_too_old"
    /// It was built for a driver contract that this host does not know.
    case contract
    /// It is below a floor of the trust list.
    case belowFloor = "below_floor"
    /// Its publisher has revoked it.
    case revoked
    /// The publisher of the index may not sign for it.
    case notAllowed = "publisher_not_allowed"
  }

  /// The installed package.
  package let installed: InstalledPackage
  /// The version that is spoken of; nil: the index has none that is newer.
  package let package: UpdateIndex.Package?
  /// What holds for it.
  package let standing: Standing
  /// Why it is not installed, for people; nil where nothing speaks against it.
  package let reason: String?
  /// Why the installed version is not to be used any more; nil: it may be.
  package let revocation: RevokedVersion?
}

/// Judges what an index offers to a gateway: a pure function of what is known.
package struct UpdateJudge: Sendable {
  /// The gateway's name for ``RolloutShare``.
  package var gateway: String
  /// The version of this MeterHost; nil: it cannot be compared.
  package var host = SemanticVersion(HostVersion.current)
  /// The driver contract of this MeterHost.
  package var contract = ABIVersion(major: ContractVersion.host.major, minor: ContractVersion.host.minor)
  /// Whether versions that are still being tried are taken.
  package var takesBeta: Bool
  /// The trust list.
  package var list: TrustList
  /// What was installed and revoked here.
  package var history: PackageInstaller.History

  /// A judge.
  package init(gateway: String, takesBeta: Bool, list: TrustList, history: PackageInstaller.History) {
    (self.gateway, self.takesBeta, self.list, self.history) = (gateway, takesBeta, list, history)
  }

  /// What of an index its publisher may revoke.
  package static func revocations(of verified: VerifiedIndex) -> [RevokedVersion] {
    verified.index.revoked.filter { verified.publisher.maySign(forDriver: $0.package) }
  }

  /// What an index comes to for installed packages, in their order; those that it does not speak of are left out.
  package func offers(_ verified: VerifiedIndex, to installed: [InstalledPackage]) -> [UpdateOffer] {
    let revoked = history.revoked + Self.revocations(of: verified)
    return installed.compactMap { package in
      let listed = verified.index.packages.filter { $0.name == package.id && (takesBeta || $0.channel == .stable) }
      let revocation = revoked.first { $0.package == package.id && $0.version == package.version }
      guard !listed.isEmpty || revocation != nil else { return nil }
      let judged = listed.filter { $0.version > package.version }.sorted { $0.version > $1.version }
        .map { (package: $0, objection: objection(to: $0, of: verified.publisher, revoked)) }
      let best = judged.first { $0.objection == nil } ?? judged.first
      return UpdateOffer(
        installed: package, package: best?.package,
        standing: best.map { $0.objection?.standing ?? .available } ?? .upToDate, reason: best?.objection?.reason,
        revocation: revocation)
    }
  }

  private typealias Objection = (standing: UpdateOffer.Standing, reason: String)

  private func objection(
    to package: UpdateIndex.Package, of publisher: TrustList.Publisher, _ revoked: [RevokedVersion]
  ) -> Objection? {
    let version = package.version
    guard publisher.maySign(forDriver: package.name) else {
      return (.notAllowed, "\(publisher.name) may not sign for \(package.name)")
    }
    if let revocation = revoked.first(where: { $0.package == package.name && $0.version == version }) {
      return (.revoked, "\(version) was revoked by its publisher: \(revocation.reason)")
    }
    if let floor = list.floorVersion(above: version, ofDriver: package.name) {
      return (.belowFloor, "\(version) is below \(floor), the oldest version that may be used")
    }
    guard let host, host >= package.host else {
      return (.hostTooOld, "\(version) needs MeterHost \(package.host), and this is \(HostVersion.current)")
    }
    guard isKnown(package.abi) else {
      return (.contract, "\(version) is of contract \(package.abi), and this MeterHost has \(contract)")
    }
    if let newest = history.newest[package.name], version <= newest {
      return (
        .goneBack, "\(version) was in use here before, and was gone back from: `driver update \(package.name)` takes it"
      )
    }
    let number = RolloutShare.number(gateway: gateway, package: package.name, version: version)
    guard number < package.percentage else {
      return (
        .staged,
        "\(version) is for \(package.percentage) of 100 gateways so far, and this is number \(number): "
          + "`driver update \(package.name)` takes it"
      )
    }
    return nil
  }

  /// While the major is 0, every minor is a contract of its own (rule R4).
  private func isKnown(_ version: ABIVersion) -> Bool {
    guard version.major == contract.major else { return false }
    return version.major == 0 ? version.minor == contract.minor : version.minor <= contract.minor
  }
}
