package import DriverContract
import DriverRuntime

/// An import by a driver that reads the exports of health stores (rule R18), in a worker of its own or in this process as configured.
///
/// ```swift
/// let reading = try await DriverImport.open(host: host, bundle: bundle, entry: entry, opening: opening)
/// var turn = try await reading.tell(.started, monotonicNanoseconds: now, unixMicroseconds: today)
/// while !turn.isLast {
///   // Take turn.batches, and answer what was pulled.
///   guard case .pull(let offset, let count, let token)? = turn.actions.first else { break }
///   let bytes = try file.read(count, at: offset)
///   turn = try await reading.tell(
///     .bytes(bytes, offset: offset, isLast: offset + UInt64(bytes.count) == size, token: token),
///     monotonicNanoseconds: now, unixMicroseconds: today)
/// }
/// ```
///
/// A worker that dies, hangs or talks nonsense is a `DriverFault`, and the import is over. When a calling task is cancelled, the worker
/// is stopped. Nothing is recorded: what goes in is a person's whole history, and the file can be read again.
package actor DriverImport {
  private enum Engine {
    case worker(ExtensionWorker)
    case local(any ExtensionServer)
    case closed
  }

  private let executor = BlockingExecutor(label: "meterhost.import")
  private let driver: String
  private let client: ImportClient
  private var order: ImportOrder
  private var engine = Engine.closed

  /// A thread of its own: a worker is asked and waited for.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The worker's process, while there is one.
  var process: WorkerProcess? { if case .worker(let worker) = engine { worker.connection.process } else { nil } }

  private init(_ entry: DriverEntry, _ opening: ImportOpening, givesLess: Bool) {
    driver = entry.id
    client = ImportClient(driver: entry.id)
    order = ImportOrder(driver: entry.id, size: opening.size, givesLess: givesLess)
  }

  /// Opens an import.
  ///
  /// - Parameters:
  ///   - host: Where drivers run.
  ///   - bundle: A verified bundle; its assets are the opening's.
  ///   - entry: Its entry; what the bundle says of itself must agree with it.
  ///   - opening: What the driver is told.
  ///   - givesLess: Whether its pulls are answered with less than it asks for on purpose, as a suite does that tries a driver.
  package static func open(
    host: DriverHost, bundle: VerifiedBundle, entry: DriverEntry, opening: ImportOpening, givesLess: Bool = false
  ) async throws(DriverFault) -> DriverImport {
    let reading = DriverImport(entry, opening, givesLess: givesLess)
    try await reading.load(host, bundle, entry, opening)
    return reading
  }

  private func load(
    _ host: DriverHost, _ bundle: VerifiedBundle, _ entry: DriverEntry, _ opening: ImportOpening
  ) throws(DriverFault) {
    try entry.expect(.import)
    var opening = opening
    opening.assets = bundle.assets
    let payload = ImportClient.opening(opening)
    guard host.configuration.isolation == .worker else {
      let library = try DriverHost.library(bundle)
      try entry.expectAgreement(with: library.drivers)
      engine = .local(
        try ImportClient.server(library: library, driver: driver, opening: payload, limits: entry.limits))
      return
    }
    engine = .worker(try ExtensionWorker(host, bundle, entry, ImportClient.kind, opening: payload))
  }

  /// Tells the driver one fact.
  ///
  /// - Returns: Its samples, and which bytes it wants next.
  /// - Throws: `DriverFault`; `refused` for a fact that cannot be told, after which the import goes on unless the driver's worker has
  ///   said so, and any other code at its end.
  package func tell(
    _ fact: ImportFact, monotonicNanoseconds: UInt64, unixMicroseconds: Int64
  ) async throws(DriverFault) -> ImportTurn {
    if let problem = ImportClient.problem(in: fact) {
      throw DriverFault(.refused, driver: driver, rule: "R18", message: "this is \(problem); report this host")
    }
    try order.admit(fact)
    let event = ImportEvent(
      sequence: order.sequence, monotonicNanoseconds: monotonicNanoseconds, unixMicroseconds: unixMicroseconds,
      fact: fact)
    do throws(DriverFault) { return try order.take(try await answer(event)) } catch {
      order.fail()
      close()
      throw error
    }
  }

  /// Ends the worker. Harmless when it has ended already.
  ///
  /// - Returns: What the driver did wrong on its way out; nothing of the import depends on it any more.
  @discardableResult
  package func close() -> DriverFault? {
    defer { engine = .closed }
    switch engine {
    case .worker(let worker): return worker.close()
    case .local(let server):
      server.close()
      return nil
    case .closed: return nil
    }
  }

  private func answer(_ event: ImportEvent) async throws(DriverFault) -> ImportUnit {
    switch engine {
    case .closed: throw ExtensionWorker.closed(driver)
    case .local(let server):
      guard !Task.isCancelled else { throw ExtensionWorker.cancelled(driver) }
      return try client.tell(event, order, to: server)
    case .worker(let worker):
      let process = worker.connection.process
      // A caller may have given up when its answer was there already: nobody has failed.
      guard !process.wasStopped else { throw ExtensionWorker.cancelled(driver) }
      let result = await withTaskCancellationHandler {
        exchange(worker, event)
      } onCancel: {
        process.kill()
      }
      do { return try result.get() } catch {
        throw Task.isCancelled ? ExtensionWorker.cancelled(driver) : error.ofExtension
      }
    }
  }

  private func exchange(_ worker: ExtensionWorker, _ event: ImportEvent) -> Result<ImportUnit, DriverFault> {
    let (client, order) = (client, order)
    do throws(DriverFault) {
      var unit = try worker.connection.exchange { talk throws(WorkerFailure) in
        try client.tell(event, order, to: talk, within: worker.limit)
      }
      unit.logs += worker.connection.process.output.logLines()
      return .success(unit)
    } catch { return .failure(error) }
  }
}
