import BluetoothWire
import Logging
import MeterCore
import MeterDrivers

extension ReadSurroundings {
  private static let log = LogArea.bluetooth.logger

  /// Remembers a meter whose session is over. A store that fails has told so where readings were at stake; here it costs the
  /// memory of the meter.
  ///
  /// - Parameter told: What it has told of itself.
  func noteMeter(
    _ meter: MeterDescription, of plan: ReadPlan, at address: BluetoothAddress, isRead: Bool, telling told: ToldFacts
  ) {
    do {
      var sighting = MeterSighting(meter, of: plan, at: address, isRead: isRead)
      sighting.told = told
      try store.noteMeter(sighting)
    } catch {
      Self.log.error("a meter that was met could not be noted: \(error.message)")
    }
  }
}

extension MeterStore {
  /// The meter that was last heard at an address; nil when there is none.
  func meter(at address: BluetoothAddress) throws(StoreError) -> StoredMeter? {
    try meter(atAddress: address.description, MeterAddressKind(address.kind))
  }
}

extension MeterAddressKind {
  init(_ kind: BluetoothAddress.Kind) { self = kind == .public ? .public : .random }
}

extension MeterSighting {
  init(_ meter: MeterDescription, of plan: ReadPlan, at address: BluetoothAddress, isRead: Bool) {
    self.init(
      meter.identity, peripheral: plan.peripheral.id, address: meter.address,
      addressKind: MeterAddressKind(address.kind), isRead: isRead)
  }
}

extension ReadSurroundings {
  /// Checks that a meter has not filled its share of the queue.
  ///
  /// - Throws: ``BluetoothError``: `tooManyReadings`, `storeFailure`.
  func checkRoom(for meter: MeterIdentity) throws(BluetoothError) {
    do { try store.checkRoom(for: meter) } catch {
      guard error.code == .queueFull else {
        throw BluetoothError(.storeFailure, "the state folder cannot be read: \(error.message)", cause: error)
      }
      throw BluetoothError(.tooManyReadings, error.message, cause: error)
    }
  }
}

extension SessionReport {
  /// Whether a read has got what it wanted of the meter, or at least a reading.
  func isRead(bringing summary: ReadSummary) -> Bool {
    if case .finished = outcome { return true }
    return !summary.records.isEmpty || !summary.revised.isEmpty || summary.duplicates > 0
  }
}

extension ReadOptions {
  /// These options at a meter for which a person has set something: what the caller says wins.
  func applying(_ settings: MeterSettings) -> ReadOptions {
    var options = self
    options.setsClock = setsClock ?? settings.syncsClock
    return options
  }
}
