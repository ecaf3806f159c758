import Foundation
package import MeterCore
package import MeterDrivers

/// What a state folder keeps of updates.
package struct DriverUpdateState: Codable, Sendable, Hashable {
  /// A source.
  package struct Source: Codable, Sendable, Hashable {
    /// Its address or path.
    package var text: String
    /// Whether versions that are still being tried are taken.
    package var takesBeta: Bool
  }

  /// Where updates are looked for, in the order in which they were added.
  package var sources: [Source] = []
  /// The newest index that was seen, by source; one that was removed is remembered.
  package var memories: [String: IndexMemory] = [:]
  /// Whether the running host installs by itself.
  package var isAutomatic = false
  /// The gateway's name for staged versions, which is told nobody.
  package var name = UUID().uuidString.lowercased()
  /// Versions that have to prove themselves, by package.
  package var trials: [String: UpdateTrial] = [:]
  /// Versions that the host has disabled because they were revoked, by package: a newer one is enabled when it comes. Nil in what an
  /// earlier host has kept.
  package var withdrawn: [String: String]?

  /// Most sources.
  package static let mostSources = 8
  /// Sources of which the newest index is remembered.
  static let mostMemories = 64
}

/// The last index of a source as it was fetched: what a source says that it has not changed since.
struct KeptIndex: Codable, Sendable, Hashable {
  var tag: String
  var index: String
  var signatures: String
}

extension MeterStore {
  private static let updates = "driver_updates"
  private static let index = "driver_index/"

  /// What is kept of updates.
  ///
  /// - Throws: `StoreError` `corrupt`: without it an index that was brought back would be believed.
  package func driverUpdates() throws(StoreError) -> DriverUpdateState {
    guard let text = try hostSetting(Self.updates) else { return DriverUpdateState() }
    do { return try JSONDecoder().decode(DriverUpdateState.self, from: Data(text.utf8)) } catch {
      throw StoreError(.corrupt, "what is kept of driver updates cannot be read; run `meterhost doctor`.")
    }
  }

  /// Keeps it.
  ///
  /// - Throws: `StoreError`.
  package func setDriverUpdates(_ state: DriverUpdateState) throws(StoreError) {
    guard let data = try? JSONEncoder().encode(state) else { return }
    try setHostSetting(String(decoding: data, as: UTF8.self), Self.updates)
  }

  /// The last index of a source; nil: none is kept.
  func keptIndex(of source: String) throws(StoreError) -> KeptIndex? {
    try hostSetting(Self.index + source).flatMap { try? JSONDecoder().decode(KeptIndex.self, from: Data($0.utf8)) }
  }

  /// Keeps the last index of a source; nil forgets it.
  func setKeptIndex(_ kept: KeptIndex?, of source: String) throws(StoreError) {
    let text = kept.flatMap { try? JSONEncoder().encode($0) }.map { String(decoding: $0, as: UTF8.self) }
    try setHostSetting(text, Self.index + source)
  }
}
