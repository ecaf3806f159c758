package import GatewayAPI
import HostPrimitives
package import MeterCore
import Synchronization

extension HealthFeedDesk {
  private static let endpointSetting = "health-ingest"

  /// Where the host is to listen for exports; nil is nowhere.
  ///
  /// - Throws: `StoreError`.
  package func address() throws(StoreError) -> IngestAddress? { try Self.address(in: store) }

  /// Where the host of a store is to listen, for whoever only looks.
  ///
  /// - Throws: `StoreError`.
  package static func address(in store: MeterStore) throws(StoreError) -> IngestAddress? {
    try store.hostSetting(endpointSetting).flatMap { IngestAddress($0) }
  }

  /// Lets the host listen elsewhere.
  ///
  /// - Throws: `StoreError`.
  func setAddress(_ address: IngestAddress?) throws(StoreError) {
    try store.setHostSetting(address?.description, Self.endpointSetting)
    endpointChanges.send(())
  }

  /// Tells when the address may be another one.
  package func addressChanges() -> AsyncStream<Void> { endpointChanges.listen() }

  /// Notes where the host listens now, or why it does not.
  package func noteEndpoint(url: String?, problem: String?) {
    endpoint.withLock { $0 = IngestEndpoint(url: url, problem: problem) }
  }

  /// The endpoint for people.
  ///
  /// - Throws: `StoreError`.
  func describeEndpoint() throws(StoreError) -> HealthIngestDescription {
    let (address, now, waiting) = (try self.address(), endpoint.withLock(\.self), spool.entries())
    return HealthIngestDescription(
      address: address?.description, url: now.url, isLoopback: address?.isLoopback ?? true, waiting: waiting.count,
      waitingBytes: waiting.reduce(0) { $0 + $1.size }, problem: address == nil ? nil : now.problem)
  }

  /// The session in which something is posted now; nil without a user.
  ///
  /// - Throws: `StoreError`.
  package func postingSession() throws(StoreError) -> SessionGeneration? {
    let session = try store.currentSession()
    return session.user == nil ? nil : session.generation
  }

  /// The date for what comes now, in microseconds since 1970-01-01T00:00Z.
  package var date: Int64 { clock.unixMicroseconds }
}
