import BluetoothWire
import MeterDrivers

/// Which of the chosen peripherals an advertisement may be from.
struct PassiveMatching: Sendable {
  let peripherals: [Peripheral]
  let numbers: [UInt32: RadioSchedule.DemandID]

  init(peripherals: [Peripheral], demands: [UInt32: RadioSchedule.DemandID]) {
    self.peripherals = peripherals
    numbers = demands
  }

  /// The demands that want the meter, the most specific one first.
  @Sendable func demands(_ report: AdvertisingReport) -> [(RadioSchedule.DemandID, AirTraffic.Reach)] {
    let seen = SeenDevice(report)
    return peripherals.compactMap { peripheral in
      guard peripheral.fit(seen) != .differs, let number = numbers[peripheral.id] else { return nil }
      return (number, peripheral.connectionKind == .advertisement ? .advertisements : .link)
    }
  }
}
