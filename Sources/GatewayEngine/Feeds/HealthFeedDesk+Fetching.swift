import GatewayAPI
import HostPrimitives
import MeterCore
import Synchronization

extension HealthFeedDesk {
  /// Imports the newest export of each watched folder at once, and what is in the spool.
  ///
  /// - Throws: `StoreError`.
  func fetchLatest(of generation: SessionGeneration) async throws -> [HealthFetchDescription] {
    var found: [HealthFetchDescription] = []
    for feed in try store.healthFeeds(kind: Self.folderKind) {
      found.append(await fetchNewest(of: WatchKey(folder: feed.name, generation: generation)))
    }
    for entry in spool.entries() {
      guard let outcome = await outcome(of: entry) else { throw CancellationError() }
      if let description = Self.describe(outcome, of: entry) { found.append(description) }
    }
    return found
  }

  /// The newest file that looks like an export counts, whatever lies beside it.
  private func fetchNewest(of key: WatchKey) async -> HealthFetchDescription {
    let reader = FolderReader(path: key.folder, clock: clock)
    let sights: [WatchedFolder.Sight]
    do throws(GatewayError) {
      sights = try await sightings(of: key, by: reader)
    } catch {
      return HealthFetchDescription(
        feed: Self.folderKind, name: key.folder, state: error.kind == .usage ? .failed : .waits, error: error.written)
    }
    for sight in sights.sorted(by: WatchedFolder.isOlder).reversed() {
      switch change(key, { $0.claim(sight) }) {
      case .settled(.other): continue
      case .settled(.taken): return describe(sight, key, .known)
      case .settled(.failed(let error)): return describe(sight, key, .failed, error: error)
      case .running: return describe(sight, key, .running)
      case .granted: break
      }
      switch await importFile(sight, of: key, by: reader) {
      case nil: continue
      case .taken(let tally)?: return describe(sight, key, .imported, tally)
      case .failed(let error)?: return describe(sight, key, .failed, error: error)
      case .waits(let error)?: return describe(sight, key, .waits, error: error)
      }
    }
    return HealthFetchDescription(feed: Self.folderKind, name: key.folder, state: .nothing)
  }

  private func describe(
    _ sight: WatchedFolder.Sight, _ key: WatchKey, _ state: HealthFetchDescription.State,
    _ tally: HealthTally = HealthTally(), error: GatewayError.Written? = nil
  ) -> HealthFetchDescription {
    HealthFetchDescription(
      feed: Self.folderKind, name: key.folder, file: sight.name, state: state, accepted: tally.accepted,
      duplicates: tally.duplicates, refused: tally.refused, error: error)
  }

  /// Nil of a body whose session is over, or that somebody else has imported meanwhile.
  private static func describe(_ outcome: SpoolOutcome, of entry: SpoolEntry) -> HealthFetchDescription? {
    let source = entry.name.source
    return switch outcome {
    case .taken(let tally):
      HealthFetchDescription(
        feed: sourceKind, name: source, state: .imported, accepted: tally.accepted, duplicates: tally.duplicates,
        refused: tally.refused)
    case .refused(let error): HealthFetchDescription(feed: sourceKind, name: source, state: .failed, error: error)
    case .waits(let error): HealthFetchDescription(feed: sourceKind, name: source, state: .waits, error: error)
    case .gone: nil
    }
  }
}
