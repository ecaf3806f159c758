import Dispatch
import DriverRuntime
import Synchronization

/// Opens sessions and decoders of drivers, in workers or in this process as configured.
public struct DriverHost: Sendable {
  /// Where drivers run, and how long they may take.
  public let configuration: DriverHostConfiguration

  /// Bundles mapped into this process; they stay for ever.
  private static let libraries = Mutex<[BundleHash: DriverLibrary]>([:])

  /// A host; with the default configuration every session gets a worker of its own.
  public init(configuration: DriverHostConfiguration = DriverHostConfiguration()) { self.configuration = configuration }

  /// Opens a session.
  ///
  /// - Parameters:
  ///   - bundle: A verified bundle.
  ///   - id: The driver's id in the registry.
  ///   - opening: What the driver is told.
  ///   - services: The session's keys; nil: it has none. They stay in this process wherever the driver runs.
  /// - Throws: `DriverFault`; nothing of the session is left then.
  public func open(
    _ bundle: VerifiedBundle, driver id: String, opening: DriverOpening, services: (any SessionServices)? = nil
  ) async throws(DriverFault) -> any DriverSession {
    let services = services ?? KeyService()
    switch configuration.isolation {
    case .inProcess:
      return try InProcessDriverSession(
        try Self.library(bundle), driver: id, opening: opening, services: services)
    case .worker:
      let session = WorkerDriverSession(bundle, driver: id, services: services, configuration: configuration)
      try await session.open(opening)
      return session
    }
  }

  /// Decodes characteristic values; one outcome an item, in their order (rule R14).
  ///
  /// - Throws: `DriverFault`.
  public func decode(
    _ bundle: VerifiedBundle, driver id: String, opening: DriverOpening, items: [DecodeItem]
  ) async throws(DriverFault) -> [DecodeOutcome] {
    try await blocking { () throws(DriverFault) in
      try decoder(bundle, driver: id, opening: opening).decode(items)
    }
  }

  /// A decoder for bulk work: batches are lent where they lie. It belongs to one thread and blocks it; a worker lives as
  /// long as its decoder.
  ///
  /// - Throws: `DriverFault`.
  public func decoder(
    _ bundle: VerifiedBundle, driver id: String, opening: DriverOpening
  ) throws(DriverFault) -> any BulkDecoder {
    switch configuration.isolation {
    case .inProcess: try LocalDecoder(library: try Self.library(bundle), driver: id, opening: opening)
    case .worker: try WorkerDecoder(bundle, driver: id, opening: opening, configuration: configuration)
    }
  }

  /// The drivers of a bundle, as its tables describe them.
  ///
  /// - Throws: `DriverFault`.
  public func drivers(of bundle: VerifiedBundle) async throws(DriverFault) -> [DriverDescription] {
    let configuration = configuration
    return try await blocking { () throws(DriverFault) in
      guard configuration.isolation == .worker else { return try Self.library(bundle).drivers }
      let connection = try WorkerConnection(bundle, driver: bundle.name, configuration: configuration)
      defer { connection.close() }
      return connection.drivers
    }
  }

  private static func library(_ bundle: VerifiedBundle) throws(DriverFault) -> DriverLibrary {
    let result = libraries.withLock { known -> Result<DriverLibrary, DriverFault> in
      if let library = known[bundle.hash] { return .success(library) }
      do throws(DriverFault) {
        let library = try DriverLibrary(descriptor: bundle.descriptor, name: bundle.name)
        known[bundle.hash] = library
        return .success(library)
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  private func blocking<Success: Sendable>(
    _ body: @escaping @Sendable () throws(DriverFault) -> Success
  ) async throws(DriverFault) -> Success {
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }
}
