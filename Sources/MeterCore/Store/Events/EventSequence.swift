/// The events of a host as they happen, from a cursor on.
///
/// The sequence reads the log as its listener asks for it, a page at a time: a slow listener costs no memory and loses
/// nothing silently. Only when the log's bound has overtaken it does it hear `missed`, with the number of events.
///
/// ```swift
/// for try await element in store.eventSequence(after: lastCursor) {
///   if case .event(let logged) = element { handle(logged.event); remember(logged.cursor) }
/// }
/// ```
public struct EventSequence: AsyncSequence, Sendable {
  /// What a listener hears.
  public enum Element: Sendable, Hashable {
    /// Something happened.
    case event(LoggedEvent)
    /// The listener was too slow, or away too long: so many events are gone from the log.
    case missed(Int64)
  }

  let store: MeterStore
  let start: Int64

  /// Begins to listen.
  public func makeAsyncIterator() -> Iterator { Iterator(store: store, cursor: start) }

  /// Listens; it ends when its task is cancelled.
  public struct Iterator: AsyncIteratorProtocol {
    private let store: MeterStore
    private var cursor: Int64
    private var page: ArraySlice<LoggedEvent> = []
    private var changes: AsyncStream<Void>.Iterator

    init(store: MeterStore, cursor: Int64) {
      self.store = store
      self.cursor = cursor
      // Before the first page is read: what is logged between the two is heard of.
      changes = store.eventChanges().makeAsyncIterator()
    }

    /// The next event; nil when the task is cancelled.
    ///
    /// - Throws: `StoreError`.
    public mutating func next() async throws -> Element? {
      while !Task.isCancelled {
        if let event = page.popFirst() { return .event(event) }
        let found = try store.events(after: cursor)
        page = found.events[...]
        cursor = found.next
        if found.missed > 0 { return .missed(found.missed) }
        if page.isEmpty, await changes.next() == nil { return nil }
      }
      return nil
    }
  }
}

extension MeterStore {
  /// What happens from a cursor on; without one, from now on.
  ///
  /// - Throws: ``StoreError``.
  public func eventSequence(after cursor: Int64? = nil) throws(StoreError) -> EventSequence {
    if let cursor { return EventSequence(store: self, start: cursor) }
    return EventSequence(store: self, start: try newestEvent())
  }
}
