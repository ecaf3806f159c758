package import HostPrimitives
import MeterCore
package import NATSClient

/// Brings messages to the stream and hears what receivers say of them.
///
/// A message is kept by the stream first, and by the receiver's database later: mostly at once. So it is waited for a moment: what is
/// confirmed by then is delivered, and no state has to be kept of it.
package actor ReadingCourier {
  /// How long a confirmation is waited for, after the stream has the message.
  static let moment: Duration = .seconds(2)
  /// How long a connection is waited for.
  static let patience: Duration = .seconds(10)
  /// How often the gateway says at most how it is, and how often at least.
  static let changePace: Duration = .seconds(60)
  static let lifePace: Duration = .seconds(3600)
  /// Confirmations that may wait for whoever listens.
  static let mostUnheard = 10_000

  private let connection: NATSConnection
  private let subjects: ReadingSubjects
  private let isConfirmed: Bool
  private let clock: any HostClock
  private let later = Broadcast<SinkConfirmation>(.bufferingOldest(mostUnheard))

  /// Those that are on their way.
  private var open: [ReadingName: FirstOutcome<SinkReply?>] = [:]
  /// Whose messages are on their way.
  private var owner: String?
  private var resends = ResendTimes()
  /// Whether receivers have confirmed lately: a backlog does not wait a moment for each of its messages while there are none.
  private var isReceiverThere = true
  private var listener: Task<Void, Never>?
  /// What the gateway has said of itself.
  private var lastWord: GatewayWord?

  /// - Parameter isConfirmed: Whether a reading is delivered when the receiver says so; else when the stream has it.
  package init(
    _ connection: NATSConnection, _ subjects: ReadingSubjects, isConfirmed: Bool, clock: any HostClock
  ) {
    self.connection = connection
    self.subjects = subjects
    self.isConfirmed = isConfirmed
    self.clock = clock
  }

  deinit {
    listener?.cancel()
    let connection = connection
    Task { await connection.close() }
  }

  /// What receivers say of messages that nobody waits for any more.
  nonisolated func confirmations() -> AsyncStream<SinkConfirmation> { later.listen() }

  /// Whether servers take this gateway.
  ///
  /// - Throws: ``NATSError``.
  func checkServers() async throws(NATSError) {
    try await connection.ready(by: clock.now + Self.patience)
  }

  /// Sends a message.
  func deliver(_ message: ReadingMessage) async -> SinkReply {
    owner = message.name.owner
    let outcome = FirstOutcome<SinkReply?>()
    do {
      if isConfirmed {
        try await listen()
        open[message.name] = outcome
      }
      defer { open[message.name] = nil }
      let answer = try await connection.request(message.subject, headers: message.headers, payload: message.payload)
      let kept: JetStreamAcknowledgement
      do { kept = try JetStreamAcknowledgement(answer.payload) } catch { return SinkReply(error) }
      guard isConfirmed else { return SinkReply(.delivered(id: "\(kept.stream)/\(kept.sequence)")) }
      return await confirmation(outcome) ?? SinkReply(.unconfirmed(within: resends.next(message.name)))
    } catch {
      // The stream's answer may be lost, and the receiver have it all the same.
      return outcome.settled.flatMap(\.self) ?? SinkReply(error)
    }
  }

  private func confirmation(_ outcome: FirstOutcome<SinkReply?>) async -> SinkReply? {
    guard isReceiverThere else { return outcome.settled.flatMap(\.self) }
    let timer = Task { [clock] in if await clock.elapsed(Self.moment) { outcome.settle(nil) } }
    defer { timer.cancel() }
    let reply = await outcome.value
    if reply == nil { isReceiverThere = false }
    return reply
  }

  // MARK: Beside deliveries

  /// Tells how the gateway is, and listens for what was sent before it began, until the task is cancelled.
  func serve(_ surroundings: SinkSurroundings) async {
    let token = await surroundings.credential()?.token
    owner = owner ?? token.map { ReadingName.owner($0) }
    if isConfirmed { try? await listen() }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        for await _ in surroundings.changes {
          await tell(await surroundings.status())
          guard await clock.elapsed(Self.changePace) else { return }
        }
      }
      group.addTask { [self] in
        while await clock.elapsed(Self.lifePace) { await tell(await surroundings.status(), always: true) }
      }
    }
  }

  /// Publishes a word that differs from the last one. One that is lost is followed by another.
  private func tell(_ status: SinkStatus?, always: Bool = false) async {
    guard let status else { return }
    let word = GatewayWord(status)
    guard always || word != lastWord else { return }
    do {
      try await connection.publish(subjects.state, payload: word.json)
      lastWord = word
    } catch { lastWord = nil }
  }

  // MARK: Listening

  /// Listens before a message goes out.
  ///
  /// - Throws: ``NATSError`` where confirmations cannot be heard: messages would be sent for ever.
  private func listen() async throws(NATSError) {
    if listener == nil {
      // Kept before anything is waited for: the others need no further one.
      let (stream, continuation) = AsyncStream.makeStream(of: AsyncStream<NATSMessage>.self)
      listener = Task { [weak self] in
        for await messages in stream { for await message in messages { await self?.take(message) } }
      }
      defer { continuation.finish() }
      continuation.yield(try await connection.subscribe(subjects.confirmations, limit: Self.mostUnheard))
    }
    try await connection.checkHearing(subjects.confirmations, by: clock.now + Self.patience)
  }

  private func take(_ message: NATSMessage) {
    guard let confirmation = ReadingConfirmation(message.payload) else { return }
    isReceiverThere = true
    // What is said of another's message, or of one with an earlier token, is about nothing that waits here.
    guard confirmation.name.owner == owner else { return }
    resends.forget(confirmation.name)
    if open[confirmation.name]?.settle(confirmation.reply) == true { return }
    let name = confirmation.name
    later.send(SinkConfirmation(logID: name.logID, revision: name.revision, confirmation.reply))
  }
}
