import Synchronization

/// Faults that a receiver plays to the next requests: what a client has to survive, for tests and demonstrations.
///
/// A receiver without one given, and one whose list is empty, behaves.
public final class ReceiverFaults: Sendable {
  /// One way to misbehave.
  public enum Fault: Sendable, Equatable {
    /// Answers at once with this status, and with `Retry-After` in seconds where one is given; stores nothing.
    case answer(status: Int, retryAfter: Int? = nil)
    /// Closes the connection without an answer; stores nothing.
    case dropBeforeStoring
    /// Treats the request as usual and then closes the connection without an answer: the client cannot know that its
    /// record is stored, and must not be able to store it twice.
    case dropAfterStoring
    /// Waits before treating the request as usual.
    case delay(Duration)
  }

  /// What is requested.
  public enum Endpoint: Sendable {
    /// `POST /connect/provider/data/...`
    case data
    /// `GET /connect/provider/user`
    case user
    /// What an organisation does with its users: `/organizations/ORG/users` and below, but reads of records.
    case users
    /// `POST /connect/provider/records/ID/media`
    case media
    /// The Legacy (v1) calls.
    case legacy
    /// Reads of records by the organisation.
    case reads
  }

  private let pending = Mutex<[Endpoint: [Fault]]>([:])

  /// No faults yet.
  public init() {}

  /// Appends a fault for the next `times` requests to `endpoint` that have none yet.
  public func inject(_ fault: Fault, times: Int = 1, at endpoint: Endpoint = .data) {
    pending.withLock { $0[endpoint, default: []].append(contentsOf: repeatElement(fault, count: max(0, times))) }
  }

  /// Forgets all faults that have not been played.
  public func removeAll() {
    pending.withLock { $0 = [:] }
  }

  /// How many faults have not been played.
  public var remaining: Int {
    pending.withLock { $0.values.reduce(0) { $0 + $1.count } }
  }

  func next(at endpoint: Endpoint) -> Fault? {
    pending.withLock { pending in
      guard let fault = pending[endpoint]?.first else { return nil }
      pending[endpoint]?.removeFirst()
      return fault
    }
  }
}
