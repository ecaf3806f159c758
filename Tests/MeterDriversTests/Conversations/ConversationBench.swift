import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// The driver of Tests/Fixtures/Conversation, and the host of a source of its own.
enum ConversationBench {
  static let driver = "org.example.talk"
  /// Four groups of four bytes.
  static let source: [UInt8] = (1...16).map { $0 }

  /// The numbers of talk.c.
  enum Offence: Int, CaseIterable {
    case records = 1
    case text
    case pointNaN
    case beyond
    case field
    case outside
    case leftOver
    case counts
    case full
    case status
    case spin
    case abort
    case unknownAction
    case secret
    case textLong
    case step
    case timeless
    case latePull
    case givesUp
  }

  static func bundle() throws -> VerifiedBundle {
    try BundleVerifier.verify(
      path: CompiledBundle.make(["talk.c"], in: "Conversation").path, expectedHash: nil,
      rules: BundleRules(allowsMissingHash: true))
  }

  static func entry(
    extensions: Set<DriverExtension> = [.conversation], milliseconds: UInt32 = 1_000, records: UInt32 = 4_096
  ) throws -> DriverEntry {
    DriverEntry(
      id: driver, version: try #require(SemanticVersion("1.0.0")), vendor: "Example", license: "MIT", familyID: "fam",
      library: "drivers/talk.so", folder: ".", file: "registry.json", sha256: nil, signatures: [], assets: [],
      abi: ABIVersion(major: 1, minor: 0), capabilities: [], extensions: extensions,
      limits: DriverLimits(
        eventCPUMilliseconds: milliseconds, eventWallMilliseconds: 10_000, memoryMebibytes: 64,
        recordsPerEvent: records),
      metrics: [], parameters: [], functions: [])
  }

  static func host(_ isolation: DriverHostConfiguration.Isolation = .worker) -> DriverHost {
    DriverHost(configuration: DriverHostConfiguration(isolation: isolation, workerPath: BuildProducts.worker.path))
  }

  static func open(
    _ isolation: DriverHostConfiguration.Isolation = .worker, source: String = "groups", milliseconds: UInt32 = 1_000,
    records: UInt32 = 4_096, recorder: SessionRecorder? = nil
  ) async throws -> Conversation {
    try await Conversation.open(
      host: host(isolation), bundle: bundle(), entry: entry(milliseconds: milliseconds, records: records),
      opening: ConversationOpening(source: source, size: UInt64(Self.source.count), unixMicroseconds: 1),
      recorder: recorder)
  }
}

extension Conversation {
  /// Tells a fact at a time that does not matter.
  func tell(_ fact: ConversationFact) async throws(DriverFault) -> ConversationTurn {
    try await tell(fact, monotonicNanoseconds: 5, unixMicroseconds: 6)
  }

  /// Tells how a conversation begins, and gives the driver its first bytes.
  func tellFirstBytes() async throws(DriverFault) -> ConversationTurn {
    _ = try await tell(.started)
    _ = try await tell(.value(nil, token: 20))
    return try await tell(.bytes([1, 2, 3, 4, 5, 6, 7, 8], offset: 0, isLast: false, token: 10))
  }
}

/// What a host does for a conversation: a source, a store, and the order of things as they happened.
struct TalkingHost {
  /// What happened, in its order.
  enum Step: Hashable {
    case committed(records: Int, cursor: [UInt8]?)
    case acknowledged(UInt64)
    case timer(UInt64)
    case done
    case failed(String)
  }

  private(set) var steps: [Step] = []
  private(set) var records: [ConversationRecord] = []
  private(set) var keys: [String: [UInt8]]
  private let source: [UInt8]

  init(source: [UInt8] = ConversationBench.source, keys: [String: [UInt8]] = [:]) {
    self.source = source
    self.keys = keys
  }

  /// Talks until the driver is done or has failed; each turn is committed before anything is told on.
  mutating func talk(with conversation: Conversation) async throws {
    var facts: [ConversationFact] = [.started]
    while !facts.isEmpty {
      let turn = try await conversation.tell(facts.removeFirst())
      if turn.hasContent {
        // On disk first; then the driver and what waits for it.
        records += turn.records
        for write in turn.writes { keys[write.key] = write.value }
        steps.append(
          .committed(records: turn.records.count, cursor: turn.writes.first { $0.key == "user/cursor" }?.value))
        facts.insert(.committed(through: turn.sequence), at: 0)
      }
      for action in turn.actions { carryOut(action, &facts) }
    }
  }

  private mutating func carryOut(_ action: ConversationAction, _ facts: inout [ConversationFact]) {
    switch action {
    case .pull(let offset, let count, let token):
      let rest = source.dropFirst(Int(clamping: offset))
      let bytes = Array(rest.prefix(Int(count)))
      facts.append(.bytes(bytes, offset: offset, isLast: bytes.count == rest.count, token: token))
    case .acknowledge(let offset, let token):
      steps.append(.acknowledged(offset))
      facts.append(.answer(status: 0, token: token))
    case .timer(let token, _): steps.append(.timer(token))
    case .readKey(let key, let token): facts.append(.value(keys[key], token: token))
    case .done:
      steps.append(.done)
      facts = []
    case .fail(_, let text):
      steps.append(.failed(text))
      facts = []
    }
  }
}
