import HostPrimitives
import Synchronization

/// A reading with those who watch it.
final class ReadingEntry: Sendable {
  /// Unguessable, so that the address of one reading tells nothing of another.
  let id: String
  let reading: any DeskReading

  private struct State {
    var listeners = Seats()
    var viewers = Seats()
    var wasWatched = false
    var outcome: ReadingOutcome?
    var isCancelled = false
    var isSubmitting = false
  }

  private let state = Mutex(State())
  private let events = Broadcast<PageEvent>(latest: nil)
  private let previews = Broadcast<PreviewPicture>(latest: nil)

  init(id: String, reading: any DeskReading) {
    self.id = id
    self.reading = reading
  }

  // MARK: The reading

  /// Passes on what the reading says, until it ends.
  func follow(_ onOver: @escaping @Sendable (ReadingOutcome) async -> Void) {
    let showing = Task { for await picture in reading.previews { previews.send(picture) } }
    let telling = Task { for await partial in reading.partials { events.send(PageEvent(partial)) } }
    Task {
      let outcome = await reading.outcome()
      telling.cancel()
      showing.cancel()
      state.withLock { $0.outcome = outcome }
      events.send(PageEvent(outcome))
      events.finish()
      previews.finish()
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
    let hasSeat = state.withLock { state in
      state.wasWatched = true
      return state.listeners.take()
    }
    guard hasSeat else { throw .tooMany }
    return events.listen()
  }

  /// Whether this was the last listener.
  func leave() -> Bool {
    state.withLock { $0.listeners.leave() }
  }

  var isWatched: Bool { state.withLock { $0.wasWatched } }

  /// The pictures from now on; to be followed by ``leavePictures()``.
  func pictures() throws(PageRefusal) -> AsyncStream<PreviewPicture> {
    guard state.withLock({ $0.viewers.take() }) else { throw .tooMany }
    return previews.listen()
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

/// How many watch at once: a page needs one, and one more when it asks again.
private struct Seats {
  private static let most = 4
  private var taken = 0

  /// False when all are taken.
  mutating func take() -> Bool {
    guard taken < Self.most else { return false }
    taken += 1
    return true
  }

  /// One has left; whether it was the last.
  mutating func leave() -> Bool {
    taken = max(0, taken - 1)
    return taken == 0
  }
}
