package import HostPrimitives
package import Logging
package import MeterReceiver
package import NATSClient

/// Takes readings of a fleet's gateways from its message server into a receiver's database.
///
/// A message is acknowledged, and its gateway told, when the database has it for good, and not before: whatever breaks, it comes again.
/// Several consumers, in one process or on several machines, share the work.
package struct FleetConsumer: Sendable {
  /// How it works.
  package struct Options: Sendable {
    /// Batches that are dealt with at the same time.
    package var workers = 2
    /// The most messages in a batch, each of which is one transaction.
    package var batch = 500

    /// The defaults.
    package init() {}
  }

  /// What it has dealt with.
  package let counts = FleetCounts()
  private let connection: NATSConnection
  private let store: ReceiverStore
  private let rules: FleetRules
  private let options: Options
  private let clock: any HostClock
  private let log: FleetLog

  /// - Parameters:
  ///   - connection: With the key of a receiver; its owner closes it.
  ///   - store: Where readings go, and whose users are known.
  package init(
    _ connection: NATSConnection, store: ReceiverStore, rules: FleetRules, options: Options = Options(),
    clock: any HostClock = .system, logger: Logger
  ) {
    self.connection = connection
    self.store = store
    self.rules = rules
    self.options = options
    self.clock = clock
    log = FleetLog(logger: logger, clock: clock)
  }

  /// Takes messages until the task is cancelled.
  package func run() async {
    let happenings = connection.events()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<max(1, options.workers) { group.addTask { await work() } }
      group.addTask { await tell() }
      group.addTask { for await event in happenings { log.happened(event) } }
    }
  }

  /// Says once a minute what has happened in it.
  private func tell() async {
    var before = counts.current
    while await clock.elapsed(.seconds(60)) {
      let now = counts.current
      log.minute(now, since: before)
      before = now
    }
  }

  private func work() async {
    var pace = ConsumerPace(limit: options.batch)
    while !Task.isCancelled {
      switch pace.next() {
      case .wait(let time): guard await clock.elapsed(time) else { return }
      case .probe(let time):
        guard await clock.elapsed(time) else { return }
        await probe(&pace)
      case .pull(let count): await pull(count, &pace)
      }
    }
  }

  private func probe(_ pace: inout ConsumerPace) async {
    do {
      try await store.checkAnswers()
      pace.databaseAnswers()
    } catch {
      log.failed(error)
      pace.databaseFailed(isAway: true)
    }
  }

  private func pull(_ count: Int, _ pace: inout ConsumerPace) async {
    let outcome: MessagePull.Outcome
    do {
      outcome = try await MessagePull(count: count).run(
        connection, stream: FleetLayout.readings, consumer: FleetLayout.consumer, clock: clock)
    } catch {
      guard !Task.isCancelled else { return }
      log.failed(error)
      return pace.serverFailed()
    }
    let delivered = outcome.messages.compactMap { DeliveredMessage($0) }
    guard !delivered.isEmpty else { return pace.foundNothing(hasWaited: outcome.hasWaited) }
    await settle(delivered, &pace)
  }

  /// Stores a batch and answers for it.
  private func settle(_ batch: [DeliveredMessage], _ pace: inout ConsumerPace) async {
    let begun = clock.now
    let verdicts: [FleetVerdict]
    do {
      verdicts = try await store.take(batch.map(\.message), by: rules)
    } catch let error as ReceiverError {
      return await postpone(batch, error, &pace)
    } catch {
      // The receiver stops: another one may have them at once.
      return await send(batch.map { .verdict(.again(after: nil), of: $0) })
    }
    pace.stored()
    counts.settled(verdicts, redelivered: batch.count { $0.deliveries > 1 })
    log.settled(batch, verdicts, took: clock.now - begun)
    await send(zip(batch, verdicts).flatMap { NATSConnection.Note.settling($0, $1) })
  }

  private func postpone(_ batch: [DeliveredMessage], _ error: ReceiverError, _ pace: inout ConsumerPace) async {
    log.failed(error)
    counts.postponed(batch.count)
    pace.databaseFailed(isAway: error.code != .databaseFailure)
    let isAlone = batch.count == 1 && error.code == .databaseFailure
    let delay = pace.delay
    await send(
      batch.map { delivered in
        .verdict(
          .again(after: isAlone ? ConsumerPace.delay(delivery: delivered.deliveries) : delay), of: delivered)
      })
  }

  /// What cannot be sent is not sent: the messages come again, and are found stored.
  private func send(_ notes: [NATSConnection.Note]) async {
    do { try await connection.publish(together: notes) } catch { log.failed(error) }
  }
}
