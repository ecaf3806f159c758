import HostPrimitives
import Synchronization

/// Something that a command asks of the owner of a state folder, answered once.
///
/// Each request is written once: a command that owns the folder itself performs it, and the running service performs it for
/// a command that comes over its socket.
public protocol ControlRequest: Codable, Sendable {
  /// What it is answered with.
  associatedtype Answer: Codable & Sendable
  /// Its name on the socket, such as `queue.list`.
  static var name: String { get }
  /// Whether performing the same request twice comes to what performing it once does, so that it may be sent again when
  /// nobody can say what became of it.
  static var isRepeatable: Bool { get }
  /// Does it.
  ///
  /// - Throws: Anything that ``GatewayError/init(describing:)`` can put into words.
  func perform(on owner: GatewayOwner) async throws -> Answer
}

extension ControlRequest {
  /// Not unless it says so.
  public static var isRepeatable: Bool { false }
  /// Whether it changes nothing, so that it can be performed on a file system that is mounted read-only.
  public var onlyLooks: Bool { ControlTable.looking.contains { $0.name == Self.name } }
}

/// Something that takes a while and tells what happens: a read, a pairing, listening to events.
public protocol ControlConversation: Codable, Sendable {
  /// What it tells.
  associatedtype Event: Codable & Sendable
  /// Its name on the socket, such as `meter.read`.
  static var name: String { get }
  /// Whether it changes nothing, so that it can be held on a file system that is mounted read-only.
  var onlyLooks: Bool { get }
  /// Does it until it is over or the partner has given up.
  ///
  /// - Throws: Anything that ``GatewayError/init(describing:)`` can put into words.
  func perform(on owner: GatewayOwner, with partner: ControlPartner<Event>) async throws
}

extension ControlConversation {
  /// Not unless it says so.
  public var onlyLooks: Bool { false }
}

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

/// What the service understands.
public enum ControlTable {
  /// Requests by their names.
  public static let requests: [any ControlRequest.Type] = [
    QueueListRequest.self, QueueLimitsRequest.self, QueueShowRequest.self, QueueDecisionRequest.self,
    QueueResubmitRequest.self, QueueEditRequest.self,
    QueuePauseRequest.self, QueueFlushRequest.self, KeySetRequest.self, KeyListRequest.self, KeyForgetRequest.self,
    MetersListRequest.self, MetersForgetRequest.self, MetersAssignRequest.self, MetersSetRequest.self,
    FeedbackShowRequest.self, FeedbackSetRequest.self, FeedbackTestRequest.self,
    SubmitRequest.self, ImageRequest.self, ImageListRequest.self, DisplayStartRequest.self, DisplaySubmitRequest.self,
    SessionStartRequest.self, SessionShowRequest.self, SessionEndRequest.self, SessionRecoverRequest.self,
    SinkAddRequest.self, SinkListRequest.self, SinkRemoveRequest.self, ReceiverCallRequest.self, LogShowRequest.self,
    LogSetRequest.self, ServiceShowRequest.self, QuarantineListRequest.self, QuarantineLiftRequest.self,
    SelfTestFaultRequest.self, DisplayVerdictRequest.self, DisplayFaultRequest.self,
    SupportStateRequest.self, PassiveShowRequest.self, PassiveSetRequest.self,
  ]
  /// Those that change nothing.
  static let looking: [any ControlRequest.Type] = [
    QueueListRequest.self, QueueShowRequest.self, ImageListRequest.self, KeyListRequest.self, MetersListRequest.self,
    FeedbackShowRequest.self, SessionShowRequest.self, SinkListRequest.self, LogShowRequest.self,
    QuarantineListRequest.self, SupportStateRequest.self, PassiveShowRequest.self,
  ]
  /// Conversations by their names.
  public static let conversations: [any ControlConversation.Type] = [
    ReadRequest.self, PairRequest.self, ScanRequest.self, EventsRequest.self,
  ]
}
