import HostPrimitives

/// Hours that somebody stood or sat, and the time of mindful sessions, by local day.
package enum LocalHours {
  package struct Count: Sendable, Hashable {
    package var stood = 0
    package var idle = 0
  }

  /// Distinct local hours of each day: those with `stood`, and those with nothing but `idle`. An hour that the clocks show twice is two.
  package static func counts(_ samples: [HealthSample], _ borders: DayBorders) -> [Count] {
    struct Hour: Hashable {
      var day: Int
      var number: Int64
      var utcOffset: Int
    }
    var hours: [Hour: Bool] = [:]
    for sample in samples {
      guard let day = borders.index(of: sample.start) else { continue }
      let utcOffset = borders.utcOffset(at: sample.start)
      let number = (sample.start + Int64(utcOffset) * 1_000_000).dividedDown(by: 3_600_000_000).quotient
      let isStood = sample.text == "stood"
      guard isStood || sample.text == "idle" else { continue }
      hours[Hour(day: day, number: number, utcOffset: utcOffset), default: false] =
        isStood || hours[Hour(day: day, number: number, utcOffset: utcOffset), default: false]
    }
    var counts = [Count](repeating: Count(), count: borders.days.count)
    for (hour, isStood) in hours {
      if isStood { counts[hour.day].stood += 1 } else { counts[hour.day].idle += 1 }
    }
    return counts
  }

  /// How much of each bin the samples cover together, in microseconds. Where each moment is worth as much as it lasts, this is
  /// what merging by an order of sources comes to as well, whatever the order.
  package static func union(_ samples: [HealthSample], _ borders: [Int64]) -> [Int64] {
    var result = [Int64](repeating: 0, count: max(0, borders.count - 1))
    for span in Self.spans(samples.map { ($0.start, $0.end) }) {
      var (low, high) = (0, borders.count)
      while low < high {
        let middle = (low + high) / 2
        if borders[middle] <= span.start { low = middle + 1 } else { high = middle }
      }
      var bin = max(0, low - 1)
      while bin < result.count, borders[bin] < span.end {
        result[bin] += max(0, min(span.end, borders[bin + 1]) - max(span.start, borders[bin]))
        bin += 1
      }
    }
    return result
  }

  /// Intervals that neither overlap nor touch, in the order of time, of any.
  static func spans(_ intervals: [(start: Int64, end: Int64)]) -> [(start: Int64, end: Int64)] {
    var spans: [(start: Int64, end: Int64)] = []
    for interval in intervals.sorted(by: { $0.start < $1.start }) where interval.start < interval.end {
      if let last = spans.last, interval.start <= last.end {
        spans[spans.count - 1].end = max(last.end, interval.end)
      } else {
        spans.append(interval)
      }
    }
    return spans
  }
}
