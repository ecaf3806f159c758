package import GatewayAPI
package import MeterCore

extension RecoveryDescription {
  /// Describes a summary.
  package init(_ summary: RecoverySummary) {
    self.init(
      pending: summary.pending.count, held: summary.held.count, known: summary.known.count,
      unplaced: summary.unplaced.count, missingSinks: summary.missingSinks.sorted(), damaged: summary.damaged.count,
      images: summary.images, imageProblems: summary.imageProblems)
  }
}
