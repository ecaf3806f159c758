import DriverContract
import HostPrimitives

/// Makes sessions of samples of sleep.
package struct SleepSessions {
  /// Samples of one source that are not further apart are one session.
  package static let longestGap: Int64 = 60 * 60 * 1_000_000

  private let family: HealthFamily
  private let ranking: SourceRanking
  private let borders: DayBorders

  package init(_ family: HealthFamily, _ ranking: SourceRanking, _ borders: DayBorders) {
    self.family = family
    self.ranking = ranking
    self.borders = borders
  }

  /// The sessions that ended on a day of the window, by their end.
  package func sessions(of samples: [HealthSample]) -> [SleepSession] {
    let counted = samples.filter { ranking.rank(of: $0.source, for: .sleep) != nil && $0.start < $0.end }
    let bySource = Dictionary(grouping: counted) { ranking.keys[$0.source] }
    let kept = resolved(bySource.values.flatMap(candidates))
    var byDay: [Int64: [SleepCandidate]] = [:]
    for candidate in kept {
      let offset = candidate.utcOffset ?? borders.utcOffset(at: candidate.end)
      byDay[DayBorders.day(of: candidate.end, utcOffset: offset), default: []].append(candidate)
    }
    return byDay.flatMap { number, candidates in
      borders.index(ofDay: number).map { sessions(candidates, of: borders.days[$0].text) } ?? []
    }.sorted { ($0.origin.end, $0.origin.start) < ($1.origin.end, $1.origin.start) }
  }

  private func sessions(_ candidates: [SleepCandidate], of day: String) -> [SleepSession] {
    let main = candidates.indices.max { left, right in
      let (one, two) = (candidates[left], candidates[right])
      return (one.asleepTime, one.inBedTime, two.start) < (two.asleepTime, two.inBedTime, one.start)
    }
    return candidates.enumerated().map { index, candidate in
      let isMain = index == main
      let byStart = HealthIdentity.sample("sleep", start: candidate.start, end: candidate.start, of: family)
      let own = candidate.id.map { HealthIdentity.named($0, "sleep", of: family) }
      let identity = isMain ? .day(day, kind: "sleep", of: family) : own ?? byStart
      let origin = HealthOrigin(
        start: candidate.start, end: candidate.end,
        utcOffset: candidate.utcOffset ?? borders.utcOffset(at: candidate.start),
        hasOwnOffset: candidate.utcOffset != nil, source: candidate.source, isManual: candidate.isManual,
        modified: candidate.modified)
      return SleepSession(
        origin: origin, day: day, isMain: isMain, metrics: candidate.metrics, segments: candidate.segments,
        identity: identity,
        alternates: ([own, byStart] as [HealthIdentity?]).compactMap { $0 }.filter { $0 != identity })
    }
  }

  // MARK: One source

  /// The sessions of one source's samples.
  private func candidates(_ samples: [HealthSample]) -> [SleepCandidate] {
    var pieces: [HealthSample] = []
    var told: [SleepCandidate] = []
    let (sessions, stages) = Self.joined(samples)
    for session in grown(sessions) {
      let sums = Self.sums(of: session)
      if session.parts.isEmpty, !sums.isEmpty {
        told.append(candidate(told: sums, session))
      } else {
        pieces.append(session)
        pieces += session.parts.filter { $0.stage != nil && $0.start < $0.end }.map { part in
          var part = part
          part.utcOffset = part.utcOffset ?? session.utcOffset
          part.source = session.source
          return part
        }
      }
    }
    pieces += stages
    pieces.sort { ($0.start, $0.end, $0.stage?.rawValue ?? 0) < ($1.start, $1.end, $1.stage?.rawValue ?? 0) }
    var result: [SleepCandidate] = told
    var run: [HealthSample] = []
    var reached = Int64.min
    for piece in pieces {
      if !run.isEmpty, piece.start - reached > Self.longestGap {
        result.append(candidate(run))
        run = []
        reached = .min
      }
      run.append(piece)
      reached = max(reached, piece.end)
    }
    if !run.isEmpty { result.append(candidate(run)) }
    return result
  }

  /// Sessions with the stages whose names begin with theirs, and the stages of no session.
  private static func joined(_ samples: [HealthSample]) -> (sessions: [HealthSample], stages: [HealthSample]) {
    var sessions = samples.filter { $0.stage == .session }
    var byName: [Substring: Int] = [:]
    for (index, session) in sessions.enumerated() {
      if let id = session.id, !id.isEmpty { byName[id[...]] = index }
    }
    let lengths = Set(byName.keys.map(\.count)).prefix(4)
    let stages = samples.filter { sample in
      guard sample.stage != nil, sample.stage != .session else { return false }
      guard let id = sample.id,
        let owner = lengths.lazy.compactMap({ byName[id.prefix($0)] }).first
      else { return true }
      sessions[owner].parts.append(sample)
      return false
    }
    return (sessions, stages)
  }

  /// Sessions without earlier states of the same one: of those that share a start or overlap by more than half of the shorter one only
  /// the longest stays.
  private func grown(_ sessions: [HealthSample]) -> [HealthSample] {
    let order = sessions.sorted {
      ($0.length, $0.modified, $1.start) > ($1.length, $1.modified, $0.start)
    }
    var kept = TimeBuckets<HealthSample>()
    for session in order {
      let isState = kept.first(near: session.start, session.end) { other in
        other.start == session.start || Self.overlaps(other.start..<other.end, session.start..<session.end)
      }
      if isState == nil { kept.insert(session, session.start, session.end) }
    }
    return kept.all
  }

  /// Whether two intervals overlap by more than half of the shorter one.
  private static func overlaps(_ one: Range<Int64>, _ two: Range<Int64>) -> Bool {
    let common = min(one.upperBound, two.upperBound) - max(one.lowerBound, two.lowerBound)
    let shorter = min(one.upperBound - one.lowerBound, two.upperBound - two.lowerBound)
    return common > 0 && common > shorter / 2
  }

  private static func sums(of session: HealthSample) -> [String: Int64] {
    typealias Key = HealthAttribute.Key
    var sums: [String: Int64] = [:]
    for key in [Key.asleep, Key.total, Key.inBed, Key.awake, Key.core, Key.deep, Key.rem] {
      guard let seconds = session.number(key), !seconds.isNegative,
        let exact = seconds.rounded(places: 3), exact.fraction <= Fraction(172_800)
      else { continue }
      sums[key] = Int64(exact.fraction.multiplied(by: Fraction(1_000_000))?.numerator ?? 0)
    }
    return sums
  }

  private func candidate(told sums: [String: Int64], _ session: HealthSample) -> SleepCandidate {
    var result = SleepCandidate(start: session.start, end: session.end, source: session.source)
    result.told = sums
    // Where the export says how long the person was in bed, that is it.
    if sums[HealthAttribute.Key.inBed] == nil { result.inBed = [(session.start, session.end)] }
    describe(&result, [session])
    return result
  }

  private func candidate(_ pieces: [HealthSample]) -> SleepCandidate {
    var result = SleepCandidate(
      start: pieces[0].start, end: pieces.reduce(pieces[0].end) { max($0, $1.end) }, source: pieces[0].source)
    result.segments = SleepStages.segments(pieces)
    result.inBed = LocalHours.spans(pieces.map { ($0.start, $0.end) })
    result.firstInBed = pieces.first { $0.stage == .inBed }?.start
    describe(&result, pieces)
    return result
  }

  private func describe(_ candidate: inout SleepCandidate, _ pieces: [HealthSample]) {
    let last = pieces.max { ($0.end, $0.start) < ($1.end, $1.start) }
    candidate.utcOffset = last.flatMap { sample in
      let offset = borders.utcOffset(of: sample, at: sample.end)
      return offset.isOwn ? offset.seconds : nil
    }
    candidate.id = pieces.first { $0.stage == .session && $0.id != nil }?.id
    candidate.modified = pieces.reduce(0) { max($0, $1.modified) }
    candidate.isManual = pieces.allSatisfy(\.isManual)
  }

  // MARK: Several sources

  /// Of sessions that overlap by more than half of the shorter one the best: what knows more of the night, then a watch, then the order
  /// of the sources. What it replaces adds to the time in bed. An owner's order of Health Connect comes before both, as it does where
  /// the platform adds up nights itself.
  private func resolved(_ candidates: [SleepCandidate]) -> [SleepCandidate] {
    let order = candidates.sorted { left, right in
      func key(_ candidate: SleepCandidate) -> [Int64] {
        let isWatch = ranking.kinds[candidate.source] == .watch
        let rank = Int64(ranking.rank(of: candidate.source, for: .sleep) ?? .max)
        let isByOrder = ranking.rule == .samples
        return [
          isByOrder ? rank : 0, -Int64(candidate.quality.rawValue), isWatch ? 0 : 1, rank,
          isByOrder ? -candidate.modified : 0, candidate.told.isEmpty ? 0 : 1, candidate.start - candidate.end,
          candidate.start,
        ]
      }
      let (one, two) = (key(left), key(right))
      return one != two ? one.lexicographicallyPrecedes(two) : ranking.keys[left.source] < ranking.keys[right.source]
    }
    var kept: [SleepCandidate] = []
    var places = TimeBuckets<Int>()
    for candidate in order {
      let span = candidate.start..<candidate.end
      let better = places.first(near: candidate.start, candidate.end) {
        Self.overlaps(kept[$0].start..<kept[$0].end, span)
      }
      if let better {
        kept[better].inBed += candidate.inBed
      } else {
        places.insert(kept.count, candidate.start, candidate.end)
        kept.append(candidate)
      }
    }
    return kept
  }
}
