import BluetoothWire
import HostPrimitives
import Synchronization

/// The meters that one read hears: what each sent last, and who has fallen silent.
///
/// Every change of a payload reaches the meter's session, a repeat of the same bytes does not. The payload of a scan
/// response is compared with scan responses only: both take turns on the air.
final class AdvertisingMeters: Sendable {
  /// What is to be done with a report.
  enum Finding {
    /// A session begins on this link, which has the report already; `shown` is the one by which the meter was recognised.
    case opens(AdvertisementLink, shown: AdvertisingReport)
    /// It was handed on, or is of no interest.
    case nothing
    /// A meter that fits, and there is no room for one more session.
    case noRoom
  }

  private enum Stage {
    case session(AdvertisementLink)
    /// Its session has ended with a reading that is known already: a change of its payload may be a new one.
    case known
    /// Nothing more of it is wanted.
    case over
  }

  private struct Meter {
    var stage: Stage
    /// The report that showed what it is; its other payloads need not.
    let shown: AdvertisingReport
    var lastHeard: HostInstant
    var isSilent = false
    /// Data of the last advertisement and of the last scan response.
    var payloads: [Bool: [UInt8]] = [:]

    /// Whether something may come of it yet.
    var isAwaited: Bool {
      if case .over = stage { false } else { true }
    }

    mutating func isChange(_ report: AdvertisingReport) -> Bool {
      let isResponse = report.eventType == .scanResponse
      guard payloads[isResponse] != report.data else { return false }
      payloads[isResponse] = report.data
      return true
    }
  }

  /// Most sessions at a time, and most addresses that are remembered.
  static let (maximumSessions, maximumMeters) = (16, 1024)

  private let holdOff: Duration
  private let clock: any HostClock
  private let fits: @Sendable (AdvertisingReport) -> Bool
  private let meters = Mutex<[BluetoothAddress: Meter]>([:])

  /// - Parameter fits: Whether a report shows a meter that is wanted.
  init(holdOff: Duration, clock: any HostClock, fits: @escaping @Sendable (AdvertisingReport) -> Bool) {
    self.holdOff = holdOff
    self.clock = clock
    self.fits = fits
  }

  /// Takes a report.
  func hear(_ report: AdvertisingReport, at now: HostInstant) -> Finding {
    meters.withLock { meters in
      guard var meter = meters[report.address] else { return open(report, now, fits(report), &meters) }
      defer { meters[report.address] = meter }
      meter.lastHeard = now
      let isChange = meter.isChange(report)
      switch meter.stage {
      case .session(let link):
        if isChange { link.hear(report) }
        return .nothing
      case .known: return isChange ? .opens(begin(with: [report], &meter), shown: meter.shown) : .nothing
      case .over: return .nothing
      }
    }
  }

  /// A session has ended, and nothing more is wanted of its meter.
  func ended(_ address: BluetoothAddress) { meters.withLock { $0[address]?.stage = .over } }

  /// A session has ended with a reading that is known already.
  ///
  /// - Parameter unread: What the meter sent since.
  /// - Returns: the report that showed the meter and the link of the next session, if there is reason for one by now.
  func endedKnown(
    _ address: BluetoothAddress, unread: [AdvertisingReport]
  ) -> (report: AdvertisingReport, link: AdvertisementLink)? {
    meters.withLock { meters in
      guard var meter = meters[address] else { return nil }
      defer { meters[address] = meter }
      meter.stage = meter.isSilent ? .over : .known
      guard !unread.isEmpty else { return nil }
      let link = begin(with: unread, &meter)
      if meter.isSilent { link.fallSilent() }
      return (meter.shown, link)
    }
  }

  /// Ends the links of all that have been silent for the hold-off time.
  func dropSilent(at now: HostInstant) {
    meters.withLock { meters in
      for (address, meter) in meters where !meter.isSilent && now - meter.lastHeard >= holdOff {
        drop(address, &meters)
      }
    }
  }

  /// Ends all links: nothing can be heard any more.
  func dropAll() { meters.withLock { meters in for address in Array(meters.keys) { drop(address, &meters) } } }

  /// When somebody may have fallen silent next; nil when nobody is being heard.
  var nextSilence: HostInstant? {
    meters.withLock { meters in
      meters.values.filter { $0.isAwaited && !$0.isSilent }.map(\.lastHeard).min().map { $0 + holdOff }
    }
  }

  /// Whether nothing can come any more of those that were heard.
  var isQuiet: Bool { meters.withLock { meters in !meters.values.contains(where: \.isAwaited) } }

  private func begin(with reports: [AdvertisingReport], _ meter: inout Meter) -> AdvertisementLink {
    let link = AdvertisementLink(clock: clock)
    for report in reports { link.hear(report) }
    meter.stage = .session(link)
    return link
  }

  private func open(
    _ report: AdvertisingReport, _ now: HostInstant, _ fits: Bool, _ meters: inout [BluetoothAddress: Meter]
  ) -> Finding {
    guard fits else { return .nothing }
    guard meters.count < Self.maximumMeters, meters.values.filter(\.isAwaited).count < Self.maximumSessions else {
      return .noRoom
    }
    var meter = Meter(stage: .over, shown: report, lastHeard: now)
    _ = meter.isChange(report)
    defer { meters[report.address] = meter }
    return .opens(begin(with: [report], &meter), shown: report)
  }

  private func drop(_ address: BluetoothAddress, _ meters: inout [BluetoothAddress: Meter]) {
    meters[address]?.isSilent = true
    switch meters[address]?.stage {
    case .session(let link): link.fallSilent()
    case .known: meters[address]?.stage = .over
    case .over, nil: break
    }
  }
}
