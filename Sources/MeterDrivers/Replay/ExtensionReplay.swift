import Crypto
import DriverContract
import DriverRuntime

/// The steps of a recording of an extension: what it was asked, and how each call ended.
struct ExtensionCourse: Sendable {
  /// One question and what came of it.
  struct Turn: Sendable {
    enum End: Sendable {
      case answer([UInt8])
      case digest([UInt8])
      case fault(DriverFault)
      /// The recording ends in the middle.
      case open
    }

    let kind: String
    let isOpening: Bool
    let question: [UInt8]
    var end = End.open
  }

  private(set) var turns: [Turn] = []
  private(set) var closingFault: DriverFault?
  /// Something that happened is not in the recording.
  private(set) var isFull = false

  /// Nil for the recording of a session without extensions.
  init?(_ steps: [RecordingStep]) throws(RecordingError) {
    guard steps.contains(where: { if case .asked = $0 { true } else { false } }) else { return nil }
    for step in steps {
      switch step {
      case .asked(let kind, let isOpening, let bytes):
        guard turns.isEmpty == isOpening else { throw Self.damaged("does not begin with an opening, or has two") }
        turns.append(Turn(kind: kind, isOpening: isOpening, question: bytes))
      case .answered(let bytes): try end(.answer(bytes))
      case .unitDigest(let digest): try end(.digest(digest))
      case .fault(let fault): if !isFull { try end(.fault(fault)) } else { closingFault = fault }
      case .closingFault(let fault), .refusedOutput(let fault): closingFault = fault
      case .full: isFull = true
      case .closed: break
      case .service, .event, .unit, .captured: throw Self.damaged("holds what only a session with a meter has")
      }
    }
  }

  /// The fault that ended it; only one of a driver counts.
  var fault: DriverFault? {
    if case .fault(let fault)? = turns.last?.end, fault.isDrivers { return fault }
    return closingFault.flatMap { $0.isDrivers ? $0 : nil }
  }

  private mutating func end(_ end: Turn.End) throws(RecordingError) {
    guard let last = turns.indices.last, case .open = turns[last].end else {
      // What was taken from a checked answer afterwards: the answer came, and it broke a rule.
      guard let last = turns.indices.last, case .answer = turns[last].end, case .fault(let fault) = end else {
        throw Self.damaged("holds an answer that belongs to no question")
      }
      closingFault = fault
      return
    }
    turns[last].end = end
  }

  private static func damaged(_ words: String) -> RecordingError {
    RecordingError(.damaged, "the recording of an extension \(words)")
  }
}

/// Asks an extension again what it was asked, and compares its answers byte for byte. It knows no kind: what an answer means
/// is not looked at.
struct ExtensionReplay {
  let host: DriverHost

  func run(
    _ course: ExtensionCourse, _ head: RecordingHead, bundle: VerifiedBundle, isSameBundle: Bool
  ) async throws(RecordingError) -> ReplayReport {
    guard let name = course.turns.first?.kind, let kind = ExtensionServers.kind(name) else {
      throw RecordingError(.unavailable, "the recording is of an extension that this host does not know")
    }
    let host = host
    let run = Run(course: course, kind: kind, isSameBundle: isSameBundle)
    do throws(DriverFault) {
      return try await host.blocking { () throws(DriverFault) -> ReplayReport in
        let limits = kind.limits(.greatest)
        let limit = host.configuration.eventLimit(limits) * kind.patience
        let connection = try WorkerConnection(
          bundle, driver: head.driver, limits: limits, within: host.configuration.startLimit, from: host.pool)
        defer { connection.close(within: limit) }
        return run.follow(connection, limit)
      }
    } catch { throw RecordingError(.unavailable, "the recording cannot be replayed here: \(error)") }
  }

  private struct Run: Sendable {
    let course: ExtensionCourse
    let kind: ExtensionKind
    let isSameBundle: Bool

    func follow(_ connection: WorkerConnection, _ limit: Duration) -> ReplayReport {
      for (index, turn) in course.turns.enumerated() {
        if case .open = turn.end { return report(.identicalSoFar, index, []) }
        let answer: [UInt8]
        do throws(DriverFault) { answer = try ask(turn, connection, limit) } catch {
          return failed(error, turn, index)
        }
        switch turn.end {
        case .answer(let recorded) where recorded != answer:
          return report(.differs, index, ["the extension answered \(answer.count) bytes, recorded \(recorded.count)"])
        case .digest(let digest) where digest != Array(SHA256.hash(data: answer)):
          return report(.differs, index, ["the answer is another; the recording holds its SHA-256 only"])
        case .fault(let fault) where fault.isDrivers:
          return report(.faultGone, index, ["the call went through", "recorded was: \(fault.message)"])
        case .answer, .digest, .fault, .open: continue
        }
      }
      // What the host found wrong with an answer that is the same again, it finds again.
      if let fault = course.closingFault, fault.isDrivers, !course.isFull {
        return report(.faultAgain, course.turns.count - 1, [fault.message], fault)
      }
      return report(course.isFull ? .identicalSoFar : .identical, course.turns.count, [])
    }

    private func ask(
      _ turn: ExtensionCourse.Turn, _ connection: WorkerConnection, _ limit: Duration
    ) throws(DriverFault) -> [UInt8] {
      let (kind, payload) = (kind, ExtensionPayload(turn.question))
      return try connection.exchange { client throws(WorkerFailure) in
        guard turn.isOpening else { return try client.call(kind, payload, within: limit).bytes }
        try client.open(kind, payload, within: limit)
        return []
      }
    }

    private func failed(_ fault: DriverFault, _ turn: ExtensionCourse.Turn, _ index: Int) -> ReplayReport {
      guard case .fault(let recorded) = turn.end, fault.isLike(recorded) else {
        return report(.differs, index, ["the driver failed: \(fault.message)"], fault)
      }
      return report(recorded.isDrivers ? .faultAgain : .identical, index, [fault.message], fault)
    }

    private func report(
      _ outcome: ReplayReport.Outcome, _ index: Int, _ words: [String], _ fault: DriverFault? = nil
    ) -> ReplayReport {
      ReplayReport(
        outcome: outcome, event: outcome == .identical || outcome == .identicalSoFar ? nil : index, words: words,
        fault: fault, recordedFault: course.fault, isSameBundle: isSameBundle, events: index, records: [])
    }
  }
}
