package import DriverContract
import HostPrimitives

/// Decides what becomes of the records that a driver reports during one session with a meter.
///
/// A pure value: the same records, context and clock give the same answer, except for the random names of `live`
/// records, which it remembers so that repeats inside the session collapse.
package struct RecordAdmission: Sendable {
  /// What admission depends on beside the records.
  package let context: AdmissionContext
  private var liveNames: [[UInt8]: LogID] = [:]
  /// Readings taken so far, for the window's limit.
  private var taken: UInt32 = 0

  /// A reading further ahead of a synchronised host clock than this is held.
  package static let futureTolerance: Int64 = 10 * 60 * 1_000_000
  /// Meters whose clock was never set start at 1970, 1980 or 2000-01-01: nothing before 2000 is believed.
  package static let earliestBelievable: Int64 = 946_684_800_000_000

  /// Admission for one session with a meter.
  package init(context: AdmissionContext) { self.context = context }

  /// Judges the records of one event together, so that a context finds its measurement.
  ///
  /// - Parameter meterMayForget: What is not taken now may be in the meter no more: it is held for a person instead of
  ///   being left there.
  /// - Returns: One answer a record, in the same order.
  package mutating func admit(
    _ batch: [DriverRecord], clock: HostClockReading, meterMayForget: Bool = false
  ) -> [Admission] {
    let contexts = Dictionary(
      batch.filter { $0.kind == .context }.compactMap { record in record.deviceSequence.map { ($0, [record]) } },
      uniquingKeysWith: +)
    let measured = Set(batch.filter { $0.kind == .measurement }.compactMap(\.deviceSequence))
    return batch.map { record in
      switch record.kind {
      case .deviceInfo: return .deviceInformation(record)
      case .diagnostic: return .diagnostic(record)
      case .context:
        guard let sequence = record.deviceSequence, measured.contains(sequence) else {
          return .unmatchedContext(record)
        }
        return .joined(sequence: sequence)
      case .measurement:
        let joined = record.deviceSequence.flatMap { contexts[$0] } ?? []
        return admit(Self.join(record, joined), clock, meterMayForget)
      }
    }
  }

  /// The measurement with its contexts' values and texts. What the measurement says itself is not overruled.
  package static func join(_ measurement: DriverRecord, _ contexts: [DriverRecord]) -> DriverRecord {
    var result = measurement
    for context in contexts {
      let known = Set(result.values.map(\.metric))
      result.values += context.values.filter { !known.contains($0.metric) }
      result.texts += context.texts.filter { !result.texts.contains($0) }
      result.flags.formUnion(context.flags.intersection([.control, .held]))
    }
    return result
  }

  private mutating func admit(
    _ reported: DriverRecord, _ clock: HostClockReading, _ meterMayForget: Bool
  ) -> Admission {
    let identityClass = IdentityClass(reported.identityClass)
    do {
      let values = try RecordChecks.values(reported).map { $0.within(context.ranges) }
      try RecordChecks.texts(reported)
      let timing = try RecordTiming(
        reported, clock: clock, zone: context.zone, source: context.zoneSource)
      var flags = RecordChecks.flags(reported)
      if timing.problem != nil { flags.insert(.clockSuspect) }
      let record = Record(
        logID: try name(of: reported), identityClass: identityClass, type: RecordChecks.type(values),
        time: timing.time, deviceSequence: reported.deviceSequence,
        deviceUser: reported.deviceUser.map { Int($0) }, values: values,
        notes: reported.texts.map { RecordNote(field: $0.field, text: $0.text) },
        source: context.source, origin: .device, flags: flags)
      if flags.contains(.provisional) { return .provisional(record) }
      if let reason = leaveReason(record, timing) {
        guard meterMayForget else { return .left(reason) }
        let kept = disposition(of: record, reported, timing)
        return .commit(
          CommitRecord(
            record: record, disposition: kept == .pending ? .held(.notAskedFor) : kept, isUntimed: timing.isUnknown))
      }
      taken += 1
      let disposition = disposition(of: record, reported, timing)
      return .commit(
        CommitRecord(
          record: disposition == .pending ? withDerivedValues(record) : record, disposition: disposition,
          isUntimed: timing.isUnknown))
    } catch {
      return .rejected(error)
    }
  }

  /// Of what is the user's beyond doubt only: from somebody else's impedance and the user's height follows nothing.
  private func withDerivedValues(_ record: Record) -> Record {
    guard let body = context.body else { return record }
    let derived = record.derivedValues(for: body)
    guard !derived.isEmpty else { return record }
    return record.changed(
      values: record.values + derived, time: record.time, origin: record.origin, flags: record.flags)
  }

  private mutating func name(of reported: DriverRecord) throws(AdmissionRejection) -> LogID {
    switch IdentityClass(reported.identityClass) {
    case .live:
      let key = reported.identity
      if let known = liveNames[key] { return known }
      let name = LogID.live()
      // Without identity bytes there is nothing that a repeat could be known by.
      if !key.isEmpty { liveNames[key] = name }
      return name
    case .stored, .summary:
      guard !reported.identity.isEmpty else {
        throw AdmissionRejection(
          code: .noIdentity,
          message: "a \(IdentityClass(reported.identityClass).rawValue) record has no identity bytes (R12)")
      }
    }
    guard reported.identityClass == .summary else {
      return .stored(meter: context.meter, identity: reported.identity)
    }
    let kind = reported.values.first.flatMap { Metric.ofContract($0.metric)?.name } ?? "summary"
    return .summary(source: context.meter.stableBytes, kind: kind, interval: reported.identity.hexadecimal)
  }

  /// A reading whose time cannot be believed is not judged by it: it is held for a person instead.
  private func leaveReason(_ record: Record, _ timing: RecordTiming) -> LeaveReason? {
    if timing.problem == nil {
      let start = record.time.startMicroseconds
      if let since = context.assignment?.sinceMicroseconds, start < since, !isOfNow(record) {
        return .beforeAssignment
      }
      if !context.window.holds(start) { return .outsideWindow }
    }
    if let limit = context.window.limit, taken >= limit { return .overLimit }
    return nil
  }

  /// What comes as it is measured is measured now, whatever this host takes for the date: it is no earlier owner's.
  private func isOfNow(_ record: Record) -> Bool { record.time.kind == .none && record.identityClass != .stored }

  private func disposition(
    of record: Record, _ reported: DriverRecord, _ timing: RecordTiming
  ) -> Disposition {
    if record.flags.contains(.control) { return .excluded(.controlSolution) }
    if reported.flags.contains(.tombstone) { return .held(.takenBack) }
    if reported.flags.contains(.held) { return .held(.driverAsks) }
    if let assignment = context.assignment,
      !assignment.owns(reported, at: isOfNow(record) ? nil : record.time.startMicroseconds)
    {
      return .held(.unknownOwner)
    }
    if let reason = RecordChecks.hold(of: record, timing: timing.problem) { return .held(reason) }
    return .pending
  }
}

extension MeterAssignment {
  /// Whether a reading is the user's beyond doubt. A meter that tells its users apart must name the one who was assigned.
  ///
  /// - Parameter microseconds: When it was measured; nil: during this read.
  func owns(_ reported: DriverRecord, at microseconds: Int64?) -> Bool {
    guard slot == reported.deviceUser else { return false }
    guard let microseconds else { return true }
    return !othersMicroseconds.contains { $0.contains(microseconds) }
  }
}
