import BluetoothWire
import HostPrimitives
import MeterCore
import MeterDrivers

/// What a driver keeps of a meter that only advertises, whoever's session it is.
///
/// One that writes there while it brings a value without a time of its own knows by it what the meter repeats.
struct DriverMemory: Sendable {
  /// nil when it cannot be told, and over a link, where a rest ends with silence or by the clock.
  private let kept: [ExactText: [UInt8]]?

  init(
    of turn: AirTraffic.Turn, as peripheral: UInt32?, in generation: SessionGeneration?,
    _ surroundings: ReadSurroundings
  ) {
    guard turn.work.medium == .advertisements, let generation, let peripheral,
      let driver = surroundings.registry.peripheral(id: peripheral)?.driverID,
      let family = surroundings.registry.driver(id: driver)?.familyID
    else {
      kept = nil
      return
    }
    // Such a meter is known by its address alone: nothing can be asked of it.
    let meter = MeterIdentity(serial: nil, model: nil, systemID: nil, address: turn.work.meter.description)
    kept = (try? surroundings.store.storageKeys(generation: generation, family: family, meter: meter))?
      .filter { StorageName.isMeters($0.key.text) }
  }

  /// Whether the driver has noted something since.
  func hasChanged(since earlier: DriverMemory) -> Bool {
    guard let before = earlier.kept, let kept else { return false }
    return before != kept
  }
}
