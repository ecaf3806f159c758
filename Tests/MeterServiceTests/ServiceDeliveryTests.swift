import Foundation
import Logging
import MeterBluetooth
import MeterCore
import GatewayAPI
import MeterService
import TestSupport
import Testing

/// What a running service delivers by itself, and what its clients wait for.
@Suite(.timeLimit(.minutes(60))) struct ServiceDeliveryTests {
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
          let told = try await event("record_submitted", in: store)
          #expect(told != nil)
        }
        #expect(try store.currentSession().isValidated)
      }
    }
  }

  @Test func eachAttemptThatFailsIsLogged() async throws {
    try await Sandbox.with { sandbox in
      let lines = LogLines()
      let port = try await ReceiverFixture.with(sandbox) { $0 }
      try await ServiceFixture.with(sandbox, logger: lines.logger) { _, client in
        _ = try await client.perform(ReceiverFixture.start(port: port))
        let refused = await lines.first { $0.message == "the receiver has not validated the token yet" }
        #expect(refused.level == .warning && refused.fields["error"]?.isEmpty == false, "\(refused)")
        try await ReceiverFixture.with(sandbox, port: port) { _ in
          let accepted = await lines.first { $0.message == "the receiver has accepted the token" }
          #expect(accepted.level == .info)
        }
        _ = try await client.perform(ServiceFixture.submission())
        let failed = await lines.first { $0.message == "an attempt to deliver a record has failed" }
        #expect(failed.level == .info && failed.fields["sink"] == MeterStore.defaultSink)
        #expect(failed.fields["log_id"] == "0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b10")
        #expect(failed.fields["error"]?.isEmpty == false && failed.fields["again_in"]?.hasSuffix(" s") == true)
      }
    }
  }

  @Test func oldNamesAreForgottenWhileTheServiceRuns() async throws {
    try await Sandbox.with { sandbox in
      let before = MeterStore.wallClockMicroseconds - 40 * 86_400 * 1_000_000
      // Done forty days ago: to be done again.
      let prepare = { @Sendable (store: MeterStore) in _ = try store.forgetOldNames(nowMicroseconds: before) }
      try await ServiceFixture.with(sandbox, clock: .vouched, prepare: prepare) { store, _ in
        // The same moment is no new month until the service has written a later one.
        while try store.forgetOldNames(nowMicroseconds: before) == nil { await Task.yield() }
      }
    }
  }

  @Test func aSubmissionWaitsForItsOwnRecordAndNotForTheBacklog() async throws {
    try await Sandbox.with { sandbox in
      try await ReceiverFixture.with(sandbox) { port in
        try await ServiceFixture.with(sandbox, patience: .milliseconds(100)) { store, client in
          // So slow that the backlog takes longer than the test may.
          _ = try await client.perform(ReceiverFixture.start(port: port, requestsPerSecond: 0.01))
          var backlog = ServiceFixture.submission(ServiceFixture.weights(200))
          backlog.delivers = false
          _ = try await client.perform(backlog)
          let submitted = try #require(try await client.perform(ServiceFixture.submission()))
          #expect(submitted.first?.deliveries.map(\.state) == ["pending"], "it is taken, and delivered later")
          // The same with a token that is new, and with what was refused by nobody.
          let again = try await client.perform(ReceiverFixture.start(port: port, requestsPerSecond: 0.01))
          #expect(again?.validated == true)
          #expect(try store.queueSnapshot(states: [.pending]).count >= 190)
        }
      }
    }
  }

  @Test func aSubmissionThatTheServiceDeliversSaysSo() async throws {
    try await Sandbox.with { sandbox in
      try await ReceiverFixture.with(sandbox) { port in
        try await ServiceFixture.with(sandbox) { _, client in
          _ = try await client.perform(ReceiverFixture.start(port: port))
          for text in [ServiceFixture.weight, ServiceFixture.weights(40)] {
            let submitted = try #require(try await client.perform(ServiceFixture.submission(text)))
            #expect(Set(submitted.flatMap(\.deliveries).map(\.state)) == ["delivered"])
          }
        }
      }
    }
  }

  @Test func aSubmissionToAReceiverOutOfReachOrAPausedQueueDoesNotWait() async throws {
    try await Sandbox.with { sandbox in
      let port = try await ReceiverFixture.with(sandbox) { $0 }
      try await ServiceFixture.with(sandbox) { _, client in
        _ = try await client.perform(ReceiverFixture.start(port: port))
        for isPaused in [false, true] {
          _ = try await client.perform(QueuePauseRequest(paused: isPaused))
          let text = ServiceFixture.weights(1)
          let submitted = try #require(try await client.perform(ServiceFixture.submission(text)))
          #expect(submitted.flatMap(\.deliveries).map(\.state) == ["pending"])
        }
      }
    }
  }
}
