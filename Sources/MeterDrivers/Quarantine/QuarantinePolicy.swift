import DriverContract
package import MeterCore

/// Who is set aside after a fault of a driver, and for how long (rule R24): a pure function of what is known.
///
/// Meters decide little here, because anybody can put a radio on the air and call it a meter. A fault counts against the
/// pair of bundle and meter. Only what no meter can cause counts against the bundle: it fails without any, or with three
/// meters of which each has brought readings before; all others together count as one.
package struct QuarantinePolicy: Sendable, Hashable {
  /// What a fault is due to.
  package enum Cause: Sendable, Hashable {
    /// The bundle fails by itself: when it is loaded, or opened without anything of a meter.
    case bundle
    /// It failed in a session with this meter.
    case meter(OffendedMeter)
  }

  /// What stands in the way of a session.
  package enum Verdict: Sendable, Hashable {
    /// Nothing.
    case free
    /// This meter is not read with this bundle until then, microseconds since 1970-01-01T00:00Z.
    case pairSetAside(DriverOffence, untilMicroseconds: Int64)
    /// The bundle is not used at all until somebody lifts it.
    case bundleSetAside(DriverOffence)
  }

  private static let hour: Int64 = 3_600_000_000
  /// The longest that a pair is set aside: a week.
  static let longest = 7 * 24 * hour
  /// Offences that are older are forgotten.
  static let memory = 30 * 24 * hour
  /// How far a clock may have been set back without anything being made of it.
  static let jitter = hour
  /// Meters that have never brought a reading and are remembered for one bundle; together they count as one anyway.
  static let mostStrangers = 64
  /// Meters with which a bundle fails until it is set aside itself.
  static let mostMeters = 3

  /// The policy.
  package init() {}

  /// Whether a fault is the driver's at all. A worker that was killed from outside says nothing about it.
  package func isOffence(_ fault: DriverFault) -> Bool { fault.isDrivers && fault.code != .killed }

  /// Whether a session may begin.
  ///
  /// - Parameters:
  ///   - offences: Those of the bundle.
  ///   - meter: The meter's key; nil: which one is not known yet.
  ///   - now: Microseconds since 1970-01-01T00:00Z by this machine's clock.
  package func verdict(on offences: [DriverOffence], meter: String?, now: Int64) -> Verdict {
    if let own = offences.first(where: { $0.meter == nil && $0.setAsideMicroseconds != nil }) {
      return .bundleSetAside(own)
    }
    guard let meter, let pair = offences.first(where: { $0.meter?.key == meter }),
      let since = pair.setAsideMicroseconds, let until = pair.untilMicroseconds
    else { return .free }
    // By a clock that was set back far, nobody knows how much of the time is left: none, before it becomes years.
    guard now > since - Self.jitter else { return .free }
    return until > now ? .pairSetAside(pair, untilMicroseconds: until) : .free
  }

  /// What is known after a fault.
  package func offences(
    _ before: [DriverOffence], after fault: DriverFault, bundle: String, cause: Cause, recording: String?, now: Int64
  ) -> [DriverOffence] {
    var offences = remembered(before, now)
    switch cause {
    case .bundle:
      note(fault, bundle, nil, recording, now, &offences)
    case .meter(let meter):
      note(fault, bundle, meter, recording, now, &offences)
      if witnesses(offences) >= Self.mostMeters { note(fault, bundle, nil, recording, now, &offences) }
    }
    return offences
  }

  /// What is known after a session with a meter that ended as it should: the next offence is the first again.
  package func offences(_ before: [DriverOffence], afterSuccessWith meter: String) -> [DriverOffence] {
    before.filter { $0.meter?.key != meter }
  }

  /// What counts still: what keeps the bundle away, absences that last, and what is not older than ``memory``, or as far in a
  /// future that the clock has left again.
  private func remembered(_ offences: [DriverOffence], _ now: Int64) -> [DriverOffence] {
    let kept = offences.filter { offence in
      guard offence.meter != nil else { return true }
      return (now - Self.memory..<now + Self.memory).contains(offence.lastMicroseconds)
    }
    let strangers = kept.filter { $0.meter?.isKnown == false }.sorted { $0.lastMicroseconds > $1.lastMicroseconds }
    // Room for one more.
    let gone = Set(strangers.dropFirst(Self.mostStrangers - 1).compactMap(\.meter?.key))
    return kept.filter { !gone.contains($0.meter?.key ?? "") }
  }

  private func note(
    _ fault: DriverFault, _ bundle: String, _ meter: OffendedMeter?, _ recording: String?, _ now: Int64,
    _ offences: inout [DriverOffence]
  ) {
    let known = offences.firstIndex { $0.meter?.key == meter?.key }
    var offence =
      known.map { offences[$0] }
      ?? DriverOffence(
        bundle: bundle, driver: fault.driver, meter: meter, count: 0, firstMicroseconds: now, lastMicroseconds: now,
        code: "", rule: nil, message: "")
    offence.count += 1
    offence.meter = meter
    offence.lastMicroseconds = now
    (offence.code, offence.rule, offence.message) = (fault.code.rawValue, fault.rule, fault.message)
    offence.recording = recording
    if meter == nil {
      offence.setAsideMicroseconds = offence.setAsideMicroseconds ?? now
    } else if offence.count >= 2 {
      offence.setAsideMicroseconds = now
      offence.untilMicroseconds = now + Self.absence(offence.count)
    }
    if let known { offences[known] = offence } else { offences.append(offence) }
  }

  /// An hour after the second offence, doubled with every further one.
  static func absence(_ count: Int) -> Int64 { min(hour << Int64(min(max(count - 2, 0), 16)), longest) }

  private func witnesses(_ offences: [DriverOffence]) -> Int {
    let meters = offences.compactMap(\.meter)
    return meters.count(where: \.isKnown) + (meters.contains { !$0.isKnown } ? 1 : 0)
  }
}
