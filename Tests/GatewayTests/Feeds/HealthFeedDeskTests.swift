import Foundation
import GatewayAPI
import MeterCore
import TestSupport
import Testing

@testable import GatewayEngine

@Suite("What posts exports", .timeLimit(.minutes(60))) struct HealthFeedDeskTests {
  private let clock = StoppedClock()
  private let taker = PlayedTaker()

  private func with(_ body: (MeterStore, HealthFeedDesk, SessionGeneration) async throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore.feeds(sandbox)
      let generation = try store.begin()
      try await body(store, HealthFeedDesk(store: store, taker: taker, clock: clock), generation)
    }
  }

  private func post(
    _ text: String, to desk: HealthFeedDesk, of generation: SessionGeneration, from source: String = "phone"
  ) throws -> SpoolEntry {
    let writer = try desk.spool.begin(from: source, of: generation, came: desk.date)
    try Array(text.utf8).withUnsafeBytes { try writer.append($0) }
    return try writer.finish()
  }

  private func code(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch { return (error as? GatewayError)?.code ?? "\(error)" }
  }

  @Test("a token opens for its source alone, until it is taken back or the session ends") func tokens() async throws {
    try await with { store, desk, generation in
      let (phone, watch) = (try desk.makeSource("phone", of: generation), try desk.makeSource("watch", of: generation))
      #expect(try desk.source(presenting: phone) == "phone")
      #expect(try desk.source(presenting: watch) == "watch")
      for wrong in [nil, "", "x", phone + "x", String(phone.dropLast()), String(repeating: "a", count: 100_000)] {
        #expect(try desk.source(presenting: wrong) == nil)
      }
      #expect(code { _ = try desk.makeSource("phone", of: generation) } == "source_exists")
      #expect(code { _ = try desk.makeSource("a/b", of: generation) } == "source_name")
      try desk.revokeSource("phone", of: generation)
      #expect(try desk.source(presenting: phone) == nil)
      #expect(code { try desk.revokeSource("phone", of: generation) } == "unknown_source")
      _ = try store.endSession()
      #expect(try desk.source(presenting: watch) == nil)
      try store.begin("patient-2")
      #expect(try desk.source(presenting: watch) == nil && desk.sources().isEmpty)
    }
  }

  @Test("there are only so many sources") func most() async throws {
    try await with { _, desk, generation in
      for number in 0..<IngestSource.most { _ = try desk.makeSource("s\(number)", of: generation) }
      #expect(code { _ = try desk.makeSource("more", of: generation) } == "source_limit")
    }
  }

  @Test("a body is imported once and gone, and the same one again gives duplicates; its source shows both")
  func imported() async throws {
    try await with { _, desk, generation in
      _ = try desk.makeSource("phone", of: generation)
      for expected in [HealthTally(accepted: 1), HealthTally(duplicates: 1)] {
        let entry = try post("{}", to: desk, of: generation)
        #expect(await desk.outcome(of: entry) == .taken(expected))
        #expect(desk.spool.entries() == [])
      }
      #expect(taker.offers.allSatisfy { $0.generation == generation })
      let source = try #require(try desk.sources().first)
      #expect(source.posts == 2 && source.accepted == 1 && source.duplicates == 1 && source.lastUsed != nil)
    }
  }

  @Test(
    "what is no export is dropped and told; what cannot be imported now stays, and a driver's fault for two more attempts"
  )
  func failures() async throws {
    try await with { _, desk, generation in
      _ = try desk.makeSource("phone", of: generation)
      taker.fail(RefusedExport())
      let bad = try post("no", to: desk, of: generation)
      guard case .refused(let error)? = await desk.outcome(of: bad) else { throw RefusedExport() }
      #expect(error.code == "not_an_export" && desk.spool.entries() == [])
      #expect(try desk.sources().first?.error?.code == "not_an_export")

      let full = StoreError(.diskFull, "full")
      taker.fail(full, RefusedExport(kind: .unavailable), RefusedExport(kind: .failed), RefusedExport(kind: .failed))
      let entry = try post("later", to: desk, of: generation)
      for _ in 0..<4 {
        guard case .waits? = await desk.outcome(of: entry) else { throw RefusedExport() }
        #expect(desk.spool.entries() == [entry])
      }
      taker.fail(RefusedExport(kind: .failed))
      guard case .refused? = await desk.outcome(of: entry) else { throw RefusedExport() }
      #expect(desk.spool.entries() == [])
    }
  }

  @Test("a body of an ended session is never imported for another user, and goes") func ended() async throws {
    try await with { store, desk, generation in
      let entries = try (0..<2).map { try post("\($0)", to: desk, of: generation) }
      _ = try store.endSession()
      #expect(await desk.outcome(of: entries[0]) == .gone)
      let next = try store.begin("patient-2")
      #expect(next != generation)
      #expect(try await desk.fetchLatest(of: next) == [])
      #expect(desk.spool.entries() == [] && taker.offers == [])
    }
  }

  @Test("what was posted before a restart is imported after it") func restart() async throws {
    try await with { store, desk, generation in
      _ = try post("{}", to: desk, of: generation)
      let next = HealthFeedDesk(store: store, taker: taker, clock: clock)
      let running = Task { await next.run() }
      #expect(await taker.offers(1).count == 1)
      running.cancel()
      await running.value
      while !desk.spool.entries().isEmpty { await Task.yield() }
    }
  }

  @Test("the endpoint is off until it is given an address, which stays") func endpoint() async throws {
    try await with { store, desk, _ in
      #expect(try desk.address() == nil)
      #expect(try desk.describeEndpoint().address == nil)
      var changes = desk.addressChanges().makeAsyncIterator()
      let address = try #require(IngestAddress("127.0.0.1:8099"))
      try desk.setAddress(address)
      #expect(await changes.next() != nil)
      #expect(try HealthFeedDesk(store: store, taker: taker, clock: clock).address() == address)
      desk.noteEndpoint(url: nil, problem: "in use")
      #expect(try desk.describeEndpoint().problem == "in use")
      try desk.setAddress(nil)
      #expect(
        try desk.describeEndpoint()
          == HealthIngestDescription(
            address: nil, url: nil, isLoopback: true, waiting: 0, waitingBytes: 0, problem: nil))
    }
  }
}
