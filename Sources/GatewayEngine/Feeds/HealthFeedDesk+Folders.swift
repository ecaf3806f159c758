import Foundation
import GatewayAPI
import HostPrimitives
import LinuxSockets
import Logging
import MeterCore
import Synchronization

extension HealthFeedDesk {
  /// How many folders may be watched.
  static let mostFolders = 16

  // MARK: - The session's folders

  /// Watches the folders of whatever session is in force, each by a task of its own: one that hangs holds up no other.
  func followFolders() async {
    var tasks: [WatchKey: Task<Void, Never>] = [:]
    let changes = store.changes()
    func refresh() {
      let wanted = folders()
      for (key, task) in tasks where !wanted.contains(key) {
        task.cancel()
        tasks[key] = nil
        forget(key)
      }
      for key in wanted where tasks[key] == nil { tasks[key] = Task { [self] in await watch(key) } }
    }
    refresh()
    for await _ in changes { refresh() }
    for task in tasks.values { task.cancel() }
    for task in tasks.values { await task.value }
  }

  /// The folders of the session in force.
  private func folders() -> Set<WatchKey> {
    guard let now = generation() else { return [] }
    return Set(feeds(Self.folderKind).map { WatchKey(folder: $0.name, generation: now) })
  }

  private func forget(_ key: WatchKey) {
    watched.withLock { $0[key] = nil }
    problems.withLock { $0[key] = nil }
  }

  private func watch(_ key: WatchKey) async {
    let reader = FolderReader(path: key.folder, clock: clock)
    let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let hearing = Task { await hear(key.folder, wake) }
    var timer: Task<Void, Never>?
    wake.yield()
    for await _ in wakes {
      timer?.cancel()
      await look(into: key, by: reader)
      let next = min(watched.withLock { $0[key]?.nextDue } ?? clock.now + times.poll, clock.now + times.poll)
      timer = Task { [clock] in if await clock.elapsed(until: next) { wake.yield() } }
    }
    timer?.cancel()
    hearing.cancel()
    await hearing.value
  }

  /// Wakes whoever watches as soon as something comes into a folder, where its file system tells; the others are looked at every while.
  private func hear(_ folder: String, _ wake: AsyncStream<Void>.Continuation) async {
    while !Task.isCancelled {
      if let watch = try? FolderWatch(folder) {
        while (try? await watch.waitForChange()) == true { wake.yield() }
        watch.close()
      }
      guard await clock.elapsed(times.poll) else { return }
    }
  }

  // MARK: - One look

  private func look(into key: WatchKey, by reader: FolderReader) async {
    let sights: [WatchedFolder.Sight]
    do throws(GatewayError) {
      sights = try await sightings(of: key, by: reader)
    } catch {
      return
    }
    let now = clock.now
    let due = change(key) { $0.look(at: sights, now: now) }
    for sight in due {
      guard !Task.isCancelled else {
        change(key) { $0.release(sight, until: now) }
        continue
      }
      _ = await importFile(sight, of: key, by: reader)
    }
  }

  /// The files of a folder. Why it cannot be looked at is noted, and logged once until it can be.
  func sightings(of key: WatchKey, by reader: FolderReader) async throws(GatewayError) -> [WatchedFolder.Sight] {
    do throws(GatewayError) {
      let listing = try await reader.list()
      noteProblem(listing.isCut ? Self.tooMany(key.folder) : nil, of: key)
      return listing.sights
    } catch {
      if error.kind != .cancelled { noteProblem(error.message, of: key) }
      throw error
    }
  }

  private static func tooMany(_ folder: String) -> String {
    "more than \(FolderReader.mostFiles) files lie in \(folder), and the others are not looked at"
  }

  private func noteProblem(_ words: String?, of key: WatchKey) {
    let isNew = problems.withLock { problems in
      defer { problems[key] = words }
      return words != nil && problems[key] != words
    }
    if isNew, let words { logger.warning("\(words)") }
  }

  /// What is known of a folder; at first what its feed remembers.
  @discardableResult
  func change<Value: Sendable>(_ key: WatchKey, _ body: (inout WatchedFolder) -> Value) -> Value {
    let isKnown = watched.withLock { $0[key] != nil }
    let content = isKnown ? nil : feeds(Self.folderKind).first { $0.name == key.folder }?.content
    return watched.withLock { watched in
      let marks = content.map { WatchContent(text: $0).marks } ?? []
      return body(&watched[key, default: WatchedFolder(patience: times.settling, marks: marks)])
    }
  }

  /// Imports a file that was handed out, and notes what came of it; nil: it is no export.
  func importFile(_ sight: WatchedFolder.Sight, of key: WatchKey, by reader: FolderReader) async -> FileOutcome? {
    do {
      guard try await reader.isExport(sight.name) else {
        settle(sight, of: key, as: .other)
        return nil
      }
      let path = "\(key.folder)/\(sight.name)"
      let offer = HealthOffer(path: path, generation: key.generation)
      let tally = try await taker.take(offer)
      settle(sight, of: key, as: .taken)
      logger.info("\(path.oneLine(atMost: 1_024)) is imported: \(tally.accepted) new, \(tally.duplicates) known")
      return .taken(tally)
    } catch {
      return judge(error, sight, key)
    }
  }

  private func judge(_ error: any Error, _ sight: WatchedFolder.Sight, _ key: WatchKey) -> FileOutcome {
    let words = written(error)
    let path = "\(key.folder)/\(sight.name)".oneLine(atMost: 1_024)
    guard [.export, .driver].contains(ImportBlame(error)) else {
      change(key) { [clock, times] in $0.release(sight, until: clock.now + times.retry) }
      if words.kind != .cancelled { tellOnce("\(path) \(words.code)", "\(path) waits: \(words.message)") }
      return .waits(words)
    }
    settle(sight, of: key, as: .failed(words))
    logger.warning("\(path) cannot be imported, and is tried again when it changes: \(words.message)")
    return .failed(words)
  }

  private func settle(_ sight: WatchedFolder.Sight, of key: WatchKey, as verdict: WatchedFolder.Verdict) {
    let marks = change(key) { [clock] folder in
      folder.settle(sight, as: verdict, now: clock.now)
      return folder.marks
    }
    guard verdict != .other else { return }
    do {
      try rows.withLock { _ in
        let feeds = try store.healthFeeds(kind: Self.folderKind)
        // Watched no more: it must not come back by that.
        guard feeds.contains(where: { $0.name == key.folder }) else { return }
        let feed = HealthFeed(kind: Self.folderKind, name: key.folder, content: WatchContent(marks: marks).text)
        try store.setHealthFeed(feed, of: key.generation)
      }
    } catch {
      tellOnce("marks", "what was imported from watched folders cannot be remembered beyond a restart: \(error)")
    }
  }
}

/// What came of a file of a watched folder.
enum FileOutcome: Sendable, Hashable {
  case taken(HealthTally)
  case failed(GatewayError.Written)
  case waits(GatewayError.Written)
}
