import GatewayAPI
import Foundation
import MeterCore

/// What has become of records whose session ended while they were to be delivered: a receiver that refuses the token (401)
/// ends it, and what it had not accepted goes to the recovery file.
struct LeftBehind: Sendable {
  /// Why the session has ended; nil where the log does not tell.
  let reason: HostEvent.EndReason?
  /// The file; nil where everything had been accepted.
  let file: String?
  /// Those of the records that are in it.
  let records: Set<LogID>

  /// - Parameter cursor: The last event before the records were to be delivered.
  /// - Throws: `StoreError`.
  init(_ logIDs: [LogID], after cursor: Int64, in store: MeterStore) throws {
    let end = try Self.end(after: cursor, in: store)
    (reason, file) = (end?.reason, end?.recoveryFile)
    guard let file else {
      records = []
      return
    }
    var found: Set<LogID> = []
    var page = try UnsyncedPage(of: URL(fileURLWithPath: file))
    while !page.entries.isEmpty {
      found.formUnion(page.entries.map(\.logID))
      page = try UnsyncedPage(of: URL(fileURLWithPath: file), after: page.next)
    }
    records = found.intersection(logIDs)
  }

  /// The first end of a session behind a place in the log; nil when there was none.
  ///
  /// - Throws: `StoreError`.
  static func end(after cursor: Int64, in store: MeterStore) throws -> HostEvent.SessionEnd? {
    var cursor = cursor
    while true {
      let page = try store.events(after: cursor)
      guard !page.events.isEmpty else { return nil }
      let ends = page.events.compactMap { event -> HostEvent.SessionEnd? in
        if case .sessionEnded(let end) = event.event { end } else { nil }
      }
      if let end = ends.first { return end }
      cursor = page.next
    }
  }

  /// The error of a command whose records were left behind.
  ///
  /// - Parameter what: Such as `2 records`.
  func error(_ what: String) -> GatewayError { .sessionEnded(what, in: file, reason) }
}
