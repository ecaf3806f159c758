/// The samples of a document that is no whole export: what an automation has posted.
package struct HealthPieces: Sendable, Hashable {
  /// By their index.
  package var sources: [HealthSource] = []
  package var samples: [HealthSample] = []

  package init() {}

  /// The driver families whose documents are pieces.
  package static let families: Set<String> = ["health-json"]
}
