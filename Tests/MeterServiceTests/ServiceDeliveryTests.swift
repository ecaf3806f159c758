import Foundation
import MeterCore
import MeterGateway
import MeterService
import TestSupport
import Testing

/// What a running service delivers by itself, and what its clients wait for.
@Suite(.timeLimit(.minutes(15))) struct ServiceDeliveryTests {
  /// Waits until the event log tells of a name.
  private func event(_ name: String, in store: MeterStore) async throws -> HostEvent? {
    for try await element in try store.eventSequence(after: 0) {
      if case .event(let logged) = element, logged.event.name == name { return logged.event }
    }
    return nil
  }

  @Test func aSessionThatStartsWithItsReceiverOutOfReachDeliversByItself() async throws {
    try await Sandbox.with { sandbox in
      // A port that was free a moment ago and will be the receiver's.
      let port = try await ReceiverFixture.with(sandbox) { $0 }
      try await ServiceFixture.with(sandbox) { store, client in
        _ = try store.startSession(ReceiverFixture.user, token: AccessToken("an-earlier-token"))
        var waiting = ServiceFixture.submission()
        waiting.delivers = false
        _ = try await client.perform(waiting)
        let started = try #require(try await client.perform(ReceiverFixture.start(port: port)))
        #expect(!started.validated && started.reason != nil)
        // From here on nobody asks for anything.
        try await ReceiverFixture.with(sandbox, port: port) { _ in
          #expect(try await event("record_submitted", in: store) != nil)
        }
        #expect(try store.currentSession().isValidated)
      }
    }
  }
}
