import DriverRuntime
import DriverContract

/// Runs a recording again and compares what comes out byte for byte (rules R8, R24). Nothing is stored or sent.
public struct RecordingReplay: Sendable {
  private let host: DriverHost

  /// A replay that runs drivers in this host.
  package init(host: DriverHost) { self.host = host }

  /// Decides whether a recorded fault is the driver's or the machine's.
  ///
  /// - Throws: ``RecordingError`` when the recording cannot be replayed here.
  package func verdict(_ recording: Recording, bundle: VerifiedBundle) async throws(RecordingError) -> ReplayVerdict {
    try await run(recording, bundle: bundle).verdict
  }

  /// Decides by a recording's name.
  ///
  /// - Throws: ``RecordingError`` when there is none, it does not open, or it cannot be replayed here.
  package func verdict(
    of name: String, in reader: RecordingReader, bundle: VerifiedBundle
  ) async throws(RecordingError) -> ReplayVerdict {
    try await verdict(reader.open(RecordingReader.sealed(path: reader.path(of: name))), bundle: bundle)
  }

  /// Runs a recording to its end or to the first difference.
  ///
  /// - Parameters:
  ///   - allowingOther: Another bundle than the recorded one is meant.
  ///   - scope: What has to be the same.
  /// - Throws: ``RecordingError``: `other_bundle`; `recording_unavailable` when no worker can be started or the bundle does not
  ///   load; `damaged_recording`.
  package func run(
    _ recording: Recording, bundle: VerifiedBundle, allowingOther: Bool = false, scope: ReplayScope = .everything
  ) async throws(RecordingError) -> ReplayReport {
    let isSame = bundle.hash == recording.head.bundleHash
    guard isSame || allowingOther else {
      throw RecordingError(
        .otherBundle,
        "the recording is of \(recording.head.bundleName) with SHA-256 \(recording.head.bundleHash), and \(bundle.path) "
          + "has \(bundle.hash); name a bundle with --bundle to replay with another one on purpose")
    }
    guard recording.head.origin == .session else {
      return try await CaptureReplay(host: host).run(recording, bundle: bundle, isSameBundle: isSame)
    }
    if let course = try ExtensionCourse(recording.steps) {
      return try await ExtensionReplay(host: host).run(course, recording.head, bundle: bundle, isSameBundle: isSame)
    }
    let course = try RecordedCourse(recording.steps)
    var run = Run(course: course, isSameBundle: isSame, scope: scope)
    let services = ReplayServices()
    services.begin(course.openingAnswers)
    let session: any DriverSession
    do {
      session = try await host.open(
        bundle, driver: recording.head.driver, opening: recording.opening, services: services)
    } catch {
      return try run.openingFailed(error)
    }
    if let report = run.opened(services) {
      await session.close()
      return report
    }
    if let report = await run.follow(session, services) {
      await session.close()
      return report
    }
    return run.closed(await session.close())
  }
}

extension RecordingReplay {
  /// A replay that is going on.
  private struct Run {
    let course: RecordedCourse
    let isSameBundle: Bool
    let scope: ReplayScope
    var events = 0
    var records: [DriverRecord] = []

    /// The driver could not be opened.
    func openingFailed(_ fault: DriverFault) throws(RecordingError) -> ReplayReport {
      if let recorded = course.openingFault, fault.isLike(recorded) {
        return recorded.isDrivers ? report(.faultAgain, [fault.message], fault) : report(.identical, [], fault)
      }
      guard fault.isDrivers || fault.code == .refused else {
        throw RecordingError(.unavailable, "the recording cannot be replayed here: \(fault)")
      }
      return report(.differs, ["the driver did not open: \(fault.message)"] + recorded(course.openingFault), fault)
    }

    /// The driver was opened; nil when it had been, and asked for the same.
    func opened(_ services: ReplayServices) -> ReplayReport? {
      guard let fault = course.openingFault else { return services.end().map { report(.differs, [$0]) } }
      let words = ["the driver opened the session this time"] + recorded(fault)
      if let other = services.contradiction() { return report(.differs, [other] + words) }
      return report(fault.isDrivers ? .faultGone : .differs, words)
    }

    /// Hands over what was recorded; nil when all came out as it had.
    mutating func follow(_ session: any DriverSession, _ services: ReplayServices) async -> ReplayReport? {
      for turn in course.turns {
        // Answers of its services may be missing as its output is: what came out now would say nothing.
        if case .open = turn.end { return report(.identicalSoFar, []) }
        events += 1
        services.begin(turn.answers)
        let unit: DriverUnit
        do throws(DriverFault) {
          unit = try await session.handle(turn.event)
        } catch {
          return failed(error, turn, services)
        }
        records += unit.records
        if let fault = turn.fault, fault.isDrivers {
          let words = ["event \(events) went through"] + recorded(fault)
          if let other = services.contradiction() { return report(.differs, [other] + words) }
          return report(.faultGone, words)
        }
        if let report = compare(unit.withoutSecrets, turn, services) { return report }
      }
      return nil
    }

    /// The session was closed after all that was recorded.
    ///
    /// - Parameter fault: What the driver did wrong then.
    func closed(_ fault: DriverFault?) -> ReplayReport {
      guard !course.isFull else { return report(.identicalSoFar, []) }
      let fault = fault.flatMap { $0.isDrivers ? $0 : nil }
      let words = fault.map { ["the driver failed when it was closed: \($0.message)"] } ?? []
      switch (course.closingFault, fault) {
      case (nil, nil): return report(.identical, [])
      case (let recorded?, let fault?) where fault.isLike(recorded): return report(.faultAgain, words, fault)
      case (let recorded?, nil): return report(.faultGone, ["it was closed in order"] + self.recorded(recorded))
      case (let recorded, let fault?): return report(.differs, words + self.recorded(recorded), fault)
      }
    }

    /// The driver faulted. It is to blame when the same fault had come at the same place.
    private func failed(
      _ fault: DriverFault, _ turn: RecordedCourse.Turn, _ services: ReplayServices
    ) -> ReplayReport {
      let words = ["the driver failed: \(fault.message)"]
      guard let recorded = turn.fault else {
        let place = course.fault == nil ? [] : ["the recorded fault came at event \(course.turns.count) or later"]
        return report(.differs, words + place + self.recorded(course.fault), fault)
      }
      // How it ended, when the caller or the host had ended it.
      if !recorded.isDrivers, recorded.code == fault.code { return report(.identical, []) }
      guard recorded.isDrivers, fault.isLike(recorded) else {
        return report(.differs, words + self.recorded(recorded), fault)
      }
      if let other = services.contradiction() { return report(.differs, [other] + words, fault) }
      return report(.faultAgain, [fault.message], fault)
    }

    private func compare(
      _ unit: DriverUnit, _ turn: RecordedCourse.Turn, _ services: ReplayServices
    ) -> ReplayReport? {
      switch turn.end {
      case .unit(let recorded) where !scope.isSame(recorded, unit):
        let words = UnitDifference.words(recorded: recorded, replayed: unit)
        return report(.differs, (services.end().map { [$0] } ?? []) + words)
      case .digest(let digest) where digest != unit.digest:
        return report(.differs, ["what came out is another; of this event the recording holds the SHA-256 only"])
      case .unit, .digest:
        if let words = services.end() { return report(.differs, [words]) }
      // The caller gave up: nothing to compare with.
      case .fault: return report(.identical, [])
      case .open: return report(.identicalSoFar, [])
      }
      guard let refusal = turn.refusal else { return nil }
      return report(.faultAgain, ["the output that the host refused came again: \(refusal.message)"], refusal)
    }

    private func recorded(_ fault: DriverFault?) -> [String] { fault.map { ["recorded was: \($0.message)"] } ?? [] }

    func report(_ outcome: ReplayReport.Outcome, _ words: [String], _ fault: DriverFault? = nil) -> ReplayReport {
      ReplayReport(
        outcome: outcome, event: outcome == .identical || outcome == .identicalSoFar ? nil : events, words: words,
        fault: fault, recordedFault: course.fault, isSameBundle: isSameBundle, events: events, records: records)
    }
  }
}

extension DriverFault {
  /// Whether it is the same kind of fault, whatever its words.
  func isLike(_ other: DriverFault) -> Bool { code == other.code && rule == other.rule }
}
