import BluetoothWire
import DriverRuntime
import Logging
public import MeterCore
public import MeterDrivers
import Synchronization

/// Reads one meter for a person who stands before it (B4).
///
/// A peripheral whose readings are in its advertisements is not connected to: the read listens to every address that fits
/// until one of them has brought a reading, or has fallen silent without one (`noReading`).
///
/// One interactive operation runs at a time: a second is refused with `busy`. Everything that a read brings is on disk
/// before the meter, or the caller, hears of it.
public final class PeripheralController: Sendable {
  private let surroundings: ReadSurroundings
  private let running = Mutex<RunningRead?>(nil)

  /// A controller on a radio.
  public init(registry: Registry, bundles: BundleCatalog, drivers: DriverHost, store: MeterStore, radio: any Radio) {
    surroundings = ReadSurroundings(registry: registry, bundles: bundles, drivers: drivers, store: store, radio: radio)
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
    let plan = try surroundings.plan(for: id)
    let (events, sink) = AsyncStream<ReadEvent>.makeStream()
    let operation = RunningRead()
    let isFirst = running.withLock { current in
      guard current == nil else { return false }
      current = operation
      return true
    }
    guard isFirst else {
      throw BluetoothError(.busy, "another meter is being read; wait for it or cancel it")
    }
    let read = ReadOperation(
      plan: plan, options: options, surroundings: surroundings, sink: sink, cancellation: operation)
    Task {
      let last = await read.run()
      self.running.withLock { $0 = nil }
      sink.yield(last)
      sink.finish()
    }
    sink.onTermination = { reason in
      // A listener that goes away gives up on the read; what is committed stays.
      if case .cancelled = reason { operation.cancel() }
    }
    return events
  }

  /// Gives up the running read; harmless when there is none. The event `cancelled` follows.
  public func cancel() { running.withLock { $0 }?.cancel() }
}
