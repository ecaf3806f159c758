import GatewayAPI

/// The drivers, whom they are from, and what was found against them.
struct DriversPage: ConsolePage {
  static let template = PageTemplate.drivers
  static let area: PageArea? = .drivers

  struct Offence: Sendable {
    let text: String
    let reason: String
    let state: String
    let mark: String
  }

  struct Driver: Sendable {
    let id: String
    let version: String
    let vendor: String
    let license: String
    let trust: String
    let state: String
    let mark: String
    /// The first meters that it reads, and the others behind a click.
    let meters: [MeterFace]
    let hasMeters: Bool
    let moreMeters: [MeterFace]
    let more: String?
    /// The version that a way back leads to; nil where there is none.
    let previous: String?
    /// What the host has done with its package by itself.
    let note: String?
    let offences: [Offence]
    /// Where its forms go.
    let action: String
  }

  /// What a source offers for an installed package.
  struct Offer: Sendable {
    let package: String
    let versions: String
    /// The version that can be installed from here; nil: there is none.
    let version: String?
    let standing: String
    let reason: String?
    let changelog: String?
    let revoked: String?
  }

  let title = "Drivers"
  let offers: [Offer]
  /// Whether somebody has looked for updates.
  let hasLooked: Bool
  let isWithoutOffers: Bool
  /// Whether the host installs by itself what is available.
  let isAutomatic: Bool
  /// What was wrong with sources.
  let problems: [String]
  /// The update that is being installed, or was last.
  let current: String?
  let lines: [String]
  let isRunning: Bool
  let end: String?
  let endHint: String?
  let endKind: String
  let drivers: [Driver]
  /// Those against which something was found: above all others.
  let suspects: [Driver]
  let hasSuspects: Bool
  let isEmpty: Bool

  /// So many meters stand in a driver's row.
  private static let shown = 3

  init(
    _ installed: [InstalledDriver], catalogue: [PeripheralDescription], offences: [OffenceDescription],
    updates: DriverUpdateCheck?, current conversation: Conversation? = nil, times: LocalTimes
  ) {
    let shown = conversation?.shown
    current = conversation?.title.clipped
    lines = shown?.lines ?? []
    isRunning = conversation != nil && shown?.end == nil
    (end, endHint, endKind) = (shown?.end?.text, shown?.end?.hint, shown?.end?.kind ?? "")
    offers = (updates?.offers ?? []).map(Self.offer)
    hasLooked = updates != nil
    isWithoutOffers = updates?.offers.isEmpty ?? false
    isAutomatic = updates?.isAutomatic ?? false
    problems = (updates?.sources ?? []).compactMap { source in
      source.problem.map { "\(source.source): \($0.message)".clipped(to: 400) }
    }
    let read = Dictionary(grouping: catalogue.filter { !$0.disabled }) { $0.driver ?? "" }
    drivers = installed.map { driver in
      Self.driver(driver, read[driver.id] ?? [], offences.filter { $0.driver == driver.id }, times)
    }
    suspects = drivers.filter { !$0.offences.isEmpty }
    hasSuspects = !suspects.isEmpty
    isEmpty = installed.isEmpty
  }

  private static func offer(_ offer: DriverOfferDescription) -> Offer {
    Offer(
      package: offer.package.clipped,
      versions: offer.installed.clipped + (offer.version.map { " to \($0.clipped)" } ?? ""),
      version: ["available", "staged", "gone_back"].contains(offer.standing) ? offer.version?.clipped : nil,
      standing: offer.standing.replacing("_", with: " ").clipped, reason: offer.reason?.clipped,
      changelog: offer.changelog?.clipped(to: 2000), revoked: offer.revoked?.clipped)
  }

  /// What changes with an offer, in the publisher's words.
  static func changes(_ offer: DriverOfferDescription) -> [String] {
    let lines = (offer.changelog ?? "").split(whereSeparator: \.isNewline).map { String($0).clipped(to: 200) }
    return Array(lines.prefix(20)) + (lines.count > 20 ? ["…"] : [])
  }

  private static func driver(
    _ driver: InstalledDriver, _ entries: [PeripheralDescription], _ offences: [OffenceDescription],
    _ times: LocalTimes
  ) -> Driver {
    let isAside = offences.contains { $0.state == .quarantined || $0.state == .setAside }
    let trust: String
    if let publisher = driver.publisher {
      trust = driver.signedBy.isEmpty ? "\(publisher), not signed" : "\(publisher), signed"
    } else {
      trust = driver.package == nil ? "part of this installation" : "not signed"
    }
    let left = entries.count - shown
    return Driver(
      id: driver.id.clipped, version: driver.version.clipped, vendor: driver.vendor.clipped,
      license: driver.license.clipped, trust: trust.clipped,
      state: !driver.isEnabled ? "switched off" : isAside ? "not used" : "in use",
      mark: !driver.isEnabled ? "waits" : isAside ? "failed" : "works",
      meters: entries.prefix(shown).map { MeterFace($0) }, hasMeters: !entries.isEmpty,
      moreMeters: entries.dropFirst(shown).prefix(60).map { MeterFace($0) }, more: left > 0 ? "\(left) more" : nil,
      previous: driver.previous?.clipped, note: driver.note?.clipped(to: 600),
      offences: offences.map { Self.offence($0, times) }, action: "/drivers/\(driver.id.clipped)")
  }

  private static func offence(_ offence: OffenceDescription, _ times: LocalTimes) -> Offence {
    let meter = offence.meter.map { " with the meter \($0)" } ?? ""
    let until = offence.until.map { ", until \(times.text($0))" } ?? ""
    let words =
      switch offence.state {
      case .quarantined: "in quarantine"
      case .setAside: "set aside\(until)"
      case .over: "used again"
      case .noted: "noted"
      default: offence.state.rawValue
      }
    return Offence(
      text: "\(words)\(meter): \(offence.count) times, last \(times.text(offence.last))".clipped(to: 400),
      reason: (offence.message + (offence.rule.map { " [rule \($0)]" } ?? "")).clipped(to: 600), state: words.clipped,
      mark: offence.state == .quarantined || offence.state == .setAside ? "failed" : "")
  }
}
