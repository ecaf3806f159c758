import HostPrimitives
import Testing

@testable import HTTPServing

@Suite struct ConnectionStateTests {
  private let start = HostInstant.boot
  private var state = ConnectionState(
    ConnectionLimits(
      connections: 8, headTime: .seconds(20), requestTime: .seconds(120), stallTime: .seconds(60),
      idleTime: .seconds(30),
      lingerTime: .seconds(10), lingerBytes: 1000), now: .boot)

  private func at(_ seconds: Int) -> HostInstant { start + .seconds(seconds) }

  @Test("an answer behind its request leaves the connection open")
  mutating func ordinary() {
    #expect(state.bytesCame(10, at: at(1)) == .read)
    state.headCame(.init())
    state.requestEnded()
    #expect(state.deadline == nil, "an answer takes the time that it takes")
    #expect(state.answerBegins() == .init(closes: false, hasBody: true))
    let isLast = state.answerEnded(at: at(5))
    #expect(!isLast && !state.isEnding)
    #expect(state.deadline == at(35))
  }

  @Test("an answer before the end of its request is the last one")
  mutating func early() {
    _ = state.bytesCame(10, at: at(1))
    state.headCame(.init())
    #expect(state.answerBegins() == .init(closes: true, hasBody: true))
    #expect(state.answerEnded(at: at(2)) == true)
    #expect(state.isLingering && state.deadline == at(12))
    // Whatever drips in moves nothing.
    #expect(state.bytesCame(500, at: at(11)) == .drop)
    #expect(state.deadline == at(12))
    #expect(state.bytesCame(501, at: at(11)) == .close)
    #expect(state.overdue(at: at(12)) == .close)
  }

  @Test("each part of a request has its time, and a byte now and then gains none")
  mutating func times() {
    #expect(state.deadline == at(30))
    #expect(state.overdue(at: at(29)) == nil)
    for second in 1...19 { _ = state.bytesCame(1, at: at(second)) }
    #expect(state.deadline == at(21), "the head's, from its first byte")
    state.headCame(.init())
    #expect(state.deadline == at(79), "nothing comes any more")
    for second in 20...120 { _ = state.bytesCame(1, at: at(second)) }
    #expect(state.deadline == at(121), "the request's, from its first byte")
    #expect(state.overdue(at: at(121)) == .refuse)
    #expect(state.overdue(at: at(122)) == nil, "who reads the body is told, and answers")
    #expect(state.overdue(at: at(131)) == .close)
  }

  @Test("a silent connection is closed without a word")
  mutating func silent() { #expect(state.overdue(at: at(30)) == .close) }

  @Test("an answer that is not taken has its time, from the last byte that was")
  mutating func stalled() {
    _ = state.bytesCame(10, at: at(1))
    state.headCame(.init())
    state.requestEnded()
    _ = state.answerBegins()
    state.writes(at: at(2))
    state.writes(at: at(2))
    #expect(state.deadline == at(62))
    state.wrote(at: at(50))
    #expect(state.deadline == at(110))
    state.wrote(at: at(51))
    #expect(state.deadline == nil)
  }

  @Test("the answer to HEAD has no body")
  mutating func head() {
    state.headCame(.init(isHead: true))
    state.requestEnded()
    #expect(state.answerBegins() == .init(closes: false, hasBody: false))
    #expect(!state.isWritingBody && state.isWriting)
  }

  @Test("what cannot be understood is answered, but not out of turn")
  mutating func faults() {
    #expect(state.faultCame() == .answer)
    #expect(state.answerBegins() == .init(closes: true, hasBody: true))
    #expect(state.answerEnded(at: at(1)) == true)

    var pipelined = ConnectionState(state.limits, now: start)
    pipelined.headCame(.init())
    pipelined.requestEnded()
    pipelined.headCame(.init())
    pipelined.requestEnded()
    #expect(pipelined.faultCame() == .nothing)
    #expect(pipelined.answerBegins()?.closes == false)
    let isFirstLast = pipelined.answerEnded(at: start)
    #expect(!isFirstLast)
    #expect(pipelined.answerBegins()?.closes == true)
    #expect(pipelined.answerEnded(at: start) == true)

    var broken = ConnectionState(state.limits, now: start)
    broken.headCame(.init())
    #expect(broken.faultCame() == .tell, "whoever reads the body must not take half of it for all")
    #expect(broken.faultCame() == .nothing)
    #expect(broken.answerBegins()?.closes == true)
  }

  @Test("nothing is written that nobody waits for")
  mutating func unasked() {
    #expect(state.answerBegins() == nil)
    state.headCame(.init())
    state.requestEnded()
    #expect(state.answerBegins() != nil)
    #expect(state.answerBegins() == nil, "one answer a request")
  }

  @Test("a client is told to go on once, and not behind its answer")
  mutating func continues() {
    state.headCame(.init(wantsContinue: true))
    #expect(state.awaitsContinue)
    state.toldToContinue()
    #expect(!state.awaitsContinue)

    var answered = ConnectionState(state.limits, now: start)
    answered.headCame(.init(wantsContinue: true))
    _ = answered.answerBegins()
    #expect(!answered.awaitsContinue)
  }

  @Test("the least needed is idle, then lingering, then slow; what is answered stays")
  mutating func needs() {
    var pipelined = ConnectionState(state.limits, now: start)
    _ = pipelined.bytesCame(100, at: at(1))
    pipelined.headCame(.init())
    pipelined.requestEnded()
    pipelined.headCame(.init())
    #expect(pipelined.need == nil && pipelined.deadline == nil, "the first one is being answered")
    _ = pipelined.answerBegins()
    _ = pipelined.answerEnded(at: at(90))
    #expect(pipelined.need?.rank == 2)
    #expect(pipelined.deadline == at(90) + state.limits.stallTime, "the second one has its time, and not for ever")
    #expect(state.need?.rank == 0)
    _ = state.bytesCame(1, at: at(1))
    #expect(state.need?.rank == 2)
    state.headCame(.init())
    #expect(state.need?.rank == 2)
    state.requestEnded()
    #expect(state.need == nil)
    _ = state.answerBegins()
    #expect(state.need == nil)
    _ = state.answerEnded(at: at(2))
    #expect(state.need?.rank == 0)
    _ = state.faultCame()
    _ = state.answerBegins()
    _ = state.answerEnded(at: at(3))
    #expect(state.need?.rank == 1)
  }

  @Test("who finds no place is told so and heard out, for a while and so many bytes")
  mutating func turnedAway() {
    state.turnedAway(at: at(5))
    #expect(state.answerBegins() == nil, "no other answer is owed")
    #expect(state.bytesCame(1000, at: at(6)) == .drop)
    #expect(state.bytesCame(1, at: at(6)) == .close)
    #expect(state.overdue(at: at(14)) == nil)
    #expect(state.overdue(at: at(15)) == .close)
    #expect(state.inputEnded() == true, "a client that is through has nothing to wait for")
  }

  @Test("limits shrink with the descriptors that are left")
  func fitting() {
    let limits = ConnectionLimits(connections: 512)
    #expect(limits.connectionsOfPeer == 384 && limits.turnedAway == 64)
    #expect(limits.fitting(descriptors: 2000) == limits)
    let small = limits.fitting(descriptors: 100)
    #expect(small.connections == 50 && small.connectionsOfPeer == 37)
    #expect(limits.fitting(descriptors: 0).connections == 4 && limits.fitting(descriptors: 0).turnedAway == 1)
  }
}
