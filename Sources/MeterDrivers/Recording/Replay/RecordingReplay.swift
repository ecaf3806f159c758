import DriverRuntime

/// Runs a recording again and compares what comes out byte for byte (rules R8, R24). Nothing is stored or sent.
public struct RecordingReplay: Sendable {
  private let host: DriverHost

  /// A replay that runs drivers in this host.
  public init(host: DriverHost) { self.host = host }

  /// Decides whether a recorded fault is the driver's or the machine's.
  ///
  /// - Throws: ``RecordingError`` when the recording cannot be replayed here.
  public func verdict(_ recording: Recording, bundle: VerifiedBundle) async throws(RecordingError) -> ReplayVerdict {
    try await run(recording, bundle: bundle).verdict
  }

  /// Decides by a recording's name.
  ///
  /// - Throws: ``RecordingError`` when there is none, it does not open, or it cannot be replayed here.
  public func verdict(
    of name: String, in reader: RecordingReader, bundle: VerifiedBundle
  ) async throws(RecordingError) -> ReplayVerdict {
    try await verdict(reader.open(RecordingReader.sealed(path: reader.path(of: name))), bundle: bundle)
  }

  /// Runs a recording to its end or to the first difference.
  ///
  /// - Parameter allowingOther: Another bundle than the recorded one is meant.
  /// - Throws: ``RecordingError``: `other_bundle`; `recording_unavailable` when no worker can be started or the bundle does not
  ///   load; `damaged_recording`.
  public func run(
    _ recording: Recording, bundle: VerifiedBundle, allowingOther: Bool = false
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
    let course = try RecordedCourse(recording.steps)
    var run = Run(course: course, isSameBundle: isSame)
    let services = ReplayServices()
    services.begin(course.openingAnswers)
    let session: any DriverSession
    do {
      session = try await host.open(
        bundle, driver: recording.head.driver, opening: recording.opening, services: services)
    } catch {
      return try run.openingFailed(error)
    }
    if course.openingFault != nil {
      await session.close()
      return run.report(.faultGone, ["the driver opened the session this time"])
    }
    if let words = services.end() {
      await session.close()
      return run.report(.differs, [words])
    }
    let report = await run.follow(session, services)
    await session.close()
    return report
  }
}

extension RecordingReplay {
  /// A replay that is going on.
  private struct Run {
    let course: RecordedCourse
    let isSameBundle: Bool
    var events = 0
    var records: [DriverRecord] = []

    /// The driver could not be opened.
    func openingFailed(_ fault: DriverFault) throws(RecordingError) -> ReplayReport {
      if let recorded = course.openingFault {
        let isSame = recorded.code == fault.code && recorded.rule == fault.rule
        guard recorded.isDrivers, fault.isDrivers else {
          return report(isSame ? .identical : .differs, isSame ? [] : [fault.message], fault)
        }
        return report(.faultAgain, again(fault, recorded), fault)
      }
      guard fault.isDrivers || fault.code == .refused else {
        throw RecordingError(.unavailable, "the recording cannot be replayed here: \(fault)")
      }
      return report(.differs, ["the driver did not open: \(fault.message)"], fault)
    }

    mutating func follow(_ session: any DriverSession, _ services: ReplayServices) async -> ReplayReport {
      for turn in course.turns {
        events += 1
        services.begin(turn.answers)
        let unit: DriverUnit
        do throws(DriverFault) {
          unit = try await session.handle(turn.event)
        } catch {
          return failed(error, turn)
        }
        records += unit.records
        if let recorded = turn.fault, recorded.isDrivers {
          return report(.faultGone, ["event \(events) went through; recorded was: \(recorded.message)"])
        }
        if let report = compare(unit.withoutSecrets, turn, services) { return report }
      }
      return report(course.unseenFault?.isDrivers == true ? .identicalSoFar : .identical, [])
    }

    private func failed(_ fault: DriverFault, _ turn: RecordedCourse.Turn) -> ReplayReport {
      if let recorded = course.fault, fault.isDrivers {
        let isThere = turn.fault?.isDrivers == true
        let place = isThere ? [] : ["the fault came at event \(events), recorded at event \(course.turns.count)"]
        return report(.faultAgain, again(fault, recorded) + place, fault)
      }
      // How it ended, when the caller or the host had ended it.
      if case .fault(let recorded) = turn.end, recorded.code == fault.code { return report(.identical, []) }
      if case .open = turn.end { return report(.identical, []) }
      return report(.differs, ["the driver failed: \(fault.message)"], fault)
    }

    private func compare(
      _ unit: DriverUnit, _ turn: RecordedCourse.Turn, _ services: ReplayServices
    ) -> ReplayReport? {
      switch turn.end {
      case .unit(let recorded) where recorded.comparedBytes != unit.comparedBytes:
        let words = UnitDifference.words(recorded: recorded, replayed: unit)
        return report(.differs, (services.end().map { [$0] } ?? []) + words)
      case .digest(let digest) where digest != unit.digest:
        return report(.differs, ["what came out is another; of this event the recording holds the SHA-256 only"])
      case .unit, .digest:
        if let words = services.end() { return report(.differs, [words]) }
      // The caller gave up: nothing to compare with.
      case .fault: return report(.identical, [])
      // The recording was full.
      case .open: return nil
      }
      guard let refusal = turn.refusal else { return nil }
      return report(.faultAgain, ["the output that the host refused came again: \(refusal.message)"], refusal)
    }

    private func again(_ fault: DriverFault, _ recorded: DriverFault) -> [String] {
      fault.code == recorded.code && fault.rule == recorded.rule
        ? [fault.message] : [fault.message, "recorded was: \(recorded.message)"]
    }

    func report(_ outcome: ReplayReport.Outcome, _ words: [String], _ fault: DriverFault? = nil) -> ReplayReport {
      ReplayReport(
        outcome: outcome, event: outcome == .identical || outcome == .identicalSoFar ? nil : events, words: words,
        fault: fault, recordedFault: course.fault, isSameBundle: isSameBundle, events: events, records: records)
    }
  }
}
