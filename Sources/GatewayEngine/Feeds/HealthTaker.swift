import GatewayAPI
import HostErrors
package import MeterCore

/// An export that a feed has brought, and whose it is.
package struct HealthOffer: Sendable, Hashable {
  /// The file, or the folder that is an export. What it is, and whether it is a piece of what the phone has, its content says.
  package var path: String
  /// The session in which it came. It must not be imported in another one: that is somebody else's.
  package var generation: SessionGeneration

  /// An offer from its parts.
  package init(path: String, generation: SessionGeneration) {
    (self.path, self.generation) = (path, generation)
  }
}

/// What an import has come to.
package struct HealthTally: Sendable, Hashable {
  /// Records that are new or changed.
  package var accepted: Int
  /// Records that were there already.
  package var duplicates: Int
  /// Samples that could not be taken.
  package var refused: Int

  /// A tally from its parts.
  package init(accepted: Int = 0, duplicates: Int = 0, refused: Int = 0) {
    (self.accepted, self.duplicates, self.refused) = (accepted, duplicates, refused)
  }

  /// Whether nothing of the export could be used though there was something in it.
  package var isUseless: Bool { accepted == 0 && duplicates == 0 && refused > 0 }
}

/// Imports what feeds bring.
package protocol HealthTaker: Sendable {
  /// Imports an export; others may have to end before.
  ///
  /// - Throws: Anything that `GatewayError.init(describing:)` can put into words. A `GatewayError` and a `StoreError` are about the host and
  ///   its session; any other error of the kinds `usage` and `failed` says that the export is to blame.
  func take(_ offer: HealthOffer) async throws -> HealthTally
}

/// Who is to blame for an import that has failed.
enum ImportBlame: Sendable, Hashable {
  /// The export: it will fail again.
  case export
  /// The export or its driver: it may fail again.
  case driver
  /// What the session's user has chosen, or not: nothing is wanted, or no zone is known.
  case choice
  /// This machine, or what happened meanwhile.
  case circumstances

  init(_ error: any Error) {
    guard let error = error as? any HostError else {
      self = .circumstances
      return
    }
    let isHosts = error is GatewayError || error is StoreError
    switch error.kind {
    case .usage: self = isHosts ? .choice : .export
    case .failed: self = isHosts ? .circumstances : .driver
    case .unavailable, .temporary, .cancelled: self = .circumstances
    }
  }
}
