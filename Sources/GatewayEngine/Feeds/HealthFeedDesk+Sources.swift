import GatewayAPI
import HostPrimitives
package import MeterCore
import Synchronization

extension HealthFeedDesk {
  /// Makes a source of the session's user, with a token of its own.
  ///
  /// - Returns: The token, which is kept nowhere.
  /// - Throws: ``GatewayError`` with code `source_name`, `source_exists` or `source_limit`; `StoreError`.
  func makeSource(_ name: String, of generation: SessionGeneration) throws -> String {
    guard IngestSource.isName(name) else {
      throw GatewayError(
        .usage, code: "source_name", "“\(name.oneLine(atMost: 64))” is no name of a source",
        hint: "a name has 1 to 64 letters, digits, -, _ and ., and begins with a letter or a digit")
    }
    let token = IngestSource.makeToken()
    try rows.withLock { _ in
      let known = try store.healthFeeds(kind: Self.sourceKind)
      guard !known.contains(where: { $0.name == name }) else {
        throw GatewayError(
          .usage, code: "source_exists", "there is a token for \(name) already, and it cannot be shown again",
          hint: "`meterhost health ingest token revoke \(name)` takes it back; or choose another name")
      }
      guard known.count < IngestSource.most else {
        throw GatewayError(
          .usage, code: "source_limit", "there are \(known.count) sources already, which is all there may be",
          hint: "`meterhost health ingest token list` shows them")
      }
      let source = IngestSource(token: token, made: clock.unixMicroseconds)
      try store.setHealthFeed(HealthFeed(kind: Self.sourceKind, name: name, content: source.text), of: generation)
    }
    return token
  }

  /// Takes a source's token back.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_source`; `StoreError`.
  func revokeSource(_ name: String, of generation: SessionGeneration) throws {
    let wasThere = try rows.withLock { _ in
      try store.removeHealthFeed(kind: Self.sourceKind, name: name, of: generation)
    }
    rates.withLock { $0[name] = nil }
    guard wasThere else {
      throw GatewayError(
        .usage, code: "unknown_source", "there is no source \(name.oneLine(atMost: 64))",
        hint: "`meterhost health ingest token list` shows them")
    }
  }

  /// The sources, by name.
  ///
  /// - Throws: `StoreError`.
  func sources() throws(StoreError) -> [HealthTokenDescription] {
    try store.healthFeeds(kind: Self.sourceKind).compactMap { feed -> HealthTokenDescription? in
      guard let source = IngestSource(text: feed.content) else { return nil }
      var description = HealthTokenDescription(
        name: feed.name, made: CivilMoment.utcSeconds(microseconds: source.made))
      description.lastUsed = source.lastUsed.map { CivilMoment.utcSeconds(microseconds: $0) }
      description.posts = source.posts
      description.accepted = source.accepted
      description.duplicates = source.duplicates
      description.refused = source.refused
      description.error = source.error
      return description
    }
  }

  /// The source that a token is of; nil for any other. It takes as long whichever it is, and whether or not there is one.
  ///
  /// - Throws: `StoreError`.
  package func source(presenting token: String?) throws(StoreError) -> String? {
    let isToken = token.map { !$0.isEmpty && $0.utf8.count <= IngestSource.longestToken } ?? false
    let given = IngestSource.hash(of: isToken ? token ?? "" : "-")
    var found: String?
    for feed in try store.healthFeeds(kind: Self.sourceKind) {
      if IngestSource(text: feed.content)?.matches(given) == true { found = feed.name }
    }
    return isToken ? found : nil
  }

  /// Whether a source may post now.
  ///
  /// - Returns: nil when it may; else how many seconds it is to wait.
  package func wait(of source: String) -> Int? {
    let now = clock.now
    return rates.withLock { $0[source, default: IngestRate()].take(at: now) }
  }

  /// Notes what came of a body, unless its source is gone by now. It is there to be shown, so a failure is logged and no more.
  func note(_ entry: SpoolEntry, _ change: (inout IngestSource) -> Void) {
    let name = entry.name.source
    do {
      try rows.withLock { _ in
        let feeds = try store.healthFeeds(kind: Self.sourceKind)
        guard let feed = feeds.first(where: { $0.name == name }), var source = IngestSource(text: feed.content) else {
          return
        }
        change(&source)
        source.lastUsed = clock.unixMicroseconds
        let changed = HealthFeed(kind: Self.sourceKind, name: name, content: source.text)
        try store.setHealthFeed(changed, of: entry.name.generation)
      }
    } catch {
      tellOnce("note", "what came of posted exports cannot be noted: \(error)")
    }
  }
}
