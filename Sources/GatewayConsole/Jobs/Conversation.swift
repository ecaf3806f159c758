import GatewayAPI
import HostPrimitives
import Synchronization

/// Something that takes a while and goes on between requests: what it has said, and the question that it waits with.
final class Conversation: Sendable {
  private struct State {
    var lines: [String] = []
    var progress: String?
    var question: QuestionDescription?
    var answer: FirstOutcome<String?>?
    var end: PageNotice?
  }

  /// What a page shows of it.
  struct Shown: Sendable {
    let lines: [String]
    let progress: String?
    let question: QuestionDescription?
    /// Names the question in its answer.
    let questionName: String?
    let end: PageNotice?
  }

  /// What it is about, for people.
  let title: String
  let patience = Patience()
  /// Questions are numbered from 1 in each conversation: an old page's answer must not pass for one to what asks now.
  private let mark = RandomSecret.make()
  private let state = Mutex(State())
  private let over = FirstOutcome<Void>()

  init(title: String) { self.title = title }

  var shown: Shown {
    state.withLock { state in
      Shown(
        lines: state.lines, progress: state.progress, question: state.question,
        questionName: state.question.map { name(of: $0) }, end: state.end)
    }
  }

  private func name(of question: QuestionDescription) -> String { "\(mark)-\(question.id)" }

  var isOver: Bool { state.withLock { $0.end != nil } }

  /// Says something more; of very many lines the newest stay.
  func say(_ line: String) {
    state.withLock { state in
      if state.lines.count >= 100 { state.lines.removeFirst() }
      state.lines.append(line.clipped(to: 600))
      state.progress = nil
    }
  }

  /// How far it is, in place of what was said of that before.
  func progress(_ text: String) { state.withLock { $0.progress = text.clipped } }

  /// Waits for a person's answer; nil refuses.
  func ask(_ question: QuestionDescription) async -> String? {
    let answer = FirstOutcome<String?>()
    state.withLock { state in
      state.answer?.settle(nil)
      (state.question, state.answer) = (question, answer)
    }
    let given = await patience.during {
      answer.settle(nil)
    } _: {
      await answer.value
    }
    state.withLock { state in
      guard state.question?.id == question.id else { return }
      (state.question, state.answer) = (nil, nil)
    }
    return given
  }

  /// Takes an answer to the question of a name.
  ///
  /// - Returns: Whether the question still waits.
  func answer(_ asked: String, _ text: String?) -> Bool {
    let waiting = state.withLock { state in state.question.map { name(of: $0) } == asked ? state.answer : nil }
    return waiting?.settle(text) ?? false
  }

  /// It is over.
  func finish(_ end: PageNotice) {
    state.withLock { state in
      state.answer?.settle(nil)
      (state.question, state.answer, state.progress) = (nil, nil, nil)
      if state.end == nil { state.end = end }
    }
    over.settle(())
  }

  /// Ends it in order, and waits for that.
  func settle() async {
    patience.end()
    await over.value
  }
}

/// The conversations of the console: one pairing, one import and one update of a driver at a time, as the host has one person's operation
/// at a time.
final class Conversations: Sendable {
  /// What they are about.
  enum Kind: Sendable, Hashable {
    case pairing, importing, updating
  }

  private let current = Mutex<[Kind: Conversation]>([:])

  /// The conversation of a kind that is under way, or was last.
  subscript(kind: Kind) -> Conversation? { current.withLock { $0[kind] } }

  /// Begins one in place of the last.
  ///
  /// - Returns: Whether it could: the one before is over.
  func begin(_ conversation: Conversation, as kind: Kind) -> Bool {
    current.withLock { current in
      guard current[kind]?.isOver ?? true else { return false }
      current[kind] = conversation
      return true
    }
  }

  /// Ends all of them, when the console ends.
  func settle() async {
    for conversation in current.withLock({ Array($0.values) }) { await conversation.settle() }
  }
}
