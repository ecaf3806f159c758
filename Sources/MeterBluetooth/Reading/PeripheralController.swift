import BluetoothWire
import DriverContract
package import Foundation
import HostPrimitives
import Logging
public import MeterCore
public import MeterDrivers
import Synchronization

/// Reads one meter for a person who stands before it.
///
/// A peripheral whose readings are in its advertisements is not connected to: the read listens to every address that fits
/// until one of them has brought a reading, or has fallen silent without one (`noReading`).
///
/// One interactive operation runs at a time: a second is refused with `busy`. Everything that a read brings is on disk
/// before the meter, or the caller, hears of it.
public final class PeripheralController: Sendable {
  private let surroundings: ReadSurroundings
  private let running = Mutex<(read: CancellationHandle, desk: QuestionDesk)?>(nil)

  /// A controller on a radio.
  public convenience init(
    registry: Registry, bundles: BundleCatalog, drivers: DriverHost, store: MeterStore, radio: any Radio
  ) {
    self.init(registry: registry, bundles: bundles, drivers: drivers, store: store, traffic: AirTraffic(radio))
  }

  /// A controller on the radios of a host, which others use as well.
  public convenience init(
    registry: Registry, bundles: BundleCatalog, drivers: DriverHost, store: MeterStore, traffic: AirTraffic
  ) {
    self.init(registry: registry, bundles: bundles, sessions: drivers, store: store, traffic: traffic)
  }

  /// A controller whose driver sessions are opened by somebody who looks on.
  package init(
    registry: Registry, bundles: BundleCatalog, sessions drivers: any SessionOpener, store: MeterStore,
    traffic: AirTraffic
  ) {
    surroundings = ReadSurroundings(
      registry: registry, bundles: bundles, drivers: drivers, store: store, traffic: traffic)
  }

  /// Whether a read is running.
  public var operationInProgress: Bool { running.withLock { $0 != nil } }

  /// Starts to read a peripheral of the catalogue.
  ///
  /// - Returns: what happens, until the operation is over.
  /// - Throws: ``BluetoothError``: `busy`, `unknownPeripheral`, `keyMissing`, `licenceMissing`, `driverUnavailable`.
  public func read(peripheral id: UInt32, options: ReadOptions = ReadOptions()) throws(BluetoothError)
    -> AsyncStream<ReadEvent>
  {
    try start(.read, peripheral: id, options)
  }

  /// Starts to pair a peripheral of the catalogue: bonds when the meter requires it, and lets its driver ask for what
  /// belongs to this meter, such as its key.
  ///
  /// - Returns: what happens; `paired` comes before `completed`, and a pairing that was given up ends with `failed`.
  /// - Throws: as ``read(peripheral:options:)``.
  public func pair(peripheral id: UInt32, options: ReadOptions = ReadOptions()) throws(BluetoothError)
    -> AsyncStream<ReadEvent>
  {
    try start(.pair, peripheral: id, options)
  }

  /// Answers a question; what does not fit comes back as a new question that says why.
  ///
  /// - Returns: false when this question does not wait any more.
  @discardableResult
  public func answer(_ id: ReadQuestion.ID, _ text: String) -> Bool {
    running.withLock { $0?.desk }?.answer(id, text) ?? false
  }

  /// Refuses a question; the driver decides whether it goes on without.
  ///
  /// - Returns: false when this question does not wait any more.
  @discardableResult
  public func refuse(_ id: ReadQuestion.ID) -> Bool { running.withLock { $0?.desk }?.refuse(id) ?? false }

  /// The meters that were paired with this gateway.
  ///
  /// - Throws: ``BluetoothError`` with code `storeFailure`.
  public func pairedMeters() throws(BluetoothError) -> [PairedMeter] {
    do { return try PairedMeter.all(in: surroundings.store) } catch {
      throw BluetoothError(.storeFailure, "the state folder cannot be read: \(error.message)", cause: error)
    }
  }

  /// Forgets a meter: its bond, wherever that is kept, the keys of it alone, and what was set for it
  /// (``MeterStore/forgetMeter(_:)``).
  ///
  /// - Returns: What was known of it; nil when nothing was.
  /// - Throws: ``BluetoothError`` with code `storeFailure`, or what the radio throws.
  @discardableResult
  package func forgetMeter(_ uuid: UUID) async throws(BluetoothError) -> StoredMeter? {
    guard let meter = try inStore({ store throws(StoreError) in try store.meter(uuid) }) else { return nil }
    // The radio's first: a bond of which nothing is known any more could not be forgotten.
    try await forgetBond(of: meter)
    return try inStore { store throws(StoreError) in try store.forgetMeter(uuid) }
  }

  /// Forgets what the radio shares with a meter; where none was paired, a pairing that broke off may have left something.
  private func forgetBond(of meter: StoredMeter) async throws(BluetoothError) {
    guard let address = meter.radioAddress else { return }
    surroundings.traffic.forgive(address)
    var failure: BluetoothError?
    // The bond may be with any of them: one that fails keeps no other from forgetting.
    for radio in await surroundings.traffic.radios() {
      do throws(BluetoothError) { try await radio.forget(address) } catch { failure = failure ?? error }
    }
    if let failure, meter.pairing != nil { throw failure }
  }

  private func inStore<Value>(
    _ body: (MeterStore) throws(StoreError) -> Value
  ) throws(BluetoothError) -> Value {
    do { return try body(surroundings.store) } catch {
      throw BluetoothError(.storeFailure, "the meter cannot be forgotten: \(error.message)", cause: error)
    }
  }

  private var hasUser: Bool {
    get throws(BluetoothError) {
      do { return try surroundings.store.currentSession().user != nil } catch {
        throw BluetoothError(.storeFailure, "the state folder cannot be read: \(error.message)", cause: error)
      }
    }
  }

  private func start(
    _ purpose: DriverPurpose, peripheral id: UInt32, _ options: ReadOptions
  ) throws(BluetoothError) -> AsyncStream<ReadEvent> {
    let plan = try surroundings.plan(for: id)
    if let slot = options.userSlot, try !hasUser {
      throw BluetoothError(
        .noUser,
        "there is no session, so that nobody is user \(slot) of the meter: start one (`meterhost session start --help`), or go on "
          + "without --slot")
    }
    // It is ready when the meter is.
    surroundings.drivers.prepare()
    let (events, sink) = AsyncStream<ReadEvent>.makeStream()
    let operation = CancellationHandle()
    let desk = QuestionDesk(isStaffed: options.answersQuestions) { sink.yield(.question($0)) }
    let isFirst = running.withLock { current in
      guard current == nil else { return false }
      current = (operation, desk)
      return true
    }
    guard isFirst else {
      throw BluetoothError(.busy, "another meter is being read; wait for it or cancel it")
    }
    let read = ReadOperation(
      plan: plan, purpose: purpose, options: options, surroundings: surroundings, sink: sink, cancellation: operation,
      desk: desk)
    Task {
      let last = await read.run()
      self.surroundings.count(.success(last), of: id, for: purpose)
      self.running.withLock { $0 = nil }
      sink.yield(last)
      sink.finish()
    }
    sink.onTermination = { reason in
      // A listener that goes away gives up on the read; what is committed stays.
      guard case .cancelled = reason else { return }
      operation.cancel()
      desk.close()
    }
    return events
  }

  /// Gives up the running read; harmless when there is none. The event `cancelled` follows.
  public func cancel() {
    let current = running.withLock { $0 }
    current?.read.cancel()
    current?.desk.close()
  }
}

extension StoredMeter {
  /// Where a radio may have a bond with it.
  fileprivate var radioAddress: BluetoothAddress? {
    address.flatMap { BluetoothAddress($0, kind: addressKind == .random ? .random : .public) }
  }
}
