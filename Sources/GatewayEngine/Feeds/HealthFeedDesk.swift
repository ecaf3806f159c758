import Foundation
import GatewayAPI
package import HostPrimitives
import Logging
package import MeterCore
import Synchronization

/// What brings exports by itself: folders that are watched, and sources that post. It keeps them, looks after them as long as a host runs,
/// and hands what they bring to the taker.
///
/// Feeds belong to the session's user and go with the session. What a feed has brought is imported for that user or not at all.
package final class HealthFeedDesk: Sendable {
  /// The kinds of feeds in the store.
  static let (folderKind, sourceKind) = ("folder", "ingest")

  let store: MeterStore
  /// Bodies that were posted.
  package let spool: HealthSpool
  let taker: any HealthTaker
  let clock: any HostClock
  let times: FeedTimes
  let logger = LogArea.health.logger

  /// Feeds are read, changed and written back by several tasks; and what was taken back must not come back.
  let rows = Mutex<Void>(())
  let rates = Mutex<[String: IngestRate]>([:])
  let imports = Mutex<[String: Task<SpoolOutcome, Never>]>([:])
  let attempts = Mutex<[String: Int]>([:])
  let watched = Mutex<[WatchKey: WatchedFolder]>([:])
  let problems = Mutex<[WatchKey: String]>([:])
  let endpoint = Mutex(IngestEndpoint())
  let told = Mutex<Set<String>>([])
  /// Tells that the endpoint is to be another one.
  let endpointChanges = Broadcast<Void>(.bufferingNewest(1))
  private let running = Mutex(false)

  /// A desk of a state folder.
  ///
  /// - Parameters:
  ///   - taker: Imports what comes.
  ///   - clock: For waiting, and for the date.
  package init(
    store: MeterStore, taker: any HealthTaker, clock: any HostClock = .system, times: FeedTimes = FeedTimes(),
    limits: HealthSpool.Limits = HealthSpool.Limits()
  ) {
    self.store = store
    spool = HealthSpool(stateFolder: store.folder, limits: limits)
    (self.taker, self.clock, self.times) = (taker, clock, times)
  }

  /// Whether a host runs that looks after the feeds.
  var isRunning: Bool { running.withLock(\.self) }

  /// Looks after the feeds of whatever session is in force, until the task is cancelled. Called once.
  package func run() async {
    spool.tidy()
    running.withLock { $0 = true }
    await withDiscardingTaskGroup { group in
      group.addTask { await self.followSpool() }
      group.addTask { await self.followFolders() }
    }
    running.withLock { $0 = false }
    let left = imports.withLock { Array($0.values) }
    for task in left { task.cancel() }
    for task in left { _ = await task.value }
  }

  /// The feeds of a kind; none when they cannot be read, which is logged once.
  func feeds(_ kind: String) -> [HealthFeed] {
    do throws(StoreError) { return try store.healthFeeds(kind: kind) } catch {
      tellOnce("feeds", "feeds of exports cannot be looked up: \(error)")
      return []
    }
  }

  /// The session's generation while there is a user; nil without one.
  func generation() -> SessionGeneration? {
    do throws(StoreError) {
      let session = try store.currentSession()
      return session.user == nil ? nil : session.generation
    } catch {
      tellOnce("session", "feeds of exports wait, for the session cannot be looked up: \(error)")
      return nil
    }
  }

  /// Logs a thing once for as long as the process lives, however often it happens.
  func tellOnce(_ key: String, _ words: String) {
    let isNew = told.withLock { told in
      // Names of files are others' choice: a bound on what is remembered of them.
      if told.count >= 1_000 { told = [] }
      return told.insert(key).inserted
    }
    if isNew { logger.warning("\(words)") }
  }

  /// An error of the taker in words.
  func written(_ error: any Error) -> GatewayError.Written {
    (GatewayError(describing: error) ?? GatewayError(.failed, code: "failed", "\(type(of: error))")).written
  }
}

/// A watched folder of a session.
struct WatchKey: Sendable, Hashable {
  let folder: String
  let generation: SessionGeneration
}

/// Where the running host listens, as far as is known.
struct IngestEndpoint: Sendable, Hashable {
  var url: String?
  var problem: String?
}
