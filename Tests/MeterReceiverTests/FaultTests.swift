import Foundation
import TestSupport
import Testing

@testable import MeterReceiver

@Suite(.everyStorage) struct FaultTests {
  @Test func answersTheNextRequestsWithAStatus() async throws {
    let faults = ReceiverFaults()
    try await withReceiver(faults: faults) { server async throws in
      faults.inject(.answer(status: 503, retryAfter: 7), times: 2)
      for _ in 0..<2 {
        let reply = try await server.post(measurement())
        #expect(reply.status == 503)
        #expect(reply.headers["retry-after"] == "7")
      }
      #expect(try server.stored().isEmpty)
      #expect(faults.remaining == 0)
      #expect(try await server.post(measurement()).status == 201)
    }
  }

  @Test func retryAfterADropAfterStoringIsUnchanged() async throws {
    let faults = ReceiverFaults()
    try await withReceiver(faults: faults) { server async throws in
      faults.inject(.dropAfterStoring)
      await #expect(throws: RawHTTP.ConnectionDropped.self) { try await server.post(measurement()) }
      #expect(try server.stored().count == 1)
      let retry = try await server.post(measurement())
      #expect(retry.status == 200)
      #expect(retry.text("data/outcome") == "unchanged")
      #expect(try server.stored().count == 1)
    }
  }

  @Test func dropBeforeStoringStoresNothing() async throws {
    let faults = ReceiverFaults()
    try await withReceiver(faults: faults) { server async throws in
      faults.inject(.dropBeforeStoring)
      await #expect(throws: RawHTTP.ConnectionDropped.self) { try await server.post(measurement()) }
      #expect(try server.stored().isEmpty)
      #expect(try await server.post(measurement()).status == 201)
    }
  }

  @Test func delayDelaysOnly() async throws {
    let faults = ReceiverFaults()
    try await withReceiver(faults: faults) { server async throws in
      faults.inject(.delay(.milliseconds(200)))
      let clock = ContinuousClock()
      let start = clock.now
      #expect(try await server.post(measurement()).status == 201)
      #expect(clock.now - start >= .milliseconds(200))
    }
  }

  @Test func endpointsHaveFaultsOfTheirOwn() async throws {
    let faults = ReceiverFaults()
    try await withReceiver(faults: faults) { server async throws in
      faults.inject(.answer(status: 401), at: .user)
      #expect(try await server.post(measurement()).status == 201)
      #expect(try await server.get("/connect/provider/user", token: RunningReceiver.token).status == 401)
      #expect(try await server.get("/connect/provider/user", token: RunningReceiver.token).status == 200)
      faults.inject(.answer(status: 500), times: 3)
      faults.removeAll()
      #expect(try await server.post(measurement()).status == 200)
    }
  }
}
