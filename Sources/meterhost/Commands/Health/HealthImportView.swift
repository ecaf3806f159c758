import ArgumentParser
import Foundation
import GatewayAPI
import ProgramTerminal
import Synchronization

/// Shows how an import goes on, and what came of it.
struct HealthImportView: Sendable {
  private let terminal = Terminal()
  private let json: Bool

  init(json: Bool) { self.json = json }

  /// Imports, and lets an interruption end it in order.
  ///
  /// - Throws: `ExitCode` 1 when something of an export is missing or damaged; what the owner of the state folder throws.
  func follow(_ request: HealthImportRequest, _ locations: LocationOptions) async throws {
    let patience = Patience()
    let isPartial = Mutex(false)
    let bars = Mutex<[String: HealthProgress]>([:])
    let partner = ControlPartner<HealthImportTelling>(patience: patience) { telling in
      switch telling {
      case .progress(let progress):
        let bar = bars.withLock { bars in
          let bar = bars[progress.file] ?? HealthProgress(progress.file, terminal)
          bars[progress.file] = bar
          return bar
        }
        bar.show(progress)
      case .done(let description):
        terminal.endProgress()
        if description.state == "partial" { isPartial.withLock { $0 = true } }
        show(description)
      case .other: break
      }
    }
    defer { terminal.endProgress() }
    try await Interruption.whileRunning(onInterrupt: { patience.end() }) { _ in
      try await locations.converse(request, with: partner)
    }
    if isPartial.withLock(\.self) { throw ExitCode(1) }
  }

  /// Shows what came of an import.
  func show(_ description: HealthImportDescription) {
    guard !json else { return terminal.json(description) }
    terminal.list([
      ("file", description.file), ("import", description.number.map { "\($0)" } ?? ""),
      ("state", Self.words(of: description.state)), ("format", description.format ?? ""),
      ("began", description.began ?? ""), ("written", description.exported ?? ""),
      ("samples", Self.count(description.samples)), ("new", Self.list(description.new)),
      ("changed", Self.list(description.revised)), ("held", Self.list(description.held)),
      ("as before", description.duplicates == 0 ? "" : "\(description.duplicates)"),
      ("vanished", description.vanishedCount == 0 ? "" : "\(description.vanishedCount)"),
      ("no form", Self.list(description.withoutForm)),
      ("withheld", description.withheldSums == 0 ? "" : "\(description.withheldSums) sums of days"),
      ("differs", description.differences == 0 ? "" : "\(description.differences) days from the export's own summary"),
    ])
    if !description.refusals.isEmpty {
      terminal.out("")
      terminal.table(["REFUSED", "COUNT", "FIRST"], description.refusals.map { [$0.reason, "\($0.count)", $0.first] })
    }
    if let error = description.error {
      terminal.error("\(error.message)\(error.hint.map { ". \($0)" } ?? "")")
    }
    if description.state == "partial" {
      terminal.error(
        "\(description.file): something is missing or damaged, and its sums are not delivered. Export it again")
    }
  }

  private static func words(of state: String) -> String {
    switch state {
    case "known": "imported before; nothing was read"
    case "partial": "something is missing or damaged"
    default: state
    }
  }

  private static func count(_ samples: [String: Int]) -> String {
    samples.isEmpty ? "" : "\(samples.values.reduce(0, +)) of \(samples.count) types"
  }

  private static func list(_ counts: [String: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }
}
