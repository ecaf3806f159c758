package import GatewayAPI
import HostPrimitives
import Logging
import MeterCore
import Synchronization

/// What became of a body that was posted.
package enum SpoolOutcome: Sendable, Hashable {
  /// It was imported, and is gone from the spool.
  case taken(HealthTally)
  /// It cannot be imported, and is gone from the spool.
  case refused(GatewayError.Written)
  /// It could not be imported now, and is tried again.
  case waits(GatewayError.Written)
  /// The session in which it came is over, and so is the body.
  case gone
}

extension HealthFeedDesk {
  /// How often a body is tried that a driver has failed on.
  private static let mostAttempts = 3

  /// Imports a body of the spool, or waits for the import that goes on.
  ///
  /// - Parameter limit: How long the caller waits; nil: until it is over.
  /// - Returns: nil when that takes longer, or the caller is cancelled: the import goes on without them.
  package func outcome(of entry: SpoolEntry, within limit: Duration? = nil) async -> SpoolOutcome? {
    let (first, task) = (FirstOutcome<SpoolOutcome?>(), importing(entry))
    Task { first.settle(await task.value) }
    let timer = limit.map { limit in Task { [clock] in if await clock.elapsed(limit) { first.settle(nil) } } }
    defer { timer?.cancel() }
    return await withTaskCancellationHandler {
      await first.value
    } onCancel: {
      first.settle(nil)
    }
  }

  /// The import of a body: one for each, whoever asks. A sender who goes away leaves it alone.
  private func importing(_ entry: SpoolEntry) -> Task<SpoolOutcome, Never> {
    imports.withLock { imports in
      if let task = imports[entry.name.id] { return task }
      let task = Task { [self] in
        let outcome = await importBody(entry)
        self.imports.withLock { $0[entry.name.id] = nil }
        return outcome
      }
      imports[entry.name.id] = task
      return task
    }
  }

  private func importBody(_ entry: SpoolEntry) async -> SpoolOutcome {
    guard spool.holds(entry) else { return .gone }
    guard isOfSession(entry) else { return drop(entry) }
    let offer = HealthOffer(path: entry.path, generation: entry.name.generation)
    do {
      let tally = try await taker.take(offer)
      finish(entry)
      note(entry) { source in
        source.posts += 1
        source.accepted += tally.accepted
        source.duplicates += tally.duplicates
        source.refused += tally.refused
        source.error = nil
      }
      logger.info("what \(entry.name.source) has posted is imported: \(tally.accepted) new, \(tally.duplicates) known")
      return .taken(tally)
    } catch {
      return judge(error, entry)
    }
  }

  /// A fault of this machine passes, and one of the body does not: which of them a driver's is, a few attempts tell.
  private func judge(_ error: any Error, _ entry: SpoolEntry) -> SpoolOutcome {
    guard isOfSession(entry) else { return drop(entry) }
    let words = written(error)
    let isFinal =
      switch ImportBlame(error) {
      // Senders send all of it again, and a spool of what is not wanted would fill.
      case .export, .choice: true
      case .driver: countAttempt(entry) >= Self.mostAttempts
      case .circumstances: false
      }
    guard isFinal else {
      tellOnce("spool \(entry.name.id)", "what \(entry.name.source) has posted waits: \(words.code)")
      return .waits(words)
    }
    finish(entry)
    note(entry) { source in
      source.posts += 1
      source.error = words
    }
    logger.warning("what \(entry.name.source) has posted cannot be imported, and was dropped: \(words.code)")
    return .refused(words)
  }

  private func countAttempt(_ entry: SpoolEntry) -> Int {
    attempts.withLock { attempts in
      attempts[entry.name.id, default: 0] += 1
      return attempts[entry.name.id, default: 0]
    }
  }

  /// Whether the session goes on in which a body came. A session that cannot be looked up decides nothing.
  private func isOfSession(_ entry: SpoolEntry) -> Bool {
    guard let session = try? store.currentSession() else { return true }
    return session.user != nil && session.generation == entry.name.generation
  }

  /// Drops what was posted in a session that is over.
  func dropEnded() {
    for entry in spool.entries() where !isOfSession(entry) { _ = drop(entry) }
  }

  private func drop(_ entry: SpoolEntry) -> SpoolOutcome {
    finish(entry)
    logger.notice("a body that was posted in an ended session was dropped")
    return .gone
  }

  private func finish(_ entry: SpoolEntry) {
    spool.remove(entry)
    attempts.withLock { $0[entry.name.id] = nil }
  }

  /// Imports what is in the spool and drops what is of no session any more; at once when told, when the session changes, and every while.
  func followSpool() async {
    let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let changes = store.changes()
    wake.yield()
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in
        var known = generation()
        for await _ in changes {
          let now = generation()
          if now != known { wake.yield() }
          known = now
        }
        wake.finish()
      }
      group.addTask { [clock, times] in while await clock.elapsed(times.poll) { wake.yield() } }
      for await _ in wakes {
        for entry in spool.entries() where !Task.isCancelled { _ = await outcome(of: entry) }
      }
      group.cancelAll()
    }
  }
}
