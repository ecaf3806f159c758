import Foundation
import HostPrimitives
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterCore

/// A sink without a receiver: it answers as it was told to.
final class ScriptedSink: Sink {
  struct Asked: Sendable, Hashable {
    var batches: [[LogID]] = []
    var checks = 0
  }

  let capabilities: SinkCapabilities
  private let verdict: CredentialReply.Verdict
  private let answer: @Sendable (_ records: [Record], _ call: Int) -> [SinkReply]
  private let state = Mutex(Asked())

  init(
    batchSize: Int = 1, verdict: CredentialReply.Verdict = .accepted,
    _ answer: @escaping @Sendable (_ records: [Record], _ call: Int) -> [SinkReply]
  ) {
    capabilities = SinkCapabilities(batchSize: batchSize)
    self.verdict = verdict
    self.answer = answer
  }

  var asked: Asked { state.withLock(\.self) }

  func check(_ credential: SinkCredential) async -> CredentialReply {
    state.withLock { $0.checks += 1 }
    return CredentialReply(verdict, text: "as scripted")
  }

  func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    let call = state.withLock { state in
      state.batches.append(records.map(\.logID))
      return state.batches.count
    }
    return answer(records, call)
  }

  func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply { SinkReply(.delivered()) }
}

/// What the engine makes of what a sink says, whatever kind of sink it is.
@Suite("Engine and sink", .timeLimit(.minutes(60)))
struct SinkSeamTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let clock = StoppedClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  private func engine(_ sink: ScriptedSink, concurrency: Int = 1) -> DeliveryEngine {
    var settings = DeliverySettings()
    settings.concurrency = concurrency
    return DeliveryEngine(store: store, receiver: sink, settings: settings, clock: clock, jitter: { 1 })
  }

  private func commit(_ sequences: ClosedRange<UInt64>) throws {
    _ = try store.commit([Fixture.unit(generation, sequences.map { Fixture.glucose($0) })])
  }

  @Test("readings go out in batches of the sink's size, each reading once")
  func batches() async throws {
    let sink = ScriptedSink(batchSize: 3) { records, _ in records.map { _ in SinkReply(.delivered(id: "x")) } }
    try commit(1...8)
    let report = await engine(sink, concurrency: 2).drain()
    #expect(report.delivered == 8 && report.waiting == 0)
    #expect(sink.asked.batches.allSatisfy { (1...3).contains($0.count) })
    #expect(Set(sink.asked.batches.flatMap(\.self)).count == 8 && sink.asked.batches.flatMap(\.self).count == 8)
    #expect(try store.queueSnapshot().isEmpty)
  }

  @Test("what a sink says nothing of was not delivered, and goes out again")
  func fewerReplies() async throws {
    let sink = ScriptedSink(batchSize: 3) { records, call in
      (call == 1 ? records.prefix(1) : records[...]).map { _ in SinkReply(.delivered()) }
    }
    let engine = engine(sink)
    try commit(1...3)
    #expect(await engine.drain().delivered == 1)
    clock.advance(by: .seconds(60))
    #expect(await engine.drain().delivered == 2)
    #expect(try store.queueSnapshot().isEmpty)
  }

  @Test("more replies than readings count for nothing")
  func moreReplies() async throws {
    let sink = ScriptedSink { _, _ in [SinkReply(.refused(reason: "no")), SinkReply(.delivered())] }
    try commit(1...1)
    let report = await engine(sink).drain()
    #expect(report.dead == 1 && report.delivered == 0)
  }

  @Test("a refusal for good puts that reading aside under the sink's word, and no other")
  func refusal() async throws {
    let refused = Fixture.glucose(2).logID
    let sink = ScriptedSink(batchSize: 4) { records, _ in
      records.map {
        $0.logID == refused ? SinkReply(.refused(reason: "no_place"), text: "full") : SinkReply(.delivered())
      }
    }
    try commit(1...3)
    let report = await engine(sink).drain()
    #expect(report.delivered == 2 && report.dead == 1)
    let entry = try #require(try store.queueEntry(refused).first)
    #expect(entry.state == .dead && entry.reason == "no_place" && entry.lastError == "full")
  }

  @Test("a wait that the receiver asks for holds everything back, and outlives the engine")
  func askedWait() async throws {
    let sink = ScriptedSink { records, call in
      records.map { _ in call == 1 ? SinkReply(.retry(after: .seconds(600)), text: "later") : SinkReply(.delivered()) }
    }
    try commit(1...2)
    #expect(await engine(sink).drain().waiting == 2)
    let next = engine(sink)
    #expect(await next.drain().waiting == 2 && sink.asked.batches.count == 1, "the next process waits, too")
    clock.advance(by: .seconds(700))
    #expect(await next.drain().delivered == 2)
  }

  @Test("a refused credential of the session's own receiver ends the session, and nothing is lost")
  func credentialRefused() async throws {
    let sink = ScriptedSink { records, _ in records.map { _ in SinkReply(.credentialRefused, text: "who?") } }
    try commit(1...2)
    #expect(await engine(sink).drain().sessionEnded)
    #expect(try store.currentSession().user == nil)
    let kept = try FileManager.default.contentsOfDirectory(
      at: folder.state.appending(path: "recovery"), includingPropertiesForKeys: nil)
    let file = try #require(kept.first)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    #expect(try store.recover(file).pending.count == 2)
  }

  @Test(
    "before a credential is known to be the user's nothing goes out",
    arguments: [.refused, .otherUser, .outOfReach(), .unclear] as [CredentialReply.Verdict])
  func unknownCredential(verdict: CredentialReply.Verdict) async throws {
    let sink = ScriptedSink(verdict: verdict) { records, _ in records.map { _ in SinkReply(.delivered()) } }
    try commit(1...2)
    let report = await engine(sink).drain()
    #expect(report.delivered == 0 && sink.asked.batches.isEmpty && sink.asked.checks == 1)
    #expect(report.sessionEnded == [.refused, .otherUser].contains(verdict))
  }

  @Test("a receiver that cannot say whose credential it is gets readings, and is asked once more when it has taken one")
  func cannotSay() async throws {
    let sink = ScriptedSink(verdict: .cannotSay) { records, _ in records.map { _ in SinkReply(.delivered()) } }
    try commit(1...2)
    #expect(await engine(sink).drain().delivered == 2)
    #expect(sink.asked.checks == 2)
    #expect(try store.currentSession().isValidated)
  }
}
