import BluetoothWire
import DriverContract
import Synchronization
import TestSupport
import Testing

@testable import MeterBluetooth

/// A link whose meter answers from a script, and what of it reaches the session.
private struct Listening {
  let link: ConnectedLink
  let words: Task<[String], Never>
  private let bearer: ScriptedBearer

  init(_ bearer: ScriptedBearer) async {
    self.bearer = bearer
    // No order depends on a time: what waits for its turn among other tests must not be given up meanwhile.
    let clock = StoppedClock()
    let client = await bearer.client(clock: clock)
    let database = GATTDatabase(
      services: [.init(uuid: 0x1808, firstHandle: 1, lastHandle: 9)],
      characteristics: [
        .init(serviceIndex: 0, uuid: 0x2A18, valueHandle: 3, properties: 0x3A, configurationHandle: 4)
      ])
    let link = ConnectedLink(client: client, database: database, clock: clock, pair: { 0 }, notify: { _ in })
    self.link = link
    words = Task {
      let heard = Mutex<[String]>([])
      await link.listen { input in heard.withLock { $0.append(input.word) } }
      return heard.withLock { $0.filter { !["connected", "services"].contains($0) } }
    }
  }

  /// The meter hangs up when everything has been sent.
  func end() async -> [String] {
    bearer.hangUp()
    return await words.value
  }
}

extension SessionMachine.Input {
  fileprivate var word: String {
    switch self {
    case .fact(.notification(_, let value), _): "n\(value.map(String.init).joined())"
    case .fact(.indication(_, let value), _): "i\(value.map(String.init).joined())"
    case .fact(.connected, _): "connected"
    case .fact(.services, _): "services"
    case .procedureDone(.wrote, let token): "wrote \(token)"
    case .procedureDone(.read(_, let value, _), let token): "read \(token): \(value.count)"
    case .procedureDone(.subscribed, let token): "subscribed \(token)"
    case .linkLost(let reason): "lost \(reason)"
    default: "other"
    }
  }
}

/// Framed protocols count on it: what the driver hears has the order in which the PDUs came.
@Suite("The order of the air", .jumpingTime, .timeLimit(.minutes(60)))
struct OrderOfTheAirTests {
  private static let rounds = 4000

  @Test("a response and a value right behind it, or right before it, are never swapped", arguments: [true, false])
  func backToBack(responseIsFirst: Bool) async {
    let bearer = ScriptedBearer { pdu, _ in
      guard case .writeRequest(_, let value) = pdu else { return [] }
      let pair = [ATTPDU.writeResponse.encoded, ATTPDU.handleValueNotification(handle: 3, value: value).encoded]
      return responseIsFirst ? pair : pair.reversed()
    }
    let listening = await Listening(bearer)
    var expected: [String] = []
    for number in 0..<UInt64(Self.rounds) {
      await listening.link.run(.write(handle: 3, value: [UInt8(number % 100)], token: number))
      let pair = ["wrote \(number)", "n\(number % 100)"]
      expected += responseIsFirst ? pair : pair.reversed()
    }
    #expect(await listening.end() == expected + ["lost 19"])
  }

  @Test("any mixture of values around each response keeps its order", arguments: 0..<20 as Range<UInt64>)
  func mixtures(seed: UInt64) async {
    var random = SeededGenerator(seed: seed)
    let plan = (0..<200).map { _ in
      (before: Int.random(in: 0...3, using: &random), after: Int.random(in: 0...3, using: &random))
    }
    let bearer = ScriptedBearer { _, number in
      let value = { (index: Int) -> [UInt8] in
        let index = UInt8(index)
        return index % 2 == 0
          ? ATTPDU.handleValueNotification(handle: 3, value: [index]).encoded
          : ATTPDU.handleValueIndication(handle: 3, value: [index]).encoded
      }
      let round = plan[number]
      return (0..<round.before).map(value) + ATTPDU.writeResponse.reply + (4..<4 + round.after).map(value)
    }
    let listening = await Listening(bearer)
    var expected: [String] = []
    for (number, round) in plan.enumerated() {
      await listening.link.run(.subscribe(handle: 3, enable: true, token: UInt64(number)))
      let words = { (range: Range<Int>) in range.map { "\($0 % 2 == 0 ? "n" : "i")\($0)" } }
      expected += words(0..<round.before) + ["subscribed \(number)"] + words(4..<4 + round.after)
    }
    let heard = await listening.end()
    expected.append("lost 19")
    let place = zip(heard, expected).enumerated().first { $1.0 != $1.1 }?.offset ?? min(heard.count, expected.count)
    let near = max(0, place - 3)..<(place + 3)
    #expect(
      heard == expected,
      "at \(place): \(heard.dropFirst(near.lowerBound).prefix(6)), \(heard.count) of \(expected.count)")
  }

  @Test("values between the parts of a long read come before its end, those behind the last part after it")
  func longRead() async {
    let note = { @Sendable (number: UInt8) in ATTPDU.handleValueNotification(handle: 3, value: [number]).encoded }
    let bearer = ScriptedBearer { pdu, _ in
      switch pdu {
      case .readRequest: [ATTPDU.readResponse(value: .init(repeating: 7, count: 22)).encoded, note(1)]
      case .readBlobRequest(_, let offset) where offset < 66:
        [note(2), ATTPDU.readBlobResponse(value: .init(repeating: 7, count: 22)).encoded, note(3)]
      default: [ATTPDU.readBlobResponse(value: [7]).encoded, note(4)]
      }
    }
    let listening = await Listening(bearer)
    for number in 0..<500 as Range<UInt64> { await listening.link.run(.read(handle: 3, token: number)) }
    let expected = (0..<500).flatMap { ["n1", "n2", "n3", "n2", "n3", "read \($0): 67", "n4"] }
    #expect(await listening.end() == expected + ["lost 19"])
  }

  @Test("the end of a procedure, what came behind it, and the end of the link keep their order")
  func hangUpBehindResponse() async {
    for _ in 0..<200 {
      let bearer = ScriptedBearer { _, _ in [] }
      let listening = await Listening(bearer)
      let run = Task { await listening.link.run(.write(handle: 3, value: [], token: 5)) }
      while bearer.sent.isEmpty { await Task.yield() }
      bearer.push(.writeResponse, .handleValueIndication(handle: 3, value: [1]))
      bearer.hangUp()
      #expect(await listening.words.value == ["wrote 5", "i1", "lost 19"])
      await run.value
    }
  }

  @Test("a procedure that the end of the link cuts off has no end of its own")
  func cutOff() async {
    let bearer = ScriptedBearer { _, number in
      number == 0 ? ATTPDU.readResponse(value: .init(repeating: 7, count: 22)).reply : []
    }
    let listening = await Listening(bearer)
    let run = Task { await listening.link.run(.read(handle: 3, token: 5)) }
    while bearer.sent.count < 2 { await Task.yield() }
    bearer.push(.handleValueNotification(handle: 3, value: [1]))
    bearer.hangUp()
    #expect(await listening.words.value == ["n1", "lost 19"])
    await run.value
  }

  @Test("too many values behind a response end the link, and none before them is lost")
  func flood() async {
    var limits = ATTClient.Limits()
    limits.waitingValues = 4
    let bearer = ScriptedBearer { _, _ in
      ATTPDU.writeResponse.reply + (0..<20).map { ATTPDU.handleValueNotification(handle: 3, value: [$0]).encoded }
    }
    let client = await bearer.client(limits)
    await client.att.beginProcedure()
    _ = try? await client.att.request(.writeRequest(handle: 3, value: []))
    while await client.att.failure == nil { await Task.yield() }
    await client.att.endProcedure()
    var events: [ATTServerEvent] = []
    for await event in client.att.events { events.append(event) }
    #expect(events.first == .procedureEnd && events.count == 4)
    #expect(await client.att.failure?.code == .flooded)
  }
}
