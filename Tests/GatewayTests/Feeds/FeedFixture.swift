import Foundation
import HostErrors
import MeterCore
import Synchronization
import TestSupport

@testable import GatewayEngine

/// An export that cannot be imported.
struct RefusedExport: HostError {
  var kind = HostErrorKind.usage
  var code = "not_an_export"
  var message = "no driver knows what it is"
}

/// Takes exports and says of each what the test wants; the same bytes a second time are duplicates.
final class PlayedTaker: HealthTaker {
  private struct State {
    var offers: [HealthOffer] = []
    var known: Set<String> = []
    var failures: [any Error] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// What was offered.
  var offers: [HealthOffer] { state.withLock(\.offers) }

  /// Lets the next offers fail.
  func fail(_ errors: any Error...) { state.withLock { $0.failures += errors } }

  /// Waits until so many offers were made.
  func offers(_ count: Int) async -> [HealthOffer] {
    while offers.count < count {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          guard state.offers.count < count else { return true }
          state.waiters.append(continuation)
          return false
        }
        if isThere { continuation.resume() }
      }
    }
    return offers
  }

  func take(_ offer: HealthOffer) async throws -> HealthTally {
    let content = (try? String(contentsOfFile: offer.path, encoding: .utf8)) ?? ""
    let (result, waiters) = state.withLock {
      state -> (Result<HealthTally, any Error>, [CheckedContinuation<Void, Never>]) in
      defer { state.waiters = [] }
      state.offers.append(offer)
      guard state.failures.isEmpty else { return (.failure(state.failures.removeFirst()), state.waiters) }
      let isNew = state.known.insert(content).inserted
      return (.success(isNew ? HealthTally(accepted: 1) : HealthTally(duplicates: 1)), state.waiters)
    }
    for waiter in waiters { waiter.resume() }
    return try result.get()
  }
}

extension MeterStore {
  static func feeds(_ sandbox: Sandbox) throws -> MeterStore {
    try MeterStore(folder: URL(filePath: sandbox.path("state")))
  }

  /// Starts a session of a user.
  @discardableResult
  func begin(_ user: String = "patient-1") throws -> SessionGeneration {
    try startSession(SessionUser(userID: user, organizationID: "clinic"), token: AccessToken("token")).session
      .generation
  }
}
