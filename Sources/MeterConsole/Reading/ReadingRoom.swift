import HostPrimitives

/// Holds the one reading that the view has at a time, and tells those who watch it.
///
/// The camera belongs to whoever watches: when the last listener to a reading's events goes away, or none comes, the
/// reading is cancelled.
actor ReadingRoom {
  private let desk: any ReadingDesk
  private let patience: Duration
  private let clock: any HostClock
  private let onClosed: @Sendable (ViewClosing) async -> Void
  private var current: ReadingEntry?
  private var isStarting = false
  private var isClosed = false
  /// What was handed over last. An answer that is lost on its way is asked for again, and the reading is not taken twice.
  private var submitted: (id: String, receipt: Receipt)?

  /// What the person is told of a reading that was handed over.
  struct Receipt {
    let sentence: String
    let values: [DeskValue]
  }

  /// - Parameters:
  ///   - patience: How long a new reading waits for its first listener.
  ///   - onClosed: Told when the live view closes, and when a result is handed over or let go.
  init(
    desk: any ReadingDesk, patience: Duration, clock: any HostClock = .system,
    onClosed: @escaping @Sendable (ViewClosing) async -> Void
  ) {
    self.desk = desk
    self.clock = clock
    self.patience = patience
    self.onClosed = onClosed
  }

  // MARK: Beginning and end

  /// Starts a reading; a result that nobody has handed over makes place for it.
  func start(meter: UInt32, unit: String?) async throws -> String {
    guard !isClosed else { throw PageRefusal.stopping }
    guard !isStarting else { throw PageRefusal.busy }
    isStarting = true
    defer { isStarting = false }
    if let previous = current {
      guard previous.isOver || previous.isCancelled else { throw PageRefusal.busy }
      // Its camera must be free before the next one opens it.
      await previous.end()
      await drop(previous)
    }
    let reading = try await desk.start(meter: meter, unit: unit)
    guard !isClosed else {
      await reading.close()
      throw PageRefusal.stopping
    }
    let entry = ReadingEntry(id: RandomSecret.make(), reading: reading)
    current = entry
    entry.follow { [onClosed] outcome in await onClosed(ViewClosing(outcome)) }
    Task { [weak self, patience, clock] in
      try? await clock.sleep(for: patience)
      await self?.giveUpUnwatched(entry)
    }
    return entry.id
  }

  private func giveUpUnwatched(_ entry: ReadingEntry) {
    if !entry.isWatched { entry.cancel() }
  }

  /// Ends the reading and refuses new ones.
  func close() async {
    isClosed = true
    guard let current else { return }
    await current.end()
    await drop(current)
  }

  /// Ends the reading; another one may begin.
  func interrupt() async {
    guard let current else { return }
    await current.end()
    await drop(current)
  }

  private func drop(_ entry: ReadingEntry) async {
    if current === entry { current = nil }
    await entry.reading.close()
  }

  // MARK: Watching

  private func entry(_ id: String) throws -> ReadingEntry {
    guard let current, current.id == id else { throw PageRefusal.gone }
    return current
  }

  /// The events of a reading; to be followed by ``leave(_:)`` when nobody listens any more.
  func events(of id: String) throws -> AsyncStream<PageEvent> {
    try entry(id).watch()
  }

  /// A listener to the events has gone.
  func leave(_ id: String) {
    guard let current, current.id == id else { return }
    if current.leave() { current.cancel() }
  }

  /// The pictures of a reading; to be followed by ``leavePictures(of:)``.
  func pictures(of id: String) throws -> AsyncStream<PreviewPicture> {
    try entry(id).pictures()
  }

  /// A viewer of the pictures has gone.
  func leavePictures(of id: String) {
    if let current, current.id == id { current.leavePictures() }
  }

  /// Ends a reading that is under way.
  func cancel(_ id: String) async throws {
    await (try entry(id)).end()
  }

  // MARK: The result

  private func result(_ id: String) throws -> (ReadingEntry, FinishedReading) {
    let entry = try entry(id)
    guard let result = entry.result else { throw PageRefusal.notComplete }
    return (entry, result)
  }

  /// The display cut out of the picture.
  func crop(of id: String) throws -> [UInt8] {
    try result(id).1.crop
  }

  /// Hands a reading over with the texts that the person has seen.
  func submit(_ id: String, _ texts: [String]) async throws -> Receipt {
    if let submitted, submitted.id == id { return submitted.receipt }
    let (entry, result) = try result(id)
    guard texts.count == result.rows.count else { throw PageRefusal.malformed }
    guard entry.beginSubmission() else { throw PageRefusal.busy }
    defer { entry.endSubmission() }
    let values: [DeskValue]
    switch await entry.reading.check(texts) {
    case .problems(let problems): throw RowProblems(problems: problems)
    case .values(let checked): values = checked
    }
    let receipt = Receipt(sentence: try await entry.reading.submit(texts), values: values)
    submitted = (id, receipt)
    await drop(entry)
    await onClosed(.submitted)
    return receipt
  }

  /// Forgets a result.
  func discard(_ id: String) async throws {
    let (entry, _) = try result(id)
    guard entry.beginSubmission() else { throw PageRefusal.busy }
    await drop(entry)
    await onClosed(.discarded)
  }
}

/// Why the view has closed.
public enum ViewClosing: String, Sendable, Hashable {
  /// The display is read; the result waits for the person.
  case completed
  /// The person, or the browser's end, has ended the reading.
  case cancelled
  /// The host may not use the camera.
  case denied
  /// The reading has ended for another reason.
  case failed
  /// The person has handed the result over.
  case submitted
  /// The person has let the result go.
  case discarded

  init(_ outcome: ReadingOutcome) {
    self =
      switch outcome {
      case .completed: .completed
      case .cancelled: .cancelled
      case .failed(let error): error.kind == .cameraDenied ? .denied : .failed
      }
  }
}
