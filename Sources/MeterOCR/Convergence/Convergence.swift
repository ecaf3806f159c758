public import DriverContract

/// Texts that are believed.
public struct DisplayAgreement: Sendable, Hashable {
  /// The text of each row; empty where the display is.
  public var texts: [String]
  /// How sure the reader was: the mean of the least sure row over the frames that agree, or over all looks at a
  /// photograph.
  public var confidence: Double
  /// How many looks agree.
  public var looks: Int
}

/// Whether to believe what a camera's frames show: a value of its own, without clock and camera.
///
/// No wrong value comes first, speed second. A text set is believed when enough frames that really differ show it for
/// certain over some time, and nearly all that could be seen since it first appeared did.
public struct Convergence: Sendable {
  /// What came of the frames so far.
  public enum Outcome: Sendable, Hashable {
    /// Nothing yet.
    case looking
    /// These texts are the display's. Nothing that is added later changes it.
    case agreed(DisplayAgreement)
    /// No display of this meter shows what is seen; goes on looking.
    case wrongMeter
    /// The meter shows its other unit; goes on looking.
    case otherUnit
    /// There is no value, and there will be none.
    case noValue(NoValueReason)
  }

  /// Frames in a row that show the same texts.
  private struct Run {
    var texts: [String]
    var count = 0
    var first: UInt64
    var confidence = 0.0
    var clear = 0
  }

  /// Sure frames in a row with which something is wrong.
  private struct Fault {
    var reason: NoValueReason
    var count = 0
    var first: UInt64
  }

  private static let mostFingerprints = 8192

  private let rows: [DisplayRow]
  private let rules: ConvergenceRules
  private var history: TextHistory
  private var run: Run?
  private var fault: Fault?
  private var fingerprints: Set<UInt64> = []
  private var reasons: [NoValueReason: Int] = [:]
  private var began: UInt64?
  private var last: UInt64?
  private var ended: Outcome?

  /// Begins for a display of these rows.
  public init(rows: [DisplayRow], rules: ConvergenceRules = ConvergenceRules()) {
    self.rows = rows
    self.rules = rules
    history = TextHistory(rows: rows, window: rules.window)
  }

  /// How many frames in a row agree at the moment, for progress.
  public var agreeing: Int { run?.count ?? 0 }

  /// Why there is no value, when the frames end here: what was seen most.
  public var reason: NoValueReason {
    var most: (NoValueReason, Int) = (began == nil ? .noFrames : .tooFewFrames, 0)
    for reason in NoValueReason.allCases {
      if let count = reasons[reason], count > most.1 { most = (reason, count) }
    }
    return most.0
  }

  /// Takes what was read in a frame.
  ///
  /// - Parameters:
  ///   - verdict: What the driver says of the frame's texts.
  ///   - fingerprint: Of its pixels; see ``FrameFingerprint``.
  ///   - moment: When it was taken, in nanoseconds of a clock that only goes forward.
  public mutating func add(
    _ reading: DisplayReading, verdict: DisplayVerdict, fingerprint: UInt64, at moment: UInt64
  ) -> Outcome {
    if let ended { return ended }
    let start = began ?? moment
    began = start
    var outcome = Outcome.looking
    if let last, moment <= last {
      note(.frozen)
    } else if !remember(fingerprint) {
      note(.frozen)
    } else {
      last = moment
      outcome = look(FrameSight(reading, rows, rules), reading, verdict, moment)
    }
    switch outcome {
    case .agreed, .noValue: ended = outcome
    case .looking, .wrongMeter, .otherUnit:
      guard moment >= start, moment - start >= rules.timeout else { break }
      outcome = .noValue(reason)
      ended = outcome
    }
    return outcome
  }

  /// False for a picture that was seen before. One more than can be remembered counts as seen.
  private mutating func remember(_ fingerprint: UInt64) -> Bool {
    fingerprints.count < Self.mostFingerprints && fingerprints.insert(fingerprint).inserted
  }

  private mutating func note(_ reason: NoValueReason) { reasons[reason, default: 0] += 1 }

  // MARK: - Frames

  private mutating func look(
    _ sight: FrameSight, _ reading: DisplayReading, _ verdict: DisplayVerdict, _ moment: UInt64
  ) -> Outcome {
    if sight.holdsBack { run?.clear = 0 }
    switch sight {
    case .hidden(let reason): note(reason)
    case .doubtful(let reason):
      note(reason)
      history.add(nil)
    case .restart(let reason):
      note(reason)
      // Rows that are all unreadable may be a self-test, and may be the reader's doubt.
      if reason == .unreadable { history.add(nil) }
      (run, fault) = (nil, nil)
    case .sure(let texts): return sure(texts, reading, verdict, moment)
    }
    return .looking
  }

  private mutating func sure(
    _ texts: [String], _ reading: DisplayReading, _ verdict: DisplayVerdict, _ moment: UInt64
  ) -> Outcome {
    if case .valid(let records) = verdict, !records.isEmpty {
      fault = nil
      return agree(texts, reading, moment)
    }
    if let run, history.isDarker(texts, than: run.texts) { return .looking }
    if texts.isSelfTest {
      note(.notAValue)
      (run, fault) = (nil, nil)
      return .looking
    }
    let reason = verdict.reason
    note(reason)
    if reason == .incomplete, let run, texts.indices.allSatisfy({ texts[$0].isEmpty || texts[$0] == run.texts[$0] }) {
      // A row was missed, and nothing contradicts: the reader's doubt, not another display.
      history.add(nil)
      return .looking
    }
    history.add(texts)
    run = nil
    return wrong(reason, moment)
  }

  private mutating func wrong(_ reason: NoValueReason, _ moment: UInt64) -> Outcome {
    guard reason == .wrongMeter || reason == .otherUnit else {
      fault = nil
      return .looking
    }
    var seen = fault?.reason == reason ? fault : nil
    if seen == nil { seen = Fault(reason: reason, first: moment) }
    seen?.count += 1
    fault = seen
    guard let seen, seen.count >= rules.adviceFrames else { return .looking }
    if seen.count >= 2 * rules.agreeing, moment - seen.first >= rules.persistence { return .noValue(reason) }
    return reason == .wrongMeter ? .wrongMeter : .otherUnit
  }

  // MARK: - Agreement

  private mutating func agree(_ texts: [String], _ reading: DisplayReading, _ moment: UInt64) -> Outcome {
    // A row that blinks and is dark in this frame says nothing about it.
    if let run, history.isDarker(texts, than: run.texts) { return .looking }
    history.add(texts)
    if let before = run, before.texts != texts {
      if !history.isDarker(before.texts, than: texts) { note(.changing) }
      run = nil
    }
    var now = run ?? Run(texts: texts, first: moment)
    now.count += 1
    now.clear += 1
    now.confidence += reading.leastConfidence
    run = now
    guard isBelieved(now, at: moment) else { return .looking }
    return .agreed(
      DisplayAgreement(texts: texts, confidence: now.confidence / Double(now.count), looks: now.count))
  }

  private func isBelieved(_ run: Run, at moment: UInt64) -> Bool {
    let rivals = min(history.rivals(of: run.texts), rules.mostRivals)
    let isDark = zip(rows, run.texts).contains { $0.blinks && $1.isEmpty }
    let time = isDark ? max(rules.minimumTime, rules.minimumTimeBlinking) : rules.minimumTime
    let share = history.share(of: run.texts)
    return run.count >= rules.agreeing * (1 + rivals) && run.clear >= min(rules.clearFrames, rules.agreeing)
      && moment - run.first >= time && share.agreeing * rules.shareOf >= share.all * rules.share
      && !history.disputesPoint(of: run.texts)
  }
}

extension DisplayVerdict {
  /// Why texts with this verdict are no value; one that is valid and has no records is none either.
  var reason: NoValueReason {
    switch self {
    case .incomplete, .valid: .incomplete
    case .notAValue: .notAValue
    case .wrongMeter: .wrongMeter
    case .otherUnit: .otherUnit
    }
  }
}
