package import GatewayAPI
package import MeterDrivers

extension DriverOfferDescription {
  /// Describes an offer.
  package init(_ offer: UpdateOffer, source: String) {
    self.init(
      package: offer.installed.id, installed: "\(offer.installed.version)", standing: offer.standing.rawValue,
      source: source)
    revoked = offer.revocation?.reason
    reason = offer.reason
    guard let package = offer.package else { return }
    version = "\(package.version)"
    changelog = package.changelog
    channel = package.channel.rawValue
    size = package.size
    sha256 = "\(package.sha256)"
    address = try? DriverSource(source).address(of: package.file)
  }

  /// One offer for each package: what is available before what is not, the newest first; a revocation counts whoever offers
  /// what.
  static func best(_ offers: [DriverOfferDescription]) -> [DriverOfferDescription] {
    Dictionary(grouping: offers, by: \.package).values.compactMap { offers in
      guard var best = offers.max(by: { $0.rank < $1.rank }) else { return nil }
      best.revoked = offers.compactMap(\.revoked).first
      return best
    }.sorted { $0.package < $1.package }
  }

  private var rank: Rank {
    Rank(
      isAvailable: standing == UpdateOffer.Standing.available.rawValue, version: version.flatMap(SemanticVersion.init))
  }

  private struct Rank: Comparable {
    let isAvailable: Bool
    let version: SemanticVersion?

    static func < (left: Rank, right: Rank) -> Bool {
      if left.isAvailable != right.isAvailable { return right.isAvailable }
      guard let version = right.version else { return false }
      return left.version.map { $0 < version } ?? true
    }
  }
}
