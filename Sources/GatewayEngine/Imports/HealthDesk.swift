package import Foundation
package import GatewayAPI
import HostErrors
import Logging
package import MeterCore
import MeterDrivers
package import MeterHealth

/// Imports exports of health stores for the session's user: one at a time, the others wait.
package final class HealthDesk: Sendable {
  /// What is wanted of an export.
  package struct Wish: Sendable, Hashable {
    /// Which kinds of records; nil: what the session is subscribed to.
    package var subscription: HealthSubscription?
    /// Which days.
    package var window = HealthWindow.recent
    /// The zone of the user's days.
    package var zone: TimeZone
    /// Import what was imported already, and let an older export replace sums of a newer one.
    package var isForced = false
    /// The session that it came in: in another one nothing is taken.
    package var generation: SessionGeneration

    package init(of generation: SessionGeneration, in zone: TimeZone) {
      self.generation = generation
      self.zone = zone
    }
  }

  /// How far an import has come.
  package typealias Progress = @Sendable (HealthImportProgress) -> Void

  private let turn = ImportTurnstile()
  private let store: MeterStore
  private let current: CurrentGateway

  init(store: MeterStore, current: CurrentGateway) {
    self.store = store
    self.current = current
  }

  /// Imports an export.
  ///
  /// - Returns: What came of it; `known` where the same bytes were imported with the same wish before.
  /// - Throws: ``GatewayError`` with code `not_subscribed`; `HealthImportError`, and then nothing was taken; `StoreError`.
  package func take(
    _ export: HealthExport, _ wish: Wish, progress: Progress? = nil
  ) async throws -> HealthImportDescription {
    try await turn.pass { [store, current] in
      try await HealthJob(export, wish, store, current.gateway()).run(progress)
    }
  }

  /// Does something while no export is imported: an import compares with what was there when it began.
  func between<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    try await turn.pass(body)
  }
}

/// Lets one through at a time, in the order in which they came.
private actor ImportTurnstile {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func pass<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    if isTaken {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      isTaken = true
    }
    defer {
      if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
    return try await body()
  }
}
