public import BluetoothWire
package import MeterDrivers

/// What is known of the devices in the air: of each address its last advertisement, its last scan response, and the
/// entries of the catalogue that both together may come from.
///
/// A repeat of the same bytes, which nearly every report is, costs a comparison and no match. The memory is bounded: of
/// more addresses than the capacity the one that was silent for the longest time is forgotten.
public struct SeenAir: Sendable {
  /// How many addresses are remembered if nothing else is said.
  public static let defaultCapacity = 4096

  /// What a report has changed.
  public enum Change: Sendable, Hashable {
    /// Nothing: the same bytes again.
    case none
    /// The device says something else than before.
    case payload
    /// Nothing was known of this address.
    case first
  }

  /// What came of a report.
  public struct Hearing: Sendable, Hashable {
    /// What the report has changed.
    public let change: Change
    /// The entries that the device may be, by all that is known of its address.
    public let matches: AdvertisementMatches
    /// The address that was forgotten for this one.
    public let forgotten: BluetoothAddress?
  }

  /// A device in the air.
  public struct Sighting: Sendable, Hashable {
    /// Who it is.
    public let address: BluetoothAddress
    /// The strength of the last report that had one, in dBm.
    public fileprivate(set) var rssi: Int8?
    /// The data of the last advertisement; empty before one was heard.
    public fileprivate(set) var advertisement: [UInt8] = []
    /// The data of the last scan response; empty before one was heard.
    public fileprivate(set) var scanResponse: [UInt8] = []
    /// The entries that it may be.
    public fileprivate(set) var matches = AdvertisementMatches.none

    /// The structures of the advertisement, and behind them those of the scan response.
    public var advertisingData: AdvertisingData {
      AdvertisingData(
        AdvertisingData(parsing: advertisement).structures + AdvertisingData(parsing: scanResponse).structures)
    }

    /// The device as the catalogue's rules see it.
    package var device: SeenDevice { SeenDevice(advertisingData, address: address) }
  }

  /// A place of the memory, and its neighbours in the order of the last reports.
  private struct Slot {
    var sighting: Sighting
    var newer: Int?
    var older: Int?
  }

  private var index: AdvertisementIndex
  private let capacity: Int
  private var slots: [Slot] = []
  private var places: [BluetoothAddress: Int] = [:]
  private var newest: Int?
  private var oldest: Int?
  private var workspace = AdvertisementIndex.Workspace()

  /// Nothing heard yet.
  ///
  /// - Parameters:
  ///   - index: Knows the entries that are looked for.
  ///   - capacity: How many addresses are remembered, at least one.
  public init(index: AdvertisementIndex, capacity: Int = SeenAir.defaultCapacity) {
    self.index = index
    self.capacity = max(capacity, 1)
  }

  /// How many addresses are remembered.
  public var count: Int { slots.count }

  /// All that is remembered, the one that was heard last first.
  public var sightings: [Sighting] {
    Array(sequence(first: newest) { $0.flatMap { slots[$0].older } }.prefix { $0 != nil }.compactMap { $0 })
      .map { slots[$0].sighting }
  }

  /// What is known of an address.
  public func sighting(of address: BluetoothAddress) -> Sighting? { places[address].map { slots[$0].sighting } }

  /// Takes a report.
  public mutating func hear(_ report: AdvertisingReport) -> Hearing {
    guard let place = places[report.address] else { return remember(report) }
    touch(place)
    if report.rssi != Self.unknownStrength { slots[place].sighting.rssi = report.rssi }
    guard slots[place].sighting.take(report) else {
      return Hearing(change: .none, matches: slots[place].sighting.matches, forgotten: nil)
    }
    return Hearing(change: .payload, matches: match(place), forgotten: nil)
  }

  /// Goes on with other entries, such as those of a registry that has changed; what is remembered is matched anew.
  public mutating func use(_ index: AdvertisementIndex) {
    self.index = index
    for place in slots.indices { _ = match(place) }
  }

  /// HCI's value of a strength that was not measured (Core Vol 4 Part E 7.7.65.2).
  private static let unknownStrength: Int8 = 127
}

extension SeenAir {
  private mutating func remember(_ report: AdvertisingReport) -> Hearing {
    var sighting = Sighting(
      address: report.address, rssi: report.rssi == Self.unknownStrength ? nil : report.rssi)
    _ = sighting.take(report)
    let forgotten = slots.count == capacity ? forgetOldest() : nil
    let place = forgotten?.place ?? slots.count
    if forgotten == nil { slots.append(Slot(sighting: sighting)) } else { slots[place] = Slot(sighting: sighting) }
    places[report.address] = place
    link(place)
    return Hearing(change: .first, matches: match(place), forgotten: forgotten?.address)
  }

  /// Frees a place.
  private mutating func forgetOldest() -> (place: Int, address: BluetoothAddress)? {
    guard let place = oldest else { return nil }
    let address = slots[place].sighting.address
    unlink(place)
    places[address] = nil
    return (place, address)
  }

  private mutating func match(_ place: Int) -> AdvertisementMatches {
    let matches = index.matches(
      slots[place].sighting.advertisement, slots[place].sighting.scanResponse, &workspace)
    slots[place].sighting.matches = matches
    return matches
  }

  /// Makes an address the one that was heard last.
  private mutating func touch(_ place: Int) {
    guard newest != place else { return }
    unlink(place)
    link(place)
  }

  private mutating func link(_ place: Int) {
    (slots[place].newer, slots[place].older) = (nil, newest)
    if let newest { slots[newest].newer = place } else { oldest = place }
    newest = place
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (slots[place].newer, slots[place].older)
    if let newer { slots[newer].older = older } else { newest = older }
    if let older { slots[older].newer = newer } else { oldest = newer }
  }
}

extension SeenAir.Sighting {
  /// Keeps a report's data, as much of them as is parsed; false when they are the ones that are kept.
  fileprivate mutating func take(_ report: AdvertisingReport) -> Bool {
    let isLong = report.data.count > AdvertisingData.maximumLength
    let data = isLong ? Array(report.data.prefix(AdvertisingData.maximumLength)) : report.data
    if report.eventType == .scanResponse {
      guard scanResponse != data else { return false }
      scanResponse = data
    } else {
      guard advertisement != data else { return false }
      advertisement = data
    }
    return true
  }
}
