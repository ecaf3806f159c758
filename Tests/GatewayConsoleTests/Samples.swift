import Foundation
import GatewayAPI

@testable import GatewayConsole

/// Values of the control interface as a hostile world would have them.
enum Samples {
  static let times = LocalTimes(zone: TimeZone(secondsFromGMT: 7200) ?? .gmt, now: 1_772_352_000_000_000)
  /// Markup, quotes, a mark that turns the direction of reading, and very much of it.
  static let hostile = "<script>alert(1)</script>\"'&{{token}}\u{202E}" + String(repeating: "long ", count: 500)

  static func item(_ number: Int, state: String = "held", reason: String? = "clock_suspect", text: String = "x")
    -> QueueItem
  {
    let id = "0b0c7d5e-2a53-4f0e-9a77-\(String(number + 0x1_0000_0000_0000, radix: 16).suffix(12))"
    let reading = ReadingDescription(
      logID: id, revision: 1, type: "diabetes", time: "2026-03-01T08:00:00Z",
      values: [
        ReadingDescription.Value(metric: "blood_glucose", value: 5.4, reported: "5.40", unit: "mmol/L"),
        ReadingDescription.Value(metric: "meal_relation", value: 1, reported: "1", unit: "1", word: "fasting"),
      ], notes: [ReadingDescription.Note(field: "note", text: text)], model: text, peripheral: 1000, state: state,
      reason: reason)
    return QueueItem(
      position: Int64(number), logID: id, name: id, revision: 1, sink: "inform", state: state, reason: reason,
      attempts: 2, lastError: text, reading: reading)
  }

  static func meter(_ text: String = "Meter") -> KnownMeterDescription {
    KnownMeterDescription(
      uuid: "6f1d1c0e-0000-4000-8000-000000000001", name: text, peripheral: 1000, peripheralName: text,
      address: "C0:26:DF:00:00:01",
      assigned: [KnownMeterDescription.Assignment(user: text, organization: "o")], lastSeen: "2026-03-01T08:00:00Z",
      battery: KnownMeterDescription.Battery(percent: 12, told: "2026-03-01T07:00:00Z"), firmware: text,
      settings: KnownMeterDescription.Settings(syncClock: true, holdOff: 60))
  }

  static func radios(_ text: String = "hci0", meters: [String] = ["C0:26:DF:00:00:01"]) -> RadioDescription {
    RadioDescription(adapters: [
      RadioDescription.Adapter(name: text, isUp: true, slots: 4, connections: meters.count, meters: meters)
    ])
  }

  static func sink(
    _ text: String = "https://receiver.example", acknowledgement: String? = nil, keepsContent: Int? = nil
  ) -> SinkReport {
    SinkReport(
      sink: SinkDescription(
        name: "inform", role: "session", kind: "inform", receiver: text, format: nil, token: "validated", paused: false,
        acknowledgement: acknowledgement ?? text, keepsContent: keepsContent),
      setting: ["receiver": .text(text)], queue: ["pending": 3, "held": 1], wait: nil,
      lastSuccess: "2026-03-01T08:00:00Z", lastError: SinkDescription.Failure(time: "2026-03-01T07:00:00Z", text: text),
      clockSkew: 300)
  }

  static func logLine(_ text: String = "a session begins", _ number: Int = 1, level: String = "warning")
    -> LogLineDescription
  {
    LogLineDescription(
      number: number, time: "2026-03-01T08:00:00Z", level: level, area: "bluetooth", message: text,
      fields: ["driver": text])
  }

  static let limits = QueueLimitsDescription(usedRecords: 1, usedBytes: 100, records: 1000, bytes: 1 << 30)

  static func queue(_ items: [QueueItem]) -> QueueListRequest.Answer {
    QueueListRequest.Answer(items: items, paused: false, limits: limits)
  }

  static func driver(_ text: String = "org.example.meter") -> InstalledDriver {
    InstalledDriver(
      id: text, version: "1.1.0", vendor: text, license: "MIT", family: "f", library: "l", abi: "1.0",
      capabilities: [], peripherals: [1000], file: "f", package: "p", previous: "1.0.0", publisher: text,
      signedBy: ["k"], isEnabled: true)
  }

  /// An entry of the catalogue with a picture.
  static func entry(
    _ id: UInt32 = 1000, kind: String = "bluetooth", name: String = "Meter", driver: String? = "org.example.meter"
  ) -> PeripheralDescription {
    PeripheralDescription(
      id: id, kind: kind, generic: false, name: name, manufacturer: name, model: name, type: "glucose_meter",
      requiresPairing: true, pairingInstructions: name, instructions: name, readingInstructions: name,
      imageURL: "pictures/\(id).svg",
      picture: PeripheralDescription.Picture(file: "/x/\(id).svg", mediaType: "image/svg+xml"), disabled: false,
      connectionKind: "connect", supportedSince: "0.1.0", maturity: "beta", storedHistory: true, passive: "yes",
      announcesBeforeMeasurement: false, approvalNeeded: false, credentials: [], driver: driver, services: [])
  }

  static func updates(_ text: String) -> DriverUpdateCheck {
    var offer = DriverOfferDescription(package: text, installed: "1.0.0", standing: "available", source: text)
    (offer.version, offer.reason, offer.changelog, offer.revoked) = ("1.1.0", text, text, text)
    return DriverUpdateCheck(offers: [offer], revoked: [], sources: [], isAutomatic: true)
  }

  static func offence(_ text: String = "org.example.meter") -> OffenceDescription {
    OffenceDescription(
      driver: text, bundle: "b", meter: text, state: .quarantined, count: 3, first: "2026-03-01T08:00:00Z",
      last: "2026-03-01T08:00:00Z", code: "driver_fault", rule: "R20", message: text)
  }

  static func html(_ page: some ConsolePage, notice: PageNotice? = nil) throws -> String {
    let session = ConsoleSession(cookie: "c", formToken: "form-token")
    let frame = PageFrame(
      title: page.title, area: type(of: page).area, session: session, notice: notice, times: times, version: "1.2.3")
    return try PageRenderer().html(page, in: frame)
  }
}
