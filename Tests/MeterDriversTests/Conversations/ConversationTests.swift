import Foundation
import Glibc
import TestSupport
import Testing

@testable import MeterDrivers

/// Rule R18: a conversation with the real worker. What acknowledges comes behind the commit, and whatever a driver says or does,
/// what leaves the host is checked, or it is a fault.
@Suite("R18 a conversation", .timeLimit(.minutes(60))) struct ConversationTests {
  typealias Offence = ConversationBench.Offence
  typealias Step = TalkingHost.Step

  private static func cursor(_ offset: UInt64) -> [UInt8] { withUnsafeBytes(of: offset.littleEndian) { Array($0) } }

  @Test(
    "reads a source to its end, and acknowledges each part behind its commit",
    arguments: DriverHostConfiguration.Isolation.allCases)
  func whole(isolation: DriverHostConfiguration.Isolation) async throws {
    let conversation = try await ConversationBench.open(isolation)
    var host = TalkingHost()
    try await host.talk(with: conversation)
    #expect(
      host.steps == [
        .timer(30), .committed(records: 2, cursor: Self.cursor(8)), .acknowledged(8),
        .committed(records: 2, cursor: Self.cursor(16)), .acknowledged(16), .done,
      ])
    let first = try #require(host.records.first)
    #expect(first.record.values.map(\.value) == [1] && first.record.identity == Self.cursor(0))
    #expect(first.segments.map(\.value.value) == [2] && first.segments[0].endMicroseconds == 1_700_000_030_000_000)
    #expect(first.series.map(\.points) == [[3, 4]] && first.series[0].stepMicroseconds == 30_000_000)
    #expect(host.records.map(\.record.deviceSequence) == [0, 4, 8, 12])
    let after = await #expect(throws: DriverFault.self) { try await conversation.tell(.timer(token: 30)) }
    #expect(after?.code == .closed)
    #expect(await conversation.close() == nil)
  }

  @Test("goes on where the key that it wrote says") func resumes() async throws {
    let conversation = try await ConversationBench.open()
    var host = TalkingHost(keys: ["user/cursor": Self.cursor(8)])
    try await host.talk(with: conversation)
    #expect(host.records.map(\.record.deviceSequence) == [8, 12] && host.steps.last == .done)
    await conversation.close()
  }

  @Test("hands no acknowledgement out before the commit, and it with the commit") func held() async throws {
    let conversation = try await ConversationBench.open()
    let turn = try await conversation.tellFirstBytes()
    #expect(turn.records.count == 2 && turn.writes.count == 1)
    #expect(turn.actions == [.pull(offset: 8, count: 8, token: 10)])
    let committed = try await conversation.tell(.committed(through: turn.sequence))
    #expect(committed.actions == [.acknowledge(offset: 8, token: 40)])
    await conversation.close()
  }

  @Test("a driver whose timer runs out says what to do") func timer() async throws {
    let conversation = try await ConversationBench.open()
    _ = try await conversation.tell(.started)
    let turn = try await conversation.tell(.timer(token: 30))
    #expect(turn.isLast && turn.actions == [.fail(number: 1, text: "the source does not answer; try again")])
    await conversation.close()
  }

  // MARK: - Faults

  @Test("a worker that is killed in the middle is a typed fault, and nothing is acknowledged") func killed()
    async throws
  {
    let conversation = try await ConversationBench.open()
    let turn = try await conversation.tellFirstBytes()
    #expect(turn.hasContent && !turn.actions.contains { $0.waitsForCommit })
    let process = try #require(await conversation.process)
    process.signal(SIGABRT)
    let fault = await #expect(throws: DriverFault.self) {
      try await conversation.tell(.committed(through: turn.sequence))
    }
    #expect(fault?.code == .crashed && fault?.driver == ConversationBench.driver, "\(String(describing: fault))")
    #expect(fault.map(QuarantinePolicy().isOffence) == true)
    for fact in [ConversationFact.committed(through: turn.sequence), .timer(token: 30)] {
      await #expect(throws: DriverFault.self) { try await conversation.tell(fact) }
    }
  }

  @Test("a caller who gives up stops the worker, and nobody has failed") func cancelled() async throws {
    let conversation = try await ConversationBench.open(source: "\(Offence.spin.rawValue)", milliseconds: 60_000)
    let task = Task { try await conversation.tellFirstBytes() }
    task.cancel()
    let fault = await #expect(throws: DriverFault.self) { try await task.value }
    #expect(fault?.code == .cancelled && fault.map(QuarantinePolicy().isOffence) == false)
  }

  static let lies: [(offence: Offence, rule: String)] = [
    (.records, "R16"), (.text, "R12"), (.pointNaN, "R18"), (.beyond, "R18"), (.field, "R18"), (.outside, "R18"),
    (.leftOver, "R18"), (.counts, "R13"), (.full, "R13"), (.status, "R18"), (.textLong, "R18"), (.step, "R18"),
    (.timeless, "R18"),
  ]

  @Test("a lie is a broken rule", arguments: lies.indices, DriverHostConfiguration.Isolation.allCases)
  func lie(index: Int, isolation: DriverHostConfiguration.Isolation) async throws {
    let (offence, rule) = Self.lies[index]
    let conversation = try await ConversationBench.open(isolation, source: "\(offence.rawValue)", records: 1_000)
    let fault = await #expect(throws: DriverFault.self) { try await conversation.tellFirstBytes() }
    #expect(
      fault?.code == .brokeRule && fault?.rule == rule && fault?.driver == ConversationBench.driver,
      "\(offence): \(String(describing: fault))")
    let after = await #expect(throws: DriverFault.self) { try await conversation.tell(.timer(token: 1)) }
    #expect(after?.code == .closed)
  }

  @Test(
    "an end is a fault, and the next one opens", arguments: [(Offence.spin, DriverFault.Code.hung), (.abort, .crashed)])
  func end(offence: Offence, code: DriverFault.Code) async throws {
    let conversation = try await ConversationBench.open(source: "\(offence.rawValue)", milliseconds: 200)
    let fault = await #expect(throws: DriverFault.self) { try await conversation.tellFirstBytes() }
    #expect(fault?.code == code && fault?.message.contains("meter again") == false, "\(String(describing: fault))")
    let next = try await ConversationBench.open()
    #expect(try await next.tellFirstBytes().records.count == 2)
    await next.close()
  }

  @Test(
    "what a host does not know or grant is not taken, and the driver can do without",
    arguments: [Offence.unknownAction, .secret])
  func refusedService(offence: Offence) async throws {
    let conversation = try await ConversationBench.open(source: "\(offence.rawValue)")
    let turn = try await conversation.tellFirstBytes()
    #expect(turn.actions == [.done] && turn.writes.isEmpty && turn.isLast)
    #expect(turn.logs.contains { $0.message.contains("action 99") && $0.isHosts } == (offence == .unknownAction))
    await conversation.close()
  }

  @Test("a driver that gives up has nothing taken") func givesUp() async throws {
    let conversation = try await ConversationBench.open(source: "\(Offence.givesUp.rawValue)")
    let turn = try await conversation.tellFirstBytes()
    #expect(!turn.hasContent && turn.isLast)
    guard case .fail? = turn.actions.first else { throw CancellationError() }
    await conversation.close()
  }

  @Test("a source that is gone is not pulled from") func latePull() async throws {
    let conversation = try await ConversationBench.open(source: "\(Offence.latePull.rawValue)")
    _ = try await conversation.tellFirstBytes()
    let fault = await #expect(throws: DriverFault.self) { try await conversation.tell(.ended) }
    #expect(fault?.rule == "R18")
  }

  @Test("what no driver is told is refused and harms nothing", arguments: DriverHostConfiguration.Isolation.allCases)
  func refusedFacts(isolation: DriverHostConfiguration.Isolation) async throws {
    let conversation = try await ConversationBench.open(isolation)
    let chunk = [UInt8](repeating: 0, count: 262_145)
    for fact in [ConversationFact.timer(token: 1), .bytes(chunk, offset: 0, isLast: false, token: 1)] {
      let fault = await #expect(throws: DriverFault.self) { try await conversation.tell(fact) }
      #expect(fault?.code == .refused)
    }
    #expect(try await conversation.tellFirstBytes().records.count == 2)
    await conversation.close()
  }

  @Test("a source that the driver does not read, and an entry that does not list the extension, are refused")
  func opening() async throws {
    let source = await #expect(throws: DriverFault.self) { try await ConversationBench.open(source: "letters") }
    #expect(source?.code == .refused && source?.message.contains("letters") == true)
    let unlisted = await #expect(throws: DriverFault.self) {
      try await Conversation.open(
        host: ConversationBench.host(), bundle: ConversationBench.bundle(),
        entry: ConversationBench.entry(extensions: []),
        opening: ConversationOpening(source: "groups"))
    }
    #expect(unlisted?.code == .unknownDriver)
  }
}
