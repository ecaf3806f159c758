internal import Dispatch
internal import Synchronization

/// Puts what many submitters want to commit into one transaction, so that they share one wait for the disk.
///
/// Whoever comes while a transaction is being written is in the next one. A submission that is refused takes nothing with
/// it; when the disk or the database fails, all of the transaction are told.
final class CommitGroup: Sendable {
  /// What one submitter wants on disk, and whom to tell.
  struct Submission: Sendable {
    let units: [PreparedUnit]
    let finish: @Sendable (Result<[CommitReceipt], StoreError>) -> Void
  }

  /// Writes submissions in one transaction; a result each, in their order.
  typealias Write = @Sendable ([[PreparedUnit]]) -> [Result<[CommitReceipt], StoreError>]

  private struct State {
    var waiting: [Submission] = []
    var isWriting = false
  }

  /// Submissions of one transaction at most: a reader or another writer must not wait for thousands.
  static let limit = 512

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "meterhost.commit")

  /// Adds a submission to the next transaction.
  ///
  /// Who finds nobody writing writes at once, on its own thread: a single submitter waits for the disk and for no other
  /// thread. What has come meanwhile is written by a thread of the group, so that nobody waits for others' records.
  func submit(_ submission: Submission, _ write: @escaping Write) {
    let isLeader = state.withLock { state in
      state.waiting.append(submission)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    guard isLeader, let batch = nextBatch() else { return }
    finish(batch, write)
    if hasMore() { queue.async { self.drain(write) } }
  }

  private func drain(_ write: Write) {
    while let batch = nextBatch() { finish(batch, write) }
  }

  private func finish(_ batch: [Submission], _ write: Write) {
    let results = write(batch.map(\.units))
    for (submission, result) in zip(batch, results) { submission.finish(result) }
  }

  /// Whether somebody waits; nobody writes when not.
  private func hasMore() -> Bool {
    state.withLock { state in
      state.isWriting = !state.waiting.isEmpty
      return state.isWriting
    }
  }

  private func nextBatch() -> [Submission]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isWriting = false
        return nil
      }
      let batch = Array(state.waiting.prefix(Self.limit))
      state.waiting.removeFirst(batch.count)
      return batch
    }
  }
}
