/// A night or a nap.
package struct SleepSession: Sendable, Hashable {
  /// One stage of it.
  package struct Segment: Sendable, Hashable {
    package let stage: SleepStage
    /// Microseconds since 1970-01-01T00:00Z.
    package let start: Int64
    package var end: Int64
  }

  package var origin: HealthOrigin
  /// The local day on which it ended, `YYYY-MM-DD`.
  package let day: String
  /// Whether it is the longest one of its day; the others are naps.
  package let isMain: Bool
  package let metrics: [HealthMetric]
  /// In the order of time; none where the export only tells sums.
  package let segments: [Segment]
  package let identity: HealthIdentity
  /// Further names, under which it may have been imported before.
  package let alternates: [HealthIdentity]
}

/// A session before it is known which ones count.
struct SleepCandidate {
  /// How much a source knows of a night, the most last.
  enum Quality: Int {
    case inBed
    case asleep
    case stages
  }

  var start: Int64
  var end: Int64
  var source: Int
  var segments: [SleepSession.Segment] = []
  /// Everything of it and of sessions that it has replaced.
  var inBed: [(start: Int64, end: Int64)] = []
  /// The start of its first sample in bed.
  var firstInBed: Int64?
  /// What the export tells as sums, in microseconds.
  var told: [String: Int64] = [:]
  var utcOffset: Int?
  var id: String?
  var modified: Int64 = 0
  var isManual = false

  private static let asleep: Set<SleepStage> = [.asleep, .core, .deep, .rem]

  func time(_ stages: Set<SleepStage>) -> Int64 {
    segments.reduce(0) { $0 + (stages.contains($1.stage) ? $1.end - $1.start : 0) }
  }

  var quality: Quality {
    let hasTold = ["core", "deep", "rem"].contains { told[$0] ?? 0 > 0 }
    if hasTold || segments.contains(where: { [.core, .deep, .rem].contains($0.stage) }) { return .stages }
    return asleepTime > 0 ? .asleep : .inBed
  }

  /// All sleep, in microseconds.
  var asleepTime: Int64 {
    guard told.isEmpty else {
      let stages = ["core", "deep", "rem"].reduce(0) { $0 + (told[$1] ?? 0) }
      let others = [HealthAttribute.Key.asleep, HealthAttribute.Key.total].map { told[$0] ?? 0 }
      return max(stages, others.max() ?? 0)
    }
    return time(Self.asleep)
  }

  /// The union of everything, in microseconds.
  var inBedTime: Int64 {
    let union = LocalHours.spans(inBed).reduce(0) { $0 + $1.end - $1.start }
    return max(union, told[HealthAttribute.Key.inBed] ?? 0)
  }

  /// Values in s, as the dictionary names them. Without sleep only the time in bed.
  var metrics: [HealthMetric] {
    let inBed = HealthMetric.seconds("in_bed_duration", inBedTime)
    guard asleepTime > 0 else { return [inBed] }
    guard told.isEmpty else { return toldMetrics + [inBed] }
    var metrics: [HealthMetric] = [
      .seconds("sleep_duration", asleepTime), .seconds("light_sleep", time([.core, .asleep])),
      .seconds("deep_sleep", time([.deep])), .seconds("rem_sleep", time([.rem])),
      .seconds("awake_duration", time([.awake])), HealthMetric("awake_count", HealthDecimal(awakenings), "{count}"),
      inBed,
    ]
    let first = segments.first { Self.asleep.contains($0.stage) }
    if let firstInBed, let first, firstInBed <= first.start {
      metrics.append(.seconds("time_to_fall_asleep", first.start - firstInBed))
    }
    return metrics
  }

  private var toldMetrics: [HealthMetric] {
    var metrics: [HealthMetric] = [.seconds("sleep_duration", asleepTime)]
    if quality == .stages {
      let staged = (told["deep"] ?? 0) + (told["rem"] ?? 0)
      metrics.append(.seconds("light_sleep", max(0, asleepTime - staged)))
      metrics.append(.seconds("deep_sleep", told["deep"] ?? 0))
      metrics.append(.seconds("rem_sleep", told["rem"] ?? 0))
    }
    if let awake = told[HealthAttribute.Key.awake] { metrics.append(.seconds("awake_duration", awake)) }
    return metrics
  }

  /// Times awake between the first and the last sleep.
  private var awakenings: Int64 {
    var (count, isAwake, hasSlept): (Int64, Bool, Bool) = (0, false, false)
    for segment in segments {
      if Self.asleep.contains(segment.stage) {
        if isAwake { count += 1 }
        (isAwake, hasSlept) = (false, true)
      } else if segment.stage == .awake, hasSlept {
        isAwake = true
      }
    }
    return count
  }
}
