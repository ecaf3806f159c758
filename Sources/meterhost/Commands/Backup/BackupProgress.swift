import GatewayAPI
import Synchronization

/// How far a backup has come, in one line that changes with each percent; ends the work when nobody wants it any more.
final class BackupProgress: Sendable {
  private let words: String
  private let terminal: Terminal
  private let patience: Patience
  private let shown = Mutex(-1)

  init(_ words: String, _ terminal: Terminal, _ patience: Patience) {
    (self.words, self.terminal, self.patience) = (words, terminal, patience)
  }

  /// - Throws: `CancellationError` when the person has given up.
  func show(_ done: Int64, of all: Int64) throws {
    guard !patience.isOver else { throw CancellationError() }
    let percent = all > 0 ? Int(Double(done) / Double(all) * 100) : 100
    let isNew = shown.withLock { shown in
      defer { shown = percent }
      return shown != percent
    }
    if isNew { terminal.progress("\(words): \(min(percent, 100)) % of \(all / 1_000_000) MB") }
  }
}
