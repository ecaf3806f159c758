import Foundation
import GatewayAPI
import MeterHealth
import Synchronization

/// How far an import has come, in one line that is replaced a few times a second.
final class HealthProgress: Sendable {
  private struct State {
    var driver = ""
    var began = ContinuousClock.now
    var shown: ContinuousClock.Instant?
  }

  private let file: String
  private let terminal: Terminal
  private let state = Mutex(State())

  init(_ file: String, _ terminal: Terminal) {
    self.file = (file as NSString).lastPathComponent
    self.terminal = terminal
  }

  func show(_ progress: HealthImporter.Progress) {
    show(
      HealthImportProgress(
        file: file, driver: progress.driver, bytes: progress.bytes, size: progress.size, samples: progress.samples))
  }

  func show(_ progress: HealthImportProgress) {
    guard terminal.isInteractive else { return }
    let now = ContinuousClock.now
    let began: ContinuousClock.Instant? = state.withLock { state in
      if state.driver != progress.driver { (state.driver, state.began) = (progress.driver, now) }
      if let shown = state.shown, now - shown < .milliseconds(200) { return nil }
      state.shown = now
      return state.began
    }
    guard let began else { return }
    if let stored = progress.stored, let records = progress.records {
      return terminal.progress("\(file): \(stored) of \(records) records are in the queue")
    }
    terminal.progress(
      "\(file): \(Self.megabytes(progress.bytes)) of \(Self.megabytes(progress.size)) MB, \(progress.samples) samples"
        + (Self.rest(progress, now - began).map { ", about \($0) left" } ?? ""))
  }

  private static func megabytes(_ bytes: UInt64) -> String { "\(bytes / 1_000_000).\(bytes / 100_000 % 10)" }

  /// The time that is left when it goes on as until now; nil as long as nobody can say.
  private static func rest(_ progress: HealthImportProgress, _ spent: Duration) -> String? {
    guard spent > .seconds(2), progress.bytes > 0, progress.bytes < progress.size else { return nil }
    let share = Double(progress.size - progress.bytes) / Double(progress.bytes)
    let seconds = Int64((Double(spent.components.seconds) * share).rounded(.up))
    return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
  }
}
