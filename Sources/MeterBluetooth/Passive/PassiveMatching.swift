import BluetoothWire
import HostPrimitives
import Logging
import MeterCore
import MeterDrivers
import Synchronization

/// Which of the chosen peripherals a meter in the air may be, by all that it has shown.
final class PassiveMatching: Sendable {
  private struct Entry: Sendable {
    let number: RadioSchedule.DemandID
    let reach: AirTraffic.Reach
    let specificity: Specificity?
  }

  /// What a person has chosen for meters whose rules tie, as it was found last.
  private struct Choices {
    var found: [BluetoothAddress: (choice: UInt32?, time: HostInstant)] = [:]
    var told: Set<BluetoothAddress> = []
  }

  /// Most meters of which a choice is remembered, and how long.
  private static let (maximumChoices, choiceLife) = (1024, Duration.seconds(10))
  /// Most meters of which it is said that a choice is missing: more would be a crowd.
  private static let mostTold = 8
  private static let log = LogArea.bluetooth.logger

  private let entries: [UInt32: Entry]
  private let air: Mutex<SeenAir>
  private let choices = Mutex(Choices())
  private let clock: any HostClock
  private let choice: @Sendable (BluetoothAddress) -> UInt32?

  /// - Parameter choice: The entry that a person has chosen for a meter; nil: none.
  init(
    peripherals: [Peripheral], demands: [UInt32: RadioSchedule.DemandID], clock: any HostClock,
    choice: @escaping @Sendable (BluetoothAddress) -> UInt32?
  ) {
    self.clock = clock
    self.choice = choice
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
    let sorted = found.enumerated().sorted { left, right in
      Self.isMoreSpecific(left.element, right.element) ?? (left.offset < right.offset)
    }.map(\.element)
    guard Self.isMoreSpecific(sorted[0], sorted[1]) == nil else { return sorted.map { ($0.number, $0.reach) } }
    // Rules that tie: nobody but a person can say which entry it is (rule R21).
    guard let chosen = chosen(for: report.address), let entry = entries[chosen] else { return [] }
    return [(entry.number, entry.reach)]
  }

  /// nil when both say as much.
  private static func isMoreSpecific(_ left: Entry, _ right: Entry) -> Bool? {
    guard let a = left.specificity, let b = right.specificity, a < b || b < a else { return nil }
    return b < a
  }

  private func chosen(for address: BluetoothAddress) -> UInt32? {
    let now = clock.now
    let known = choices.withLock { $0.found[address] }
    if let known, now - known.time < Self.choiceLife { return known.choice }
    let found = choice(address)
    let isNews = choices.withLock { choices in
      if choices.found.count >= Self.maximumChoices { choices.found = [:] }
      choices.found[address] = (found, now)
      return found == nil && choices.told.count < Self.mostTold && choices.told.insert(address).inserted
    }
    if isNews {
      Self.log.warning(
        "\(address) may be several of the chosen peripherals; choose one with `meterhost meters set UUID --peripheral ID`"
      )
    }
    return found
  }
}
