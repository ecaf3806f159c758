import GatewayAPI
import MeterCore
import MeterHealth
import Synchronization

/// Imports what feeds bring by the desk of the owner whose feeds they are, with what the session's user has chosen.
final class OwnersTaker: HealthTaker {
  private struct Place {
    // The owner has the feeds, and they have this.
    weak var owner: GatewayOwner?
  }

  private let place = Mutex(Place())

  /// Imports by this owner's desk from now on.
  func serve(_ owner: GatewayOwner) { place.withLock { $0.owner = owner } }

  func take(_ offer: HealthOffer) async throws -> HealthTally {
    guard let owner = place.withLock({ $0.owner }) else { throw CancellationError() }
    let wish = HealthDesk.Wish(of: offer.generation, in: try owner.personZone(else: GatewayZone.name).zone)
    let done = try await owner.health.take(HealthExport(path: offer.path), wish)
    // The same bytes once more: what they brought is there already.
    guard done.state != "known" else {
      return HealthTally(duplicates: done.accepted + done.duplicates, refused: done.refused)
    }
    return HealthTally(accepted: done.accepted, duplicates: done.duplicates, refused: done.refused)
  }
}
