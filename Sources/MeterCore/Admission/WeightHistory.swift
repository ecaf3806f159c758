/// What is known of a person's weight, and what one more weighing means beside it.
///
/// A scale does not know who stands on it: a child, a guest, a suitcase and a pet weigh something, too. A first weight is delivered
/// and proves nothing. Once two weighings have agreed, or a person has confirmed one, what is far from that is held, and two
/// that agree with each other move the history to where they are.
struct WeightHistory: Sendable, Equatable {
  struct Weighing: Sendable, Equatable {
    /// What was weighed, in grams.
    var grams: Int64
    /// When, microseconds since 1970-01-01T00:00Z.
    var microseconds: Int64
  }

  /// The weight that the person is known by; nil as long as nothing has confirmed one.
  private(set) var reference: Weighing?
  /// What a person has said that they weigh, and what followed it on a shared scale; nil as long as nobody has.
  private(set) var word: Weighing?
  /// Weighings that nothing has confirmed yet, the newest last.
  private(set) var candidates: [Weighing]

  /// More are never told apart by a person either.
  static let mostCandidates = 8
  /// Nobody who steps on a scale weighs less: an infant, a pet or a thing, unless somebody has said that such are weighed.
  static let lightestPerson: Int64 = 10_000

  init(reference: Weighing? = nil, word: Weighing? = nil, candidates: [Weighing] = []) {
    self.reference = reference
    self.word = word
    self.candidates = Array(candidates.suffix(Self.mostCandidates))
  }

  /// Takes a weighing that a scale has reported.
  ///
  /// - Returns: Whether it may be the person's; false: a person has to say so.
  mutating func take(_ weighing: Weighing) -> Bool {
    guard weighing.grams >= Self.lightestPerson else { return false }
    if let reference, Self.agree(reference, weighing) {
      if weighing.microseconds >= reference.microseconds { self.reference = weighing }
      return true
    }
    let agreeing = candidates.filter { Self.agree($0, weighing) }
    if agreeing.contains(where: { Self.areApart($0, weighing) }) {
      reference = weighing
      candidates.removeAll()
      return true
    }
    // The same person, still standing there, is no second weighing; the very first one is delivered anyway.
    if let same = agreeing.first { return reference == nil && same == candidates.first }
    let isFirst = reference == nil && candidates.isEmpty
    candidates = Array((candidates + [weighing]).suffix(Self.mostCandidates))
    return isFirst
  }

  /// Takes a weighing of a scale on which several people stand, none of whom it knows.
  ///
  /// What is known of the person can only say that it is not theirs: nobody's weighings move it but a person's word and, as slowly as
  /// people change, what may be theirs.
  ///
  /// - Returns: Why a person has to say whose it is; nil: it may be the person's.
  mutating func takeShared(_ weighing: Weighing) -> HoldReason? {
    guard weighing.grams >= Self.lightestPerson else { return .unlikeWeight }
    guard let word else { return .unknownOwner }
    let change = Int64(Self.days(word, weighing) * Self.gramsADay)
    let margin = min(Self.sway + change, max(Self.sway, word.grams / 10))
    guard abs(weighing.grams - word.grams) <= margin else { return .unlikeWeight }
    guard weighing.microseconds >= word.microseconds else { return nil }
    let believed = min(max(weighing.grams, word.grams - change), word.grams + change)
    self.word = Weighing(grams: believed, microseconds: weighing.microseconds)
    return nil
  }

  /// Takes a weighing that a person has confirmed, or entered; one that is nobody's teaches nothing.
  mutating func confirm(_ weighing: Weighing) {
    guard weighing.grams >= Self.lightestPerson else { return }
    reference = weighing
    word = weighing
    candidates.removeAll()
  }

  /// Forgets a weighing that a person has thrown away: it proves nothing.
  mutating func forget(_ weighing: Weighing) { candidates.removeAll { $0 == weighing } }

  /// Whether two weighings are two: nobody steps off, and is weighed again, in less.
  private static func areApart(_ one: Weighing, _ other: Weighing) -> Bool {
    abs(Double(one.microseconds) - Double(other.microseconds)) >= 10e6
  }

  /// Whether two weighings can be of one person: a tenth apart or 3 kg, and what a person may gain or lose in the time between.
  private static func agree(_ one: Weighing, _ other: Weighing) -> Bool {
    let heavier = Double(max(one.grams, other.grams))
    let sway = Double(Self.sway)
    let allowed = min(max(sway, heavier / 10) + days(one, other) * gramsADay, heavier / 4)
    return abs(Double(one.grams) - Double(other.grams)) <= max(allowed, sway)
  }

  /// What a person's weight differs by within a day, with clothes, in grams.
  private static let sway: Int64 = 3_000
  /// What a person gains or loses in a day, in grams.
  private static let gramsADay = 100.0

  private static func days(_ one: Weighing, _ other: Weighing) -> Double {
    abs(Double(one.microseconds) - Double(other.microseconds)) / 86_400e6
  }
}

extension Record {
  /// What a record says that somebody weighs; nil where it says nothing of it.
  var weighing: WeightHistory.Weighing? {
    guard let weight = values.first(where: { $0.metricName == "body_weight" }), weight.qualifier == .exact else {
      return nil
    }
    let kilograms = weight.number.doubleValue * (weight.ucum == "kg" ? 1 : 0.45359237)
    guard (0...1_000).contains(kilograms) else { return nil }
    return WeightHistory.Weighing(
      grams: Int64((kilograms * 1000).rounded()), microseconds: time.startMicroseconds)
  }
}
