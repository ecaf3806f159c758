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
    /// Its session has ended before a reading came: a change of its payload may bring one, from this moment on.
    case stalled(until: HostInstant)
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
    /// How many of its sessions have stalled, and what it has said while the next one had to wait.
    var stalls = 0
    var missed: [AdvertisingReport] = []
    /// How many of its sessions had nothing to wait for behind what was heard.
    var lastSessions = 0

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
  /// The pause before another session doubles up to sixteen seconds.
  private static let longestPauseExponent = 4
  /// Most sessions of a meter with what was heard of it, when its time is over.
  private static let mostLastSessions = 4

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
      case .stalled(let until):
        if isChange { meter.missed = meter.missed.suffix(AdvertisementLink.maximumWaiting - 1) + [report] }
        guard now >= until, !meter.missed.isEmpty else { return .nothing }
        return .opens(begin(with: meter.missed, &meter), shown: meter.shown)
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
  func endedKnown(_ address: BluetoothAddress, unread: [AdvertisingReport]) -> Opening? {
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

  /// A session has ended before a reading came. Its meter may begin another one when it says something else: at once the first
  /// time, and then after a pause that doubles, because a driver that fails at every change must not keep the host busy.
  ///
  /// - Parameters:
  ///   - unread: What the meter sent since.
  ///   - isLate: The time for another session is over, but for what was heard in it.
  /// - Returns: As ``endedKnown(_:unread:)``.
  func endedStalled(
    _ address: BluetoothAddress, unread: [AdvertisingReport], at now: HostInstant, isLate: Bool = false
  ) -> Opening? {
    meters.withLock { meters in
      guard var meter = meters[address] else { return nil }
      defer { meters[address] = meter }
      // It is gone, or nobody waits for it: there is nothing that could bring more but what was heard.
      if meter.isSilent || isLate { return lastSession(with: unread, &meter) }
      meter.stalls += 1
      let pause = meter.stalls == 1 ? Duration.zero : .seconds(1 << min(meter.stalls - 2, Self.longestPauseExponent))
      meter.stage = .stalled(until: now + pause)
      meter.missed = unread
      guard pause == .zero, !unread.isEmpty else { return nil }
      return (meter.shown, begin(with: unread, &meter))
    }
  }

  /// The time for another session of a meter that has stalled is over.
  ///
  /// - Returns: The last sessions of those that had something to say while they had to wait.
  func giveUpStalled() -> [Opening] {
    meters.withLock { meters in
      meters.keys.compactMap { address in
        guard var meter = meters[address], case .stalled = meter.stage else { return nil }
        defer { meters[address] = meter }
        return lastSession(with: meter.missed, &meter)
      }
    }
  }

  /// A session that begins: the report that showed its meter, and its link.
  typealias Opening = (report: AdvertisingReport, link: AdvertisementLink)

  /// Ends the links of all that have been silent for the hold-off time.
  ///
  /// - Returns: The last sessions of those that had something to say while they had to wait.
  func dropSilent(at now: HostInstant) -> [Opening] {
    meters.withLock { meters in
      let silent = meters.filter { !$0.value.isSilent && now - $0.value.lastHeard >= holdOff }.keys
      return silent.compactMap { drop($0, &meters) }
    }
  }

  /// Ends all links: nothing can be heard any more.
  ///
  /// - Returns: As ``dropSilent(at:)``.
  func dropAll() -> [Opening] {
    meters.withLock { meters in Array(meters.keys).compactMap { drop($0, &meters) } }
  }

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
    meter.missed = []
    meter.stage = .session(link)
    return link
  }

  /// A session with what was heard, behind which nothing is waited for. A driver that fails at one of the reports has another with the
  /// rest of them, a few times.
  private func lastSession(with reports: [AdvertisingReport], _ meter: inout Meter) -> Opening? {
    guard !reports.isEmpty, meter.lastSessions < Self.mostLastSessions else {
      meter.missed = []
      meter.stage = .over
      return nil
    }
    meter.lastSessions += 1
    let link = begin(with: reports, &meter)
    link.fallSilent()
    return (meter.shown, link)
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

  private func drop(_ address: BluetoothAddress, _ meters: inout [BluetoothAddress: Meter]) -> Opening? {
    guard var meter = meters[address] else { return nil }
    defer { meters[address] = meter }
    meter.isSilent = true
    switch meter.stage {
    case .session(let link): link.fallSilent()
    case .stalled: return lastSession(with: meter.missed, &meter)
    case .known: meter.stage = .over
    case .over: break
    }
    return nil
  }
}
