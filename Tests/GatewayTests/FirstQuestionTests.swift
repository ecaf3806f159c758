import Foundation
import MeterCore
import GatewayAPI
import InformSink
import GatewayEngine
import MeterReceiver
import TestSupport
import Testing

/// What a receiver is asked when a session starts, or gets another receiver: whose token it is, once.
@Suite("The first question to a receiver", .timeLimit(.minutes(60)))
struct FirstQuestionTests {
  @Test("is asked once when the receiver cannot answer, and again when a person or its own wait says so")
  func refused() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let faults = ReceiverFaults()
      try await GatewayFixture.withReceiver(sandbox, faults: faults) { _, port in
        faults.inject(.answer(status: 503, retryAfter: 3600), times: 2, at: .user)
        let started = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        #expect(!started.session.isValidated && started.unvalidated?.contains("503") == true)
        #expect(faults.remaining == 1)
        // The next command is another process.
        let next = try #require(try GatewayDelivery.configured(store: store))
        _ = await next.drain()
        #expect(faults.remaining == 1)
        let wait = try #require(try store.sinkWaits()[MeterStore.defaultSink])
        #expect(wait.isAsked(at: .now) && wait.left(at: .now) > .seconds(3000))
        _ = await next.flush()
        #expect(faults.remaining == 0)
        _ = await next.flush()
        #expect(try store.currentSession().isValidated)
      }
    }
  }

  @Test("is not asked again when it was answered, of the session's own receiver and of further ones")
  func answered() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let faults = ReceiverFaults()
      try await GatewayFixture.withReceiver(sandbox, faults: faults) { _, port in
        // Answers as usual, and counts.
        faults.inject(.delay(.zero), times: 8, at: .user)
        let started = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        #expect(started.session.isValidated && started.unvalidated == nil)
        #expect(faults.remaining == 7)
        let setting = ReceiverSetting(receiver: "http://127.0.0.1:\(port)")
        let reason = try await GatewaySink.add(
          "research", setting: setting, token: AccessToken(GatewayFixture.token), to: store)
        #expect(reason == nil)
        try await #require(try GatewayDelivery.configured(store: store)).finish()
        #expect(faults.remaining == 6)
        #expect(try GatewaySink.further(in: store).map(\.stored.isValidated) == [true])
      }
    }
  }
}
