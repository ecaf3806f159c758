import Foundation
import GatewayAPI
import HostPrimitives
package import MeterCore
import Synchronization

extension HealthFeedDesk {
  /// The folders that are watched for a store's session, by path, for whoever only looks.
  ///
  /// - Throws: `StoreError`.
  package static func folders(in store: MeterStore) throws(StoreError) -> [String] {
    try store.healthFeeds(kind: folderKind).map(\.name)
  }

  /// Watches a folder of the session's user.
  ///
  /// - Throws: ``GatewayError`` with code `watch_folder` or `watch_limit`; `StoreError`.
  func addFolder(_ folder: String, of generation: SessionGeneration) async throws {
    let isPlain =
      folder.hasPrefix("/") && !folder.utf8.contains(0) && folder.utf8.count <= 4_096
      && folder == URL(fileURLWithPath: folder).standardizedFileURL.path
    guard isPlain, folder != store.folder.standardizedFileURL.path else {
      throw GatewayError(
        .usage, code: "watch_folder", "“\(folder.oneLine(atMost: 256))” is no folder that can be watched",
        hint: "name a folder by its absolute path, without . and .. in it; the state folder is none")
    }
    // Looked at before it is kept: a wrong name is told to the person, and not to a log.
    _ = try await FolderReader(path: folder, clock: clock).list()
    try rows.withLock { _ in
      let known = try store.healthFeeds(kind: Self.folderKind)
      guard !known.contains(where: { $0.name == folder }) else { return }
      guard known.count < Self.mostFolders else {
        throw GatewayError(
          .usage, code: "watch_limit", "\(known.count) folders are watched already, which is all there may be",
          hint: "`meterhost health watch list` shows them, `meterhost health watch remove` leaves one alone")
      }
      let feed = HealthFeed(kind: Self.folderKind, name: folder, content: WatchContent().text)
      try store.setHealthFeed(feed, of: generation)
    }
  }

  /// Leaves a folder alone.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_folder`; `StoreError`.
  func removeFolder(_ folder: String, of generation: SessionGeneration) throws {
    let wasThere = try rows.withLock { _ in
      try store.removeHealthFeed(kind: Self.folderKind, name: folder, of: generation)
    }
    let key = WatchKey(folder: folder, generation: generation)
    watched.withLock { $0[key] = nil }
    problems.withLock { $0[key] = nil }
    guard wasThere else {
      throw GatewayError(
        .usage, code: "unknown_folder", "the folder \(folder.oneLine(atMost: 256)) is not watched",
        hint: "`meterhost health watch list` shows those that are")
    }
  }

  /// The folders of the session's user, by path.
  ///
  /// - Throws: `StoreError`.
  func folderList() throws(StoreError) -> [HealthWatchDescription] {
    let generation = try store.currentSession().generation
    return try store.healthFeeds(kind: Self.folderKind).map { feed in
      let marks = WatchContent(text: feed.content).marks
      let failed = marks.compactMap { mark in
        mark.error.map { HealthWatchDescription.Failure(file: mark.sight.name, error: $0) }
      }
      let key = WatchKey(folder: feed.name, generation: generation)
      return HealthWatchDescription(
        folder: feed.name, taken: marks.count - failed.count, failed: failed,
        problem: problems.withLock { $0[key] }, isRunning: isRunning)
    }
  }
}
