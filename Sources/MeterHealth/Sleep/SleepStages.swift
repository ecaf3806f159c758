/// Which stage counts at which time where samples of one source overlap.
enum SleepStages {
  /// The stages of a session in the order of time, none overlapping another one.
  ///
  /// A stage that is told (core, deep, REM, awake) counts before sleep of no stage, and that before time in bed; of stages that are
  /// told the one that began later, then the shorter one.
  static func segments(_ pieces: [HealthSample]) -> [SleepSession.Segment] {
    let order = pieces.indices.sorted { precedes(pieces[$0], pieces[$1]) }
    var ranks = [UInt32](repeating: 0, count: pieces.count)
    for (rank, index) in order.enumerated() { ranks[index] = UInt32(rank) }
    let byStart = pieces.indices.sorted { pieces[$0].start < pieces[$1].start }
    let points = Set(pieces.flatMap { [$0.start, $0.end] }).sorted()
    var heap = GroupHeap()
    var next = 0
    var segments: [SleepSession.Segment] = []
    for (point, following) in zip(points, points.dropFirst()) {
      while next < byStart.count, pieces[byStart[next]].start == point {
        heap.insert(ranks[byStart[next]])
        next += 1
      }
      while let rank = heap.first, pieces[order[Int(rank)]].end <= point { heap.removeFirst() }
      guard let rank = heap.first, let stage = pieces[order[Int(rank)]].stage else { continue }
      let told = stage == .session ? .asleep : stage
      if let last = segments.last, last.end == point, last.stage == told {
        segments[segments.count - 1].end = following
      } else {
        segments.append(SleepSession.Segment(stage: told, start: point, end: following))
      }
    }
    return segments
  }

  private static func precedes(_ left: HealthSample, _ right: HealthSample) -> Bool {
    let (one, two) = (level(left.stage), level(right.stage))
    if one != two { return one > two }
    if left.start != right.start { return left.start > right.start }
    if left.end != right.end { return left.end < right.end }
    return (left.stage?.rawValue ?? 0) < (right.stage?.rawValue ?? 0)
  }

  private static func level(_ stage: SleepStage?) -> Int {
    switch stage {
    case .core, .deep, .rem, .awake: 3
    case .asleep: 2
    case .session: 1
    case .inBed, nil: 0
    }
  }
}
