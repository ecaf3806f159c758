import Foundation
import MeterCore
import Synchronization

/// What one read has brought so far; a retry goes on where the first try stopped.
final class ReadLedger: Sendable {
  private let state = Mutex(ReadSummary())
  private let meters = Mutex<Set<UUID>>([])
  private let begun = Mutex<Set<UUID>>([])

  var summary: ReadSummary { state.withLock { $0 } }

  /// The meters that were reached.
  var reached: Set<UUID> { meters.withLock(\.self) }

  func reach(_ meter: MeterIdentity) { meters.withLock { _ = $0.insert(meter.peripheralUUID) } }
  /// Notes that a session with a meter begins.
  ///
  /// - Returns: Whether it is the first one.
  func begin(with meter: MeterIdentity) -> Bool { begun.withLock { $0.insert(meter.peripheralUUID).inserted } }

  func noteSinceUnknown() { state.withLock { $0.isSinceUnknown = true } }
  func use(cache: Bool) { state.withLock { $0.usedCache = cache } }
  func add(recording: String) { state.withLock { $0.recordings.append(recording) } }
  func count(pdus: Int) { state.withLock { $0.pdus += pdus } }

  /// Adds what another ledger's session has brought.
  func absorb(_ other: ReadSummary) {
    state.withLock { summary in
      summary.records += other.records
      summary.revised += other.revised
      summary.duplicates += other.duplicates
      summary.left.merge(other.left, uniquingKeysWith: +)
      summary.rejected += other.rejected
      summary.pdus += other.pdus
      summary.recordings += other.recordings
      summary.isSinceUnknown = summary.isSinceUnknown || other.isSinceUnknown
      summary.advertisementToCommit = other.advertisementToCommit ?? summary.advertisementToCommit
    }
  }

  func reject(_ reasons: [String]) { state.withLock { $0.rejected += reasons } }

  func leave(_ reasons: [LeaveReason]) {
    state.withLock { summary in for reason in reasons { summary.left[reason, default: 0] += 1 } }
  }

  /// Adds what a commit has answered; `rejected` says why records were not even offered to it.
  func add(_ receipts: [CommitReceipt], rejected: [String], after time: Duration) {
    state.withLock { summary in
      for receipt in receipts {
        summary.records += receipt.new + receipt.suspects
        summary.revised += receipt.revised
        summary.duplicates += receipt.duplicates.count
      }
      summary.rejected += rejected
      summary.advertisementToCommit = time
    }
  }
}
