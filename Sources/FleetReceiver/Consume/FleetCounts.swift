import Logging
import MeterReceiver
import Synchronization

/// How many messages a receiver has dealt with since it began, by what became of them.
package final class FleetCounts: Sendable {
  /// The numbers.
  package struct Totals: Sendable, Hashable {
    /// By the words of the confirmations (``FleetVerdict/word``).
    package var outcomes: [String: Int] = [:]
    /// Messages that came again because they were not acknowledged in time.
    package var redelivered = 0
    /// Messages that were put off because the database was away.
    package var postponed = 0
    /// Batches that were stored.
    package var batches = 0

    /// Messages that were dealt with for good.
    package var settled: Int { outcomes.values.reduce(0, +) }
  }

  private let totals = Mutex(Totals())

  init() {}

  /// The numbers at the moment.
  package var current: Totals { totals.withLock(\.self) }

  func settled(_ verdicts: [FleetVerdict], redelivered: Int) {
    totals.withLock { totals in
      totals.batches += 1
      totals.redelivered += redelivered
      for verdict in verdicts { totals.outcomes[verdict.word, default: 0] += 1 }
    }
  }

  func postponed(_ count: Int) { totals.withLock { $0.postponed += count } }
}

extension FleetCounts.Totals {
  /// What a line of the log says of what has happened since earlier numbers.
  func metadata(since before: FleetCounts.Totals) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["batches": "\(batches - before.batches)"]
    for (word, count) in outcomes where count > before.outcomes[word, default: 0] {
      metadata[word] = "\(count - before.outcomes[word, default: 0])"
    }
    if redelivered > before.redelivered { metadata["redelivered"] = "\(redelivered - before.redelivered)" }
    if postponed > before.postponed { metadata["postponed"] = "\(postponed - before.postponed)" }
    return metadata
  }
}
