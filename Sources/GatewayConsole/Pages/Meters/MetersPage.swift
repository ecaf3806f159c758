import GatewayAPI

/// The meters that this gateway knows.
struct MetersPage: ConsolePage {
  static let template = PageTemplate.meters
  static let area: PageArea? = .meters

  /// By what the list is sorted.
  enum Order: String, Sendable, Hashable, CaseIterable {
    case name, kind, seen, read, battery

    var label: String {
      switch self {
      case .name: "name"
      case .kind: "kind"
      case .seen: "last seen"
      case .read: "last read"
      case .battery: "battery"
      }
    }
  }

  /// What is told beside the meters; what could not be asked is left away.
  struct Surroundings: Sendable {
    var catalogue: [PeripheralDescription] = []
    var passive: PassiveDescription?
    var radios: RadioDescription?
  }

  struct Sort: Sendable {
    let path: String
    let label: String
    let isCurrent: Bool
  }

  let title = "Meters"
  let rows: [MeterRow]
  let isEmpty: Bool
  let count: String
  let search: String
  let sorts: [Sort]
  let sightings: [SightingRow]
  let hasLooked: Bool
  let isNothingHeard: Bool
  let radios: [RadioRow]
  let hasRadios: Bool

  /// The most lines of a page.
  static let most = 200

  init(
    _ meters: [KnownMeterDescription], search: String, order: Order, heard: [SightingDescription]?,
    beside surroundings: Surroundings = Surroundings(), times: LocalTimes
  ) {
    let pictures = surroundings.pictures
    let wanted = meters.filter { Self.fits($0, search) }.sorted { Self.isBefore($0, $1, order) }
    rows = wanted.prefix(Self.most).map { meter in
      MeterRow(meter, picture: meter.peripheral.flatMap { pictures[$0] }, passive: surroundings.passive, times: times)
    }
    isEmpty = wanted.isEmpty
    let shown = wanted.count > Self.most ? "; the first \(Self.most) are shown, search for others" : ""
    count = "\(wanted.count) of \(meters.count) meters\(shown)"
    self.search = search.clipped
    sorts = Order.allCases.map {
      Sort(path: "/meters?sort=\($0.rawValue)", label: $0.label, isCurrent: $0 == order)
    }
    let known = Dictionary(meters.compactMap { meter in meter.address.map { ($0, meter) } }) { first, _ in first }
    sightings = (heard ?? []).sorted { ($0.rssi ?? -200) > ($1.rssi ?? -200) }.map {
      SightingRow($0, known: known[$0.address], pictures: pictures)
    }
    radios = RadioRow.all(surroundings.radios, meters: meters)
    hasRadios = !radios.isEmpty
    hasLooked = heard != nil
    isNothingHeard = heard?.isEmpty ?? false
  }

  private static func fits(_ meter: KnownMeterDescription, _ search: String) -> Bool {
    guard !search.isEmpty else { return true }
    let texts = [meter.name, meter.peripheralName, meter.address, meter.uuid] + meter.assigned.map { $0.user }
    return texts.contains { $0?.lowercased().contains(search.lowercased()) ?? false }
  }

  private static func isBefore(_ one: KnownMeterDescription, _ other: KnownMeterDescription, _ order: Order) -> Bool {
    switch order {
    case .name: (one.name, one.uuid) < (other.name, other.uuid)
    case .kind: (one.peripheralName ?? "", one.name) < (other.peripheralName ?? "", other.name)
    // The newest first; those that nobody has heard last.
    case .seen: (one.lastSeen ?? "", other.name) > (other.lastSeen ?? "", one.name)
    case .read: (one.lastRead ?? "", other.name) > (other.lastRead ?? "", one.name)
    // The emptiest first; those that say nothing last.
    case .battery:
      (one.battery?.percent ?? .max, one.name, one.uuid) < (other.battery?.percent ?? .max, other.name, other.uuid)
    }
  }
}

extension MetersPage.Surroundings {
  /// Where the pictures of meters that speak over the radio are, by their kind.
  var pictures: [UInt32: String] {
    let entries = catalogue.filter { $0.kind == MeterPictureName.Catalogue.bluetooth.rawValue }
    return Dictionary(entries.compactMap { entry in MeterFace.picture(entry).map { (entry.id, $0) } }) { first, _ in
      first
    }
  }
}

/// A known meter as a line.
struct MeterRow: Sendable {
  let name: String
  /// Where the picture of its kind is.
  let picture: String?
  let path: String
  let kind: String
  let owner: String
  let paired: String
  let seen: String
  let read: String
  let age: String?
  /// Whether it is read without anybody asking.
  let passive: String
  /// How full its battery was; empty where it has never said so.
  let battery: String
  /// When it said so.
  let batteryAge: String?
  /// Whether the battery should be changed soon.
  let isLow: Bool
  let firmware: String

  init(
    _ meter: KnownMeterDescription, picture: String? = nil, passive: PassiveDescription? = nil, times: LocalTimes
  ) {
    self.picture = picture
    self.passive = Self.passive(meter, passive)
    name = meter.name.clipped(to: 120)
    path = "/meters/\(meter.uuid.clipped)"
    kind = meter.peripheralName?.clipped ?? meter.peripheral.map { "peripheral \($0)" } ?? "unknown"
    owner = Self.owner(meter)
    paired = meter.paired == nil ? "no" : "yes"
    seen = times.text(meter.lastSeen, else: "unknown")
    read = times.text(meter.lastRead, else: "never")
    age = meter.lastRead.flatMap { times.age($0) }
    battery = meter.battery.map { "\($0.percent) %" } ?? ""
    batteryAge = meter.battery.flatMap { times.age($0.told) }
    isLow = meter.battery.map { $0.percent <= Self.low } ?? false
    firmware = Self.firmware(meter) ?? ""
  }

  /// At so many percent a battery is low.
  private static let low = 15

  /// How full the battery was, and when the meter said so; nil where it never has.
  static func battery(_ meter: KnownMeterDescription, _ times: LocalTimes) -> String? {
    meter.battery.map { "\($0.percent) %, told at \(times.text($0.told))" }
  }

  static func firmware(_ meter: KnownMeterDescription) -> String? { meter.firmware?.clipped(to: 80) }

  /// What is chosen for the meter's kind.
  static func passive(_ meter: KnownMeterDescription, _ passive: PassiveDescription?) -> String {
    guard let passive else { return "unknown" }
    guard let entry = passive.peripherals.first(where: { $0.peripheral == meter.peripheral }) else { return "no" }
    if passive.problem != nil || !passive.isRunning { return "chosen, but not at the moment" }
    return entry.passive == "unreliable" ? "yes, with gaps" : "yes"
  }

  static func owner(_ meter: KnownMeterDescription) -> String {
    let owners = meter.assigned.map { owner in
      owner.user + (owner.slot.map { " (the meter's user \($0))" } ?? "")
    }
    return owners.isEmpty ? "nobody" : owners.joined(separator: ", ").clipped
  }
}

/// A meter in the air as a line.
struct SightingRow: Sendable {
  let name: String
  let known: String?
  let address: String
  let strength: String
  let kinds: String
  /// The entry to pair it as; nil where it is none that is known.
  let peripheral: String?
  let isPaired: Bool
  /// Where the picture of what it seems to be is.
  let picture: String?

  init(
    _ sighting: SightingDescription, known meter: KnownMeterDescription?, pictures: [UInt32: String] = [:]
  ) {
    name = sighting.name?.clipped(to: 120) ?? "without a name"
    known = meter.map { "known here as \($0.name)".clipped }
    address = sighting.address.clipped
    strength = sighting.rssi.map { "\($0) dBm" } ?? "unknown"
    kinds =
      sighting.entries.isEmpty
      ? "no meter of the catalogue"
      : sighting.entries.map { $0.reason == .notRead ? "\($0.name), which is not read" : $0.name }
        .joined(separator: " or ").clipped
    let entry = sighting.entries.first { $0.reason == .chosen || $0.reason == .fits } ?? sighting.entries.first
    peripheral = entry.flatMap { $0.reason == .notRead ? nil : "\($0.id)" }
    isPaired = sighting.paired
    picture = entry.flatMap { pictures[$0.id] }
  }
}

/// The list of meters as a file for a spreadsheet (RFC 4180).
enum MeterTable {
  static func csv(_ meters: [KnownMeterDescription]) -> String {
    let head = [
      "uuid", "name", "peripheral", "kind", "address", "paired", "owner", "first_seen", "last_seen", "last_read",
      "battery_percent", "battery_told", "firmware",
    ]
    let rows = meters.map { (meter: KnownMeterDescription) -> [String] in
      let level: String = meter.battery.map { "\($0.percent)" } ?? ""
      let told: [String] = [level, meter.battery?.told ?? "", meter.firmware ?? ""]
      let known: [String] = [
        meter.uuid, meter.name, meter.peripheral.map { "\($0)" } ?? "", meter.peripheralName ?? "",
        meter.address ?? "", meter.paired?.since ?? "", meter.assigned.map(\.user).joined(separator: " "),
        meter.firstSeen ?? "", meter.lastSeen ?? "", meter.lastRead ?? "",
      ]
      return known + told
    }
    return ([head] + rows).map { $0.map(cell).joined(separator: ",") + "\r\n" }.joined()
  }

  /// In quotes; what a spreadsheet would take for a formula is a text.
  private static func cell(_ text: String) -> String {
    let line = text.clipped(to: 1000)
    // By scalars: a mark that joins a sign does not hide it from a spreadsheet.
    let isFormula = line.unicodeScalars.first.map { "=+-@\t".unicodeScalars.contains($0) } ?? false
    let quote: Unicode.Scalar = "\""
    let quoted = line.unicodeScalars.split(separator: quote, omittingEmptySubsequences: false).map { String($0) }
    return "\"" + (isFormula ? "'" : "") + quoted.joined(separator: "\"\"") + "\""
  }
}
