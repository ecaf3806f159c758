public import DriverContract

/// Whether to believe what photographs show. There are no frames to compare, so one picture is looked at
/// several times with the overlay moved a little: what holds only for one place of it is luck.
public struct StillVote: Sendable {
  /// When a photograph is believed.
  public struct Rules: Sendable, Hashable {
    /// The mean confidence of the looks that agree.
    public var floor = 0.45
    /// Of the looks, at least one in this many agree.
    public var agreeing = 2
    /// Of the looks, at most one in this many read something else.
    public var others = 4
    /// How much of a row's area may be covered by reflected light.
    public var glareShare = 0.05

    /// The host's rules.
    public init() {}
  }

  /// One look at a photograph.
  public struct Look: Sendable, Hashable {
    /// What was read.
    public var reading: DisplayReading
    /// What the driver says of its texts.
    public var verdict: DisplayVerdict

    /// A look.
    public init(_ reading: DisplayReading, _ verdict: DisplayVerdict) {
      self.reading = reading
      self.verdict = verdict
    }
  }

  /// What came of the photographs.
  public enum Outcome: Sendable, Hashable {
    /// These texts are the display's.
    case agreed(DisplayAgreement)
    /// There is no value.
    case noValue(NoValueReason)
  }

  /// By how much the looks differ: fractions of the overlay to the right and downwards, and its size.
  private static let moves: [(right: Double, down: Double, scale: Double)] = [
    (0, 0, 1), (-0.015, -0.01, 1), (0.015, -0.01, 1), (-0.015, 0.01, 1), (0.015, 0.01, 1), (0, 0, 0.97), (0, 0, 1.03),
    (0, 0.015, 1.015),
  ]

  /// Where to look in one photograph, given where the overlay lies.
  public static func places(_ overlay: ImageBox) -> [ImageBox] {
    moves.map { overlay.moved(right: $0.right, down: $0.down, scale: $0.scale) }
  }

  /// Where to look for one row in one photograph, given its box: measuring a labelled set.
  public static func places(rows: [ImageBox]) -> [[ImageBox]] {
    moves.map { move in rows.map { $0.moved(right: move.right, down: 4 * move.down, scale: move.scale) } }
  }

  private let rows: [DisplayRow]
  private let rules: Rules
  private var agreement: DisplayAgreement?
  private var isContradicted = false
  private var reasons: [NoValueReason: Int] = [:]
  private var leaders: Set<[String]> = []

  /// Begins for a display of these rows.
  public init(rows: [DisplayRow], rules: Rules = Rules()) {
    self.rows = rows
    self.rules = rules
  }

  /// Takes all looks at one photograph, and says what it shows by itself.
  @discardableResult
  public mutating func add(_ looks: [Look]) -> Outcome {
    let count = Count(looks, rows, rules)
    leaders.formUnion(count.leaders(rules))
    let outcome = count.outcome(rules)
    switch outcome {
    case .agreed(let found): if found.confidence > agreement?.confidence ?? -1 { agreement = found }
    case .noValue(let reason): reasons[reason, default: 0] += 1
    }
    return outcome
  }

  /// What all photographs together show. One is enough; what most looks at another one show must not contradict it.
  public var outcome: Outcome {
    if let agreement { return leaders.count == 1 ? .agreed(agreement) : .noValue(.contradicting) }
    var most: (NoValueReason, Int) = (.noFrames, 0)
    for reason in NoValueReason.allCases {
      if let count = reasons[reason], count > most.1 { most = (reason, count) }
    }
    return .noValue(most.0)
  }
}

/// The looks at one photograph, counted.
private struct Count {
  struct Party {
    var texts: [String]
    var looks = 0
    var confidence = 0.0
    /// The first look's that is no value.
    var objection: NoValueReason?
  }

  private let all: Int
  private let parties: [Party]
  private let reasons: [NoValueReason: Int]

  init(_ looks: [StillVote.Look], _ rows: [DisplayRow], _ rules: StillVote.Rules) {
    all = looks.count
    var parties: [[String]: Party] = [:]
    var reasons: [NoValueReason: Int] = [:]
    for look in looks {
      let reading = look.reading
      if let reason = Self.silence(reading, rows, rules) {
        reasons[reason, default: 0] += 1
        continue
      }
      var party = parties[reading.texts] ?? Party(texts: reading.texts)
      party.looks += 1
      party.confidence += reading.leastConfidence
      if party.objection == nil, !look.verdict.hasRecords { party.objection = look.verdict.reason }
      parties[reading.texts] = party
    }
    self.parties = parties.values.sorted {
      $0.looks == $1.looks ? $0.texts.lexicographicallyPrecedes($1.texts) : $0.looks > $1.looks
    }
    self.reasons = reasons
  }

  /// Why a look reads nothing; nil when every row that has to be there was read.
  private static func silence(
    _ reading: DisplayReading, _ rows: [DisplayRow], _ rules: StillVote.Rules
  ) -> NoValueReason? {
    guard reading.rows.count == rows.count, !rows.isEmpty else { return .unreadable }
    if reading.coversRow(rules.glareShare) { return .glare }
    if reading.advice == .align { return .align }
    if reading.rows.contains(where: { $0.state == .unreadable }) {
      return reading.advice.hides ?? (reading.advice == .glare ? .glare : .unreadable)
    }
    if reading.rows.allSatisfy({ $0.state == .empty }) { return reading.advice.hides ?? .nothingSeen }
    let isWhole = zip(reading.rows, rows).allSatisfy { $0.state == .text || $1.isOptional }
    return isWhole ? nil : .incomplete
  }

  /// The texts that enough looks agree on; two sets of them contradict each other.
  func leaders(_ rules: StillVote.Rules) -> [[String]] {
    parties.filter { $0.looks * rules.agreeing >= all }.map(\.texts)
  }

  func outcome(_ rules: StillVote.Rules) -> StillVote.Outcome {
    guard let leader = parties.first, leader.looks * rules.agreeing >= all else { return .noValue(mostSeen) }
    let others = parties.dropFirst().reduce(0) { $0 + $1.looks }
    if let objection = leader.objection { return .noValue(objection) }
    guard others * rules.others <= all, leader.confidence / Double(leader.looks) >= rules.floor,
      !disputesPoint(of: leader)
    else { return .noValue(.unsure) }
    // Looks that read something else, or nothing, take from how sure the reading is: it may have to be confirmed.
    return .agreed(
      DisplayAgreement(texts: leader.texts, confidence: leader.confidence / Double(all), looks: leader.looks))
  }

  /// Whether a look saw the same digits with another point, or without one.
  private func disputesPoint(of leader: Party) -> Bool {
    let digits = leader.texts.withoutPoints
    return parties.dropFirst().contains { $0.texts.withoutPoints == digits }
  }

  private var mostSeen: NoValueReason {
    var most: (NoValueReason, Int) = (.unsure, parties.reduce(0) { $0 + $1.looks })
    for reason in NoValueReason.allCases {
      if let count = reasons[reason], count > most.1 { most = (reason, count) }
    }
    return most.0
  }
}

extension DisplayVerdict {
  /// Whether it is a reading with something in it.
  var hasRecords: Bool { if case .valid(let records) = self { !records.isEmpty } else { false } }
}
