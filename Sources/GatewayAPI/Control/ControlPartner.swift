import HostPrimitives

/// Who has asked for a conversation: hears what happens, answers questions, and may give up.
public struct ControlPartner<Event: Sendable>: Sendable {
  /// Tells an event; returns when the partner can hear the next one.
  public let tell: @Sendable (Event) async -> Void
  /// Asks the person; nil refuses.
  public let ask: @Sendable (QuestionDescription) async -> String?
  /// Tells when the partner gives up.
  public let patience: Patience

  /// A partner from its parts.
  public init(
    patience: Patience, tell: @escaping @Sendable (Event) async -> Void,
    ask: @escaping @Sendable (QuestionDescription) async -> String? = { _ in nil }
  ) {
    self.tell = tell
    self.ask = ask
    self.patience = patience
  }
}

/// Whether somebody still wants what was asked for. Giving up lets the work end in order and tell its end.
public final class Patience: Sendable {
  private let handle = CancellationHandle()

  /// Somebody wants it.
  public init() {}

  /// Whether the partner has given up.
  public var isOver: Bool { handle.isCancelled }

  /// Gives up.
  public func end() { handle.cancel() }

  /// Runs a body; if the partner gives up meanwhile, or has before, calls the action once.
  public func during<Value>(_ action: @escaping @Sendable () -> Void, _ body: () async throws -> Value)
    async rethrows -> Value
  {
    try await handle.during(action, body)
  }
}
