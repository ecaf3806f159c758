import Dispatch
public import DriverContract
public import DriverRuntime
package import MeterCore
import Synchronization

/// Opens sessions and decoders of drivers, in workers or in this process as configured.
public struct DriverHost: Sendable {
  /// Where drivers run, and how long they may take.
  public let configuration: DriverHostConfiguration

  let pool: WorkerPool

  /// Bundles mapped into this process; they stay for ever.
  private static let libraries = Mutex<[BundleHash: DriverLibrary]>([:])

  /// A host; with the default configuration every session gets a worker of its own.
  public init(configuration: DriverHostConfiguration = DriverHostConfiguration()) {
    self.configuration = configuration
    pool = WorkerPool(path: configuration.workerPath, most: configuration.spares)
  }

  /// Starts a worker ahead of the session that will need it, or as many as are to be kept. Returns at once.
  public func prepare() { if configuration.isolation == .worker { pool.refill(atLeast: 1) } }

  /// Where workers that get a driver, and those that fail, are told of.
  package var counted: CountedEvents { pool.counted }

  /// Gives each worker that is used from now on a control group of its own.
  package func group(by groups: WorkerGroups) { pool.groups = groups }

  /// Opens a session.
  ///
  /// - Parameters:
  ///   - bundle: A verified bundle.
  ///   - id: The driver's id in the registry.
  ///   - opening: What the driver is told.
  ///   - limits: What the driver may use up.
  ///   - services: The session's keys; nil: it has none. They stay in this process wherever the driver runs.
  ///   - recorder: Hears everything that goes in and comes out (rule R8).
  /// - Throws: `DriverFault`; nothing of the session is left then.
  public func open(
    _ bundle: VerifiedBundle, driver id: String, opening: DriverOpening, limits: DriverLimits = .greatest,
    services: (any SessionServices)? = nil, recorder: SessionRecorder? = nil
  ) async throws(DriverFault) -> any DriverSession {
    let services = services ?? KeyService()
    guard let recorder else { return try await openUnrecorded(bundle, id, opening, limits, services) }
    recorder.open(opening)
    do {
      let session = try await openUnrecorded(
        bundle, id, opening, limits, RecordedServices(services, recorder: recorder))
      return RecordedSession(session: session, recorder: recorder)
    } catch {
      recorder.note(error)
      throw error
    }
  }

  private func openUnrecorded(
    _ bundle: VerifiedBundle, _ id: String, _ opening: DriverOpening, _ limits: DriverLimits,
    _ services: any SessionServices
  ) async throws(DriverFault) -> any DriverSession {
    switch configuration.isolation {
    case .inProcess:
      return try InProcessDriverSession(
        try Self.library(bundle), driver: id, opening: opening, services: services, limits: limits)
    case .worker:
      let session = WorkerDriverSession(
        bundle, driver: id, services: services, limits: limits, configuration: configuration, pool: pool)
      try await session.open(opening)
      return session
    }
  }

  /// Whether a bundle fails by itself: in a worker of its own it is loaded, and opened without anything that comes from a
  /// meter. Tells a fault of the bundle from one that a meter may have caused (rule R24).
  package func failsAlone(
    _ bundle: VerifiedBundle, driver id: String, opening: DriverOpening, limits: DriverLimits = .greatest
  ) async -> Bool {
    guard configuration.isolation == .worker else { return false }
    do throws(DriverFault) {
      let session = try await open(bundle, driver: id, opening: opening.withoutMeter, limits: limits)
      return await session.close().map(QuarantinePolicy().isOffence) ?? false
    } catch {
      return QuarantinePolicy().isOffence(error)
    }
  }

  /// Decodes characteristic values; one outcome an item, in their order (rule R14).
  ///
  /// - Throws: `DriverFault`.
  public func decode(
    _ bundle: VerifiedBundle, driver id: String, opening: DriverOpening, limits: DriverLimits = .greatest,
    items: [DecodeItem]
  ) async throws(DriverFault) -> [DecodeOutcome] {
    try await blocking { () throws(DriverFault) in
      try decoder(bundle, driver: id, opening: opening, limits: limits).decode(items)
    }
  }

  /// A decoder for bulk work: batches are lent where they lie. It belongs to one thread and blocks it; a worker lives as
  /// long as its decoder.
  ///
  /// - Throws: `DriverFault`.
  public func decoder(
    _ bundle: VerifiedBundle, driver id: String, opening: DriverOpening, limits: DriverLimits = .greatest
  ) throws(DriverFault) -> any BulkDecoder {
    switch configuration.isolation {
    case .inProcess: try LocalDecoder(library: try Self.library(bundle), driver: id, opening: opening)
    case .worker:
      try WorkerDecoder(
        bundle, driver: id, opening: opening, limits: limits, configuration: configuration, pool: pool)
    }
  }

  /// The drivers of a bundle, as its tables describe them.
  ///
  /// - Throws: `DriverFault`.
  public func drivers(of bundle: VerifiedBundle) async throws(DriverFault) -> [DriverDescription] {
    let (configuration, pool) = (configuration, pool)
    return try await blocking { () throws(DriverFault) in
      guard configuration.isolation == .worker else { return try Self.library(bundle).drivers }
      let connection = try WorkerConnection(
        bundle, driver: bundle.name, within: configuration.startLimit, from: pool)
      defer { connection.close(within: configuration.eventLimit(.greatest)) }
      return connection.drivers
    }
  }

  static func library(_ bundle: VerifiedBundle) throws(DriverFault) -> DriverLibrary {
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

  func blocking<Success: Sendable>(
    _ body: @escaping @Sendable () throws(DriverFault) -> Success
  ) async throws(DriverFault) -> Success {
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }
}
