import HostPrimitives
import MeterCore
import NATSClient
import NATSSupport
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import NATSSink

@Suite("Readings on their way to a fleet's stream", .jumpingTime, .timeLimit(.minutes(60)))
struct NATSSinkTests {
  @Test("are delivered when the receiver says so, whether it or the stream is quicker", arguments: [false, true])
  func delivered(confirmsFirst: Bool) async throws {
    let fleet = try PlayedFleet(.init(confirmsFirst: confirmsFirst))
    defer { fleet.stop() }
    let sink = try fleet.sink()
    let replies = await sink.deliver(Fixture.readings(1...200), with: Fixture.credential)
    #expect(replies.count == 200 && replies.allSatisfy { $0.outcome == .delivered(id: "42") })
    #expect(fleet.stored.count == 200 && fleet.stored.values.allSatisfy { $0 == 1 })
    #expect(fleet.server.faults.isEmpty && fleet.server.connections == 1)
    #expect(fleet.server.subscriptions.contains("mh.clinic.gw0001.c"))
  }

  @Test("without the receiver's word are left open, for longer each time, and heard of later")
  func unconfirmed() async throws {
    let fleet = try PlayedFleet(.init(isReceiverThere: false))
    defer { fleet.stop() }
    let sink = try fleet.sink()
    var later = await sink.confirmations().makeAsyncIterator()
    let reading = Fixture.glucose(1)
    for seconds in [60, 120, 240] {
      let replies = await sink.deliver([reading], with: Fixture.credential)
      #expect(replies.map(\.outcome) == [.unconfirmed(within: .seconds(seconds))])
    }
    #expect(fleet.stream.messages.count == 1, "under one name, of which the stream keeps one")
    // The receiver comes back, and what is sent next tells the connection of the first.
    fleet.faults.withLock { faults in
      faults = PlayedFleet.Faults(confirmsFirst: true)
      faults.confirmation = { _ in PlayedFleet.created(ReadingName(reading, token: Fixture.token)) }
    }
    _ = await sink.deliver([Fixture.glucose(2)], with: Fixture.credential)
    let confirmation = try #require(await later.next())
    #expect(confirmation.logID == reading.logID && confirmation.revision == 1)
    #expect(confirmation.reply.outcome == .delivered(id: "42"))
    #expect(
      await sink.deliver([reading], with: Fixture.credential).map(\.outcome) == [.unconfirmed(within: .seconds(60))])
  }

  @Test("another person's reading of the same name is not theirs: what is said of it late says nothing here")
  func others() async throws {
    let fleet = try PlayedFleet(PlayedFleet.Faults(isReceiverThere: false))
    defer { fleet.stop() }
    let sink = try fleet.sink()
    let reading = Fixture.glucose(1)
    let token = AccessToken("another-persons-token-0123456789")
    _ = await sink.deliver([reading], with: SinkCredential(user: Fixture.user, token: token))
    var later = await sink.confirmations().makeAsyncIterator()
    _ = await sink.deliver([reading], with: Fixture.credential)
    #expect(fleet.stream.messages.count == 2, "two names")
    // What is said of the other's comes first, of one's own after it.
    let words = [
      #"{"msg_id":"\#(ReadingName(reading, token: token))","outcome":"unauthorized"}"#,
      PlayedFleet.created(ReadingName(reading, token: Fixture.token)),
    ]
    for (number, word) in zip(UInt64(2)..., words) {
      fleet.faults.withLock { faults in
        faults = PlayedFleet.Faults(confirmsFirst: true)
        faults.confirmation = { _ in word }
      }
      _ = await sink.deliver([Fixture.glucose(number)], with: Fixture.credential)
    }
    #expect(try #require(await later.next()).reply.outcome == .delivered(id: "42"))
  }

  @Test("are the receiver's to refuse, and the token, too")
  func refused() async throws {
    var faults = PlayedFleet.Faults()
    faults.confirmation = { name in
      name.logID == Fixture.glucose(1).logID
        ? #"{"msg_id":"\#(name)","outcome":"refused","reason":"invalid","text":"unit: unknown"}"#
        : #"{"msg_id":"\#(name)","outcome":"unauthorized","reason":"unauthorized","text":"no such token"}"#
    }
    let fleet = try PlayedFleet(faults)
    defer { fleet.stop() }
    let sink = try fleet.sink()
    let replies = await sink.deliver(Fixture.readings(1...2), with: Fixture.credential)
    #expect(replies[0] == SinkReply(.refused(reason: "invalid"), text: "unit: unknown", isAboutItem: true))
    #expect(replies[1] == SinkReply(.credentialRefused, text: "no such token"))
  }

  @Test("whose answer was lost with the connection are sent again under their names")
  func cut() async throws {
    var faults = PlayedFleet.Faults()
    faults.cutsAfter = { $0.earlier == 0 }
    let fleet = try PlayedFleet(faults)
    defer { fleet.stop() }
    let sink = try fleet.sink()
    let first = await sink.deliver([Fixture.glucose(1)], with: Fixture.credential)
    #expect(first.map(\.outcome) == [.retry()])
    let second = await sink.deliver([Fixture.glucose(1)], with: Fixture.credential)
    #expect(second.map(\.outcome) == [.unconfirmed(within: .seconds(60))], "its word was lost with the connection")
    #expect(fleet.stream.messages.count == 1 && fleet.stored.values.allSatisfy { $0 == 1 })
  }

  @Test("that the stream does not take wait, and those that it never takes are refused")
  func stream() async throws {
    func error(_ code: Int, _ reason: Int) -> @Sendable (PlayedNATS.Published) -> PlayedNATS.Reaction {
      {
        .publish(
          $0.reply ?? "",
          #"{"error":{"code":\#(code),"err_code":\#(reason),"description":"words"},"stream":"R","seq":0}"#)
      }
    }
    let cases: [(@Sendable (PlayedNATS.Published) -> PlayedNATS.Reaction, SinkReply.Outcome, String)] = [
      (error(503, 10077), .retry(), "takes no more"), (error(400, 10054), .refused(reason: "too_large"), "words"),
      (error(503, 10118), .retry(), "10118"), ({ .publish($0.reply ?? "", "+OK") }, .retry(), "no answer of JetStream"),
      ({ .status($0.reply ?? "", 503, "") }, .retry(), "nobody listens"),
      ({ .error("Permissions Violation for Publish to \"\($0.subject)\"") }, .retry(), "does not let this key publish"),
      ({ _ in .raw("") }, .retry(), "no answer came"), ({ _ in .close }, .retry(), "closed the connection"),
    ]
    for (answer, outcome, words) in cases {
      let fleet = try PlayedFleet(.init(answer: answer))
      defer { fleet.stop() }
      let replies = await (try fleet.sink()).deliver([Fixture.glucose(1)], with: Fixture.credential)
      #expect(replies.map(\.outcome) == [outcome] && replies[0].text.contains(words), "\(replies)")
      #expect(replies[0].isAboutItem == (outcome != .retry()))
    }
  }

  @Test("that are longer than the server takes are refused, and the others go on")
  func tooLong() async throws {
    let fleet = try PlayedFleet { $0.maxPayload = 200 }
    defer { fleet.stop() }
    let replies = await (try fleet.sink()).deliver([Fixture.glucose(1)], with: Fixture.credential)
    #expect(replies.map(\.outcome) == [.refused(reason: "too_large")] && fleet.server.published.isEmpty)
  }

  @Test("are not sent where nobody can hear what becomes of them")
  func deaf() async throws {
    let fleet = try PlayedFleet { $0.mayNotSubscribe = { $0.hasSuffix(".c") } }
    defer { fleet.stop() }
    let sink = try fleet.sink()
    _ = await sink.check(Fixture.credential)
    // The first may be on its way before the server has said so.
    _ = await sink.deliver([Fixture.glucose(1)], with: Fixture.credential)
    let replies = await sink.deliver([Fixture.glucose(2)], with: Fixture.credential)
    #expect(replies.map(\.outcome) == [.retry()] && replies[0].text.contains("mh.clinic.gw0001.c"))
    #expect(fleet.stream.messages.count <= 1)
  }

  @Test("are delivered by the stream's word where that was chosen")
  func broker() async throws {
    let fleet = try PlayedFleet(.init(isReceiverThere: false))
    defer { fleet.stop() }
    let sink = try fleet.sink { $0.acknowledgedBy = .broker }
    let replies = await sink.deliver(Fixture.readings(1...1), with: Fixture.credential)
    #expect(replies.map(\.outcome) == [.delivered(id: "READINGS/1")])
    #expect(fleet.server.published.first?.headers["Meterhost-Confirm"] == nil)
    #expect(!fleet.server.subscriptions.contains("mh.clinic.gw0001.c"))
  }

  @Test("are counted for whoever runs the fleet: a word when something has changed, and one an hour")
  func words() async throws {
    let fleet = try PlayedFleet()
    defer { fleet.stop() }
    let sink = try fleet.sink()
    let (changes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let pending = Mutex(3)
    let serving = Task {
      await sink.serve(
        SinkSurroundings(
          changes: changes, credential: { Fixture.credential },
          status: { SinkStatus(pending: pending.withLock(\.self), held: 1, dead: 2, meters: ["GM-0042"]) }))
    }
    for number in [3, 3, 0] {
      pending.withLock { $0 = number }
      signal.yield()
      _ = await JumpingClock.ofTest.elapsed(.seconds(120))
    }
    _ = await JumpingClock.ofTest.elapsed(.seconds(3600))
    serving.cancel()
    await serving.value
    let words = fleet.server.published.map { "\($0.subject) \(String(decoding: $0.payload, as: UTF8.self))" }
    let expected = [3, 0, 0].map {
      #"mh.clinic.gw0001.s {"pending":\#($0),"held":1,"dead":2,"version":"\#(ProgramVersion.current)"}"#
    }
    #expect(words == expected)
  }

  @Test("need a token, by which they are proved")
  func token() async throws {
    let fleet = try PlayedFleet()
    defer { fleet.stop() }
    let sink = try fleet.sink()
    let credential = SinkCredential(user: Fixture.user, token: nil)
    #expect(await sink.deliver(Fixture.readings(1...2), with: credential).map(\.outcome) == [.retry(), .retry()])
    #expect(await sink.check(credential).verdict == .unclear)
    #expect(fleet.server.connections == 0)
  }

  @Test("a gateway that the servers take may deliver, and one that they refuse hears why")
  func check() async throws {
    let fleet = try PlayedFleet()
    #expect(await (try fleet.sink()).check(Fixture.credential).verdict == .cannotSay)
    fleet.stop()
    #expect(await (try fleet.sink()).check(Fixture.credential).verdict == .outOfReach())
    let locked = try PlayedFleet { $0.key = NATSKeyPair().publicKey }
    defer { locked.stop() }
    let reply = await (try locked.sink()).check(Fixture.credential)
    #expect(reply.verdict == .outOfReach() && reply.reason.contains("refuses"))
  }
}
