package import GatewayAPI
import MeterCore

extension HealthWatchListRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> [HealthWatchDescription] { try owner.feeds.folderList() }
}

extension HealthWatchAddRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session`, `watch_folder` or `watch_limit`; `StoreError`.
  package func perform(on owner: GatewayOwner) async throws -> [HealthWatchDescription] {
    try await owner.feeds.addFolder(folder, of: owner.submittingSession().generation)
    return try owner.feeds.folderList()
  }
}

extension HealthWatchRemoveRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session` or `unknown_folder`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> [HealthWatchDescription] {
    try owner.feeds.removeFolder(folder, of: owner.submittingSession().generation)
    return try owner.feeds.folderList()
  }
}

extension HealthIngestShowRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> HealthIngestDescription {
    try owner.feeds.describeEndpoint()
  }
}

extension HealthIngestListenRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `ingest_address`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> HealthIngestDescription {
    let place = try address.map { text throws(GatewayError) in
      guard let place = IngestAddress(text) else { throw GatewayError.ingestAddress(text) }
      return place
    }
    try owner.feeds.setAddress(place)
    return try owner.feeds.describeEndpoint()
  }
}

extension HealthTokenNewRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session`, `source_name`, `source_exists` or `source_limit`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> Answer {
    let session = try owner.submittingSession()
    return Answer(name: source, token: try owner.feeds.makeSource(source, of: session.generation))
  }
}

extension HealthTokenListRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> [HealthTokenDescription] { try owner.feeds.sources() }
}

extension HealthTokenRevokeRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session` or `unknown_source`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> Bool {
    try owner.feeds.revokeSource(source, of: owner.submittingSession().generation)
    return true
  }
}

extension HealthFetchLatestRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session`, or `session_ended` when the receiver refuses the token while it is delivered;
  ///   `StoreError`.
  package func perform(on owner: GatewayOwner) async throws -> [HealthFetchDescription] {
    let generation = try owner.submittingSession().generation
    let found = try await owner.feeds.fetchLatest(of: generation)
    guard !owner.deliversByItself, found.contains(where: { $0.accepted > 0 }) else { return found }
    if let left = try await owner.deliver([], of: generation) { throw left.error("what was imported is") }
    return found
  }
}
