import GatewayAPI
import Synchronization

/// The conversations that are going on, each by its id: questions wait here for their answers.
final class ConversationDesk: Sendable {
  /// One conversation.
  final class Entry: Sendable {
    let patience = Patience()
    private let waiting = Mutex<[UInt64: CheckedContinuation<String?, Never>]>([:])

    /// Waits for the answer to a question; nil when it is refused, when the partner gives up, or when the task is
    /// cancelled because nobody wants the answer any more.
    ///
    /// - Parameter tell: Tells the question; the answer may come before it returns.
    func answer(to question: UInt64, _ tell: @escaping @Sendable () async -> Void) async -> String? {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isOver = waiting.withLock { waiting in
            let isOver = patience.isOver || Task.isCancelled
            if !isOver { waiting[question] = continuation }
            return isOver
          }
          if isOver { continuation.resume(returning: nil) } else { Task { await tell() } }
        }
      } onCancel: {
        _ = settle(question, nil)
      }
    }

    /// - Returns: Whether the question waited.
    func settle(_ question: UInt64, _ answer: String?) -> Bool {
      let continuation = waiting.withLock { $0.removeValue(forKey: question) }
      continuation?.resume(returning: answer)
      return continuation != nil
    }

    func giveUp() {
      patience.end()
      let left = waiting.withLock { waiting in
        defer { waiting = [:] }
        return waiting.values.map { $0 }
      }
      for continuation in left { continuation.resume(returning: nil) }
    }
  }

  private let entries = Mutex<[String: Entry]>([:])

  func open(_ id: String) -> Entry {
    let entry = Entry()
    entries.withLock { $0[id] = entry }
    return entry
  }

  func close(_ id: String) { entries.withLock { _ = $0.removeValue(forKey: id) } }
  func entry(_ id: String) -> Entry? { entries.withLock { $0[id] } }

  /// Ends all of them, when the service does.
  func giveUpAll() {
    for entry in entries.withLock({ Array($0.values) }) { entry.giveUp() }
  }
}
