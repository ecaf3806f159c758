import DriverContract
import HostPrimitives
import Synchronization

/// What became of a question.
enum PromptReply: Sendable, Hashable {
  /// Checked bytes.
  case answered([UInt8])
  /// The person refused, or gave up the operation.
  case refused
  /// Nobody can be asked.
  case nobody
}

/// Where an operation's questions wait for their answers.
final class QuestionDesk: Sendable {
  private enum Entry: Sendable {
    case text(String)
    case refused
  }

  private struct State {
    var next: UInt64 = 1
    var open: [UInt64: FirstOutcome<Entry>] = [:]
    var isClosed = false
    var unasked: DriverPrompt?
  }

  private let state = Mutex(State())
  private let isStaffed: Bool
  private let emit: @Sendable (ReadQuestion) -> Void

  /// - Parameters:
  ///   - isStaffed: Whether somebody listens who can answer.
  ///   - emit: Shows a question.
  init(isStaffed: Bool, emit: @escaping @Sendable (ReadQuestion) -> Void) {
    self.isStaffed = isStaffed
    self.emit = emit
  }

  /// Asks until the answer passes the check, the person refuses or the task is cancelled.
  func ask(
    _ prompt: DriverPrompt, check: @Sendable (String) throws(AnswerProblem) -> [UInt8]
  ) async -> PromptReply {
    guard isStaffed else {
      state.withLock { $0.unasked = prompt }
      return .nobody
    }
    var problem: String?
    while !Task.isCancelled {
      let outcome = FirstOutcome<Entry>()
      let id = state.withLock { state -> UInt64? in
        guard !state.isClosed else { return nil }
        defer { state.next += 1 }
        state.open[state.next] = outcome
        return state.next
      }
      guard let id else { return .refused }
      emit(ReadQuestion(id: id, prompt, problem: problem))
      let entry = await withTaskCancellationHandler {
        await outcome.value
      } onCancel: {
        outcome.settle(.refused)
      }
      state.withLock { $0.open[id] = nil }
      guard case .text(let text) = entry else { return .refused }
      do throws(AnswerProblem) { return .answered(try check(text)) } catch { problem = error.message }
    }
    return .refused
  }

  /// The last question that nobody could be asked; nil for none.
  var unasked: DriverPrompt? { state.withLock(\.unasked) }

  /// Hands an answer over; false when no such question is open.
  func answer(_ id: UInt64, _ text: String) -> Bool { settle(id, .text(text)) }

  /// Refuses a question; false when no such question is open.
  func refuse(_ id: UInt64) -> Bool { settle(id, .refused) }

  /// The operation is given up: nothing is asked any more.
  func close() {
    let open = state.withLock { state in
      state.isClosed = true
      defer { state.open = [:] }
      return state.open.values.map { $0 }
    }
    for question in open { question.settle(.refused) }
  }

  private func settle(_ id: UInt64, _ entry: Entry) -> Bool {
    state.withLock { $0.open.removeValue(forKey: id) }?.settle(entry) ?? false
  }
}

extension ReadQuestion {
  init(id: UInt64, _ prompt: DriverPrompt, problem: String?) {
    let kind: Kind =
      switch prompt.kind {
      case .passkey: .passkey
      case .hexKey: .hexKey
      case .qr: .qr
      case .choice: .choice
      }
    let first = prompt.text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
    self.init(
      id: id, kind: kind, prompt: prompt.kind == .choice ? first : prompt.text,
      choices: PromptAnswer.choices(of: prompt), isSecret: prompt.isSecret,
      lengths: Int(prompt.minimumLength)...Int(prompt.maximumLength), problem: problem)
  }
}
