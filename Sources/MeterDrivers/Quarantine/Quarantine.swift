package import DriverContract
package import MeterCore

/// Keeps drivers away that fail again and again (rule R24), and remembers them in the store.
package struct Quarantine: Sendable {
  private let store: MeterStore
  private let policy = QuarantinePolicy()
  private let now: @Sendable () -> Int64

  /// A quarantine.
  ///
  /// - Parameter now: This machine's clock, microseconds since 1970-01-01T00:00Z.
  package init(store: MeterStore, now: @escaping @Sendable () -> Int64 = { MeterStore.wallClockMicroseconds }) {
    self.store = store
    self.now = now
  }

  /// Whether a bundle may be used, with this meter if it is known already.
  ///
  /// - Throws: `StoreError`.
  package func verdict(
    on bundle: VerifiedBundle, meter: MeterIdentity? = nil
  ) throws(StoreError) -> QuarantinePolicy.Verdict {
    try verdict(on: bundle.hash, meter: meter.map { OffendedMeter($0, isKnown: false) })
  }

  /// Whether a bundle may be used with a meter that is named by other things than what it says of itself.
  ///
  /// - Throws: `StoreError`.
  package func verdict(
    on bundle: BundleHash, meter: OffendedMeter?
  ) throws(StoreError) -> QuarantinePolicy.Verdict {
    policy.verdict(on: try store.offences(of: "\(bundle)"), meter: meter?.key, now: now())
  }

  /// Notes a fault of a session that could not be opened; whether the bundle fails without the meter as well is tried out.
  ///
  /// - Returns: What it has come to for this meter.
  /// - Throws: `StoreError`.
  package func noteOpening(
    _ fault: DriverFault, bundle: VerifiedBundle, meter: MeterIdentity, failsAlone: Bool, recording: String? = nil
  ) throws(StoreError) -> QuarantinePolicy.Verdict {
    try note(fault, bundle, meter, cause: failsAlone ? .bundle : nil, recording)
  }

  /// Notes a fault in a session with a meter.
  ///
  /// - Returns: What it has come to for this meter.
  /// - Throws: `StoreError`.
  package func note(
    _ fault: DriverFault, bundle: VerifiedBundle, meter: MeterIdentity, recording: String? = nil
  ) throws(StoreError) -> QuarantinePolicy.Verdict {
    try note(fault, bundle, meter, cause: nil, recording)
  }

  /// Notes a fault of a bundle's self-test, in which no meter has a part.
  ///
  /// - Returns: What it has come to.
  /// - Throws: `StoreError`.
  package func noteSelfTest(
    _ fault: DriverFault, bundle: VerifiedBundle
  ) throws(StoreError) -> QuarantinePolicy.Verdict {
    try note(fault, bundle: bundle.hash, meter: nil)
  }

  /// Notes a fault with a meter that is named by other things than what it says of itself; without one, a fault in which
  /// no meter has a part.
  ///
  /// - Returns: What it has come to for this meter.
  /// - Throws: `StoreError`.
  package func note(
    _ fault: DriverFault, bundle: BundleHash, meter: OffendedMeter?
  ) throws(StoreError) -> QuarantinePolicy.Verdict {
    guard policy.isOffence(fault) else { return .free }
    let cause = meter.map(QuarantinePolicy.Cause.meter) ?? .bundle
    return try note(fault, bundle, cause: cause, meter: meter?.key, nil)
  }

  /// Notes that a meter has brought a reading: from now on it is one of those that are known.
  ///
  /// - Throws: `StoreError`.
  package func noteReadings(of meter: MeterIdentity) throws(StoreError) { try store.setKnown(meter) }

  /// Notes a session that ended as it should: the pair's next fault is the first again.
  ///
  /// - Throws: `StoreError`.
  package func noteSuccess(bundle: VerifiedBundle, meter: MeterIdentity) throws(StoreError) {
    try noteSuccess(bundle: bundle.hash, meter: OffendedMeter(meter, isKnown: false))
  }

  /// The same with a meter that is named by other things than what it says of itself.
  ///
  /// - Throws: `StoreError`.
  package func noteSuccess(bundle: BundleHash, meter: OffendedMeter) throws(StoreError) {
    let (name, key) = ("\(bundle)", meter.key)
    guard try store.offences(of: name).contains(where: { $0.meter?.key == key }) else { return }
    try store.changeOffences(of: name) { policy.offences($0, afterSuccessWith: key) }
  }

  private func note(
    _ fault: DriverFault, _ bundle: VerifiedBundle, _ meter: MeterIdentity, cause: QuarantinePolicy.Cause?,
    _ recording: String?
  ) throws(StoreError) -> QuarantinePolicy.Verdict {
    guard policy.isOffence(fault) else { return .free }
    let offended = OffendedMeter(meter, isKnown: try store.isKnown(meter))
    return try note(fault, bundle.hash, cause: cause ?? .meter(offended), meter: offended.key, recording)
  }

  private func note(
    _ fault: DriverFault, _ bundle: BundleHash, cause: QuarantinePolicy.Cause, meter: String?,
    _ recording: String?
  ) throws(StoreError) -> QuarantinePolicy.Verdict {
    let (time, name) = (now(), "\(bundle)")
    // Those of bundles that are not used any more, too.
    try store.forgetOffencesOfMeters(before: time - QuarantinePolicy.memory)
    let offences = try store.changeOffences(of: name) { before in
      policy.offences(before, after: fault, bundle: name, cause: cause, recording: recording, now: time)
    }
    return policy.verdict(on: offences, meter: meter, now: time)
  }
}
