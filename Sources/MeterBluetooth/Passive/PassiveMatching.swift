import BluetoothWire
import MeterDrivers
import Synchronization

/// Which of the chosen peripherals a meter in the air may be, by all that it has shown.
final class PassiveMatching: Sendable {
  private struct Entry: Sendable {
    let number: RadioSchedule.DemandID
    let reach: AirTraffic.Reach
    let specificity: Specificity?
  }

  private let entries: [UInt32: Entry]
  private let air: Mutex<SeenAir>

  init(peripherals: [Peripheral], demands: [UInt32: RadioSchedule.DemandID]) {
    var entries: [UInt32: Entry] = [:]
    for peripheral in peripherals {
      guard let number = demands[peripheral.id] else { continue }
      entries[peripheral.id] = Entry(
        number: number, reach: peripheral.connectionKind == .advertisement ? .advertisements : .link,
        specificity: peripheral.matchRules.map(Specificity.init).max())
    }
    self.entries = entries
    air = Mutex(SeenAir(index: AdvertisementIndex(peripherals)))
  }

  /// The demands that want the meter, the most specific one first.
  func demands(_ report: AdvertisingReport) -> [(RadioSchedule.DemandID, AirTraffic.Reach)] {
    let matches = air.withLock { $0.hear(report) }.matches
    guard !matches.isEmpty else { return [] }
    let ids = matches.fits + matches.undecided
    let found = ids.compactMap { entries[$0] }
    guard found.count > 1 else { return found.map { ($0.number, $0.reach) } }
    return found.enumerated().sorted { left, right in
      switch (left.element.specificity, right.element.specificity) {
      case (let a?, let b?) where b < a: true
      case (let a?, let b?) where a < b: false
      default: left.offset < right.offset
      }
    }.map { ($0.element.number, $0.element.reach) }
  }
}
