import Foundation
import MeterDrivers
import TestSupport

/// The kit of misbehaving drivers (Tests/Fixtures/Misbehaving): one driver that commits the offence that it is told to.
enum MisbehavingDriver {
  /// Where an offence is committed; the numbers of `enum place`.
  enum Place: Int64, CaseIterable {
    case open, event, close, decode
  }

  static let id = "kit"

  /// The bundle; `defines` may make it misbehave as a whole (`IN_CONSTRUCTOR`, `AT_ENTRY`).
  static func bundle(defines: [String] = []) throws -> VerifiedBundle {
    try BundleVerifier.verify(
      path: CompiledBundle.make(
        ["main.c", "crashes.c", "hangs.c", "greed.c", "lies.c", "escapes.c", "stays.c"], in: "Misbehaving",
        defines: defines
      ).path, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
  }

  /// An opening that tells it what to do.
  static func opening(_ offence: String, at place: Place) -> DriverOpening {
    DriverOpening(parameters: [
      DriverParameter(name: 0x8001, value: .text(offence)),
      DriverParameter(name: 0x8002, value: .integer(place.rawValue)),
    ])
  }
}
