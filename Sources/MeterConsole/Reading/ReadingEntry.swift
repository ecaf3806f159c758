import Synchronization

/// A reading with those who watch it.
final class ReadingEntry: Sendable {
  /// Unguessable, so that the address of one reading tells nothing of another.
  let id: String
  let reading: any DeskReading

  /// How many may watch at once: a page needs one, and one more when it asks again.
  private static let seats = 4

  private struct State {
    var listeners = Audience<PageEvent>()
    var viewers = Audience<PreviewPicture>()
    var wasWatched = false
    var outcome: ReadingOutcome?
    var isCancelled = false
    var isSubmitting = false
  }

  private let state = Mutex(State())

  init(id: String, reading: any DeskReading) {
    self.id = id
    self.reading = reading
  }

  // MARK: The reading

  /// Passes on what the reading says, until it ends.
  func follow(_ onOver: @escaping @Sendable (ReadingOutcome) async -> Void) {
    let showing = Task { for await picture in reading.previews { state.withLock { $0.viewers.tell(picture) } } }
    let telling = Task {
      for await partial in reading.partials { state.withLock { $0.listeners.tell(PageEvent(partial)) } }
    }
    Task {
      let outcome = await reading.outcome()
      telling.cancel()
      showing.cancel()
      state.withLock { state in
        state.outcome = outcome
        state.listeners.tell(PageEvent(outcome))
        state.listeners.close()
        state.viewers.close()
      }
      await onOver(outcome)
    }
  }

  var isOver: Bool { state.withLock { $0.outcome != nil } }
  var isCancelled: Bool { state.withLock { $0.isCancelled } }
  var result: FinishedReading? {
    state.withLock { state in if case .completed(let result)? = state.outcome { result } else { nil } }
  }

  /// Cancels without waiting.
  func cancel() {
    guard !isOver else { return }
    state.withLock { $0.isCancelled = true }
    Task { await reading.cancel() }
  }

  /// Cancels, and returns when the camera is free.
  func end() async {
    guard !isOver else { return }
    state.withLock { $0.isCancelled = true }
    await reading.cancel()
    _ = await reading.outcome()
  }

  // MARK: Watching

  /// Events from now on; of a reading that has ended, its outcome. The newest event counts, so one that nobody has read yet
  /// makes place for the next.
  func watch() throws(PageRefusal) -> AsyncStream<PageEvent> {
    let stream = state.withLock { state -> AsyncStream<PageEvent>? in
      state.wasWatched = true
      return state.listeners.join(seats: Self.seats)
    }
    guard let stream else { throw .tooMany }
    return stream
  }

  /// Whether this was the last listener.
  func leave() -> Bool {
    state.withLock { $0.listeners.leave() }
  }

  var isWatched: Bool { state.withLock { $0.wasWatched } }

  /// The pictures from now on; to be followed by ``leavePictures()``.
  func pictures() throws(PageRefusal) -> AsyncStream<PreviewPicture> {
    guard let stream = state.withLock({ $0.viewers.join(seats: Self.seats) }) else { throw .tooMany }
    return stream
  }

  func leavePictures() {
    state.withLock { _ = $0.viewers.leave() }
  }

  // MARK: The result

  /// False when the result is being handed over, or has been.
  func beginSubmission() -> Bool {
    state.withLock { state in
      defer { state.isSubmitting = true }
      return !state.isSubmitting
    }
  }

  func endSubmission() {
    state.withLock { $0.isSubmitting = false }
  }
}

/// Those who want the newest of what is told: a slow one misses some, and holds nobody up.
struct Audience<Element: Sendable>: Sendable {
  private var members: [Int: AsyncStream<Element>.Continuation] = [:]
  private var next = 0
  private var latest: Element?
  private var isClosed = false
  private var count = 0

  /// A stream that begins with the latest; nil when all seats are taken.
  mutating func join(seats: Int) -> AsyncStream<Element>? {
    guard count < seats else { return nil }
    let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(1))
    if let latest { continuation.yield(latest) }
    count += 1
    guard !isClosed else {
      continuation.finish()
      return stream
    }
    members[next] = continuation
    next += 1
    return stream
  }

  /// One has left; whether it was the last.
  mutating func leave() -> Bool {
    count = max(0, count - 1)
    return count == 0
  }

  mutating func tell(_ element: Element) {
    guard !isClosed else { return }
    latest = element
    for (key, member) in members {
      if case .terminated = member.yield(element) { members[key] = nil }
    }
  }

  mutating func close() {
    isClosed = true
    for member in members.values { member.finish() }
    members = [:]
  }
}
