import Foundation
import GatewayAPI
package import MeterCore
import Synchronization

/// Counts what a running host does, in memory: everything begins at 0 with the process.
package final class HostTally: Sendable {
  /// What was counted up to a moment.
  struct Counts: Sendable {
    var readings = LabelledCounts()
    var reads = LabelledCounts()
    var pairings = LabelledCounts()
    var attempts = LabelledCounts()
    var images = LabelledCounts()
    var workerStarts = LabelledCounts()
    var workerFaults = LabelledCounts()
    var turns = LabelledHistograms(bounds: [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600])
    var commits = LabelledHistograms(bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5])
    var answers = LabelledHistograms(bounds: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
    /// A minute to a week.
    var delays = LabelledHistograms(
      bounds: [5, 15, 60, 300, 900, 3600, 14_400, 43_200, 86_400, 259_200, 604_800])
    /// How full the batteries of meters were when they last said so, from 0 to 1.
    var batteries: [UUID: Double] = [:]
    /// How far receivers' clocks were ahead when they last said so, in seconds.
    var skews: [String: Int] = [:]
  }

  private let state = Mutex(Counts())

  /// Nothing was counted yet.
  package init() {}

  /// What was counted up to now.
  var counts: Counts { state.withLock { $0 } }

  /// Counts what has happened. It waits for nothing but whoever counts at the same moment.
  package func note(_ event: CountedEvent) { state.withLock { $0.note(event) } }
}

extension HostTally.Counts {
  mutating func note(_ event: CountedEvent) {
    switch event {
    case .committed(let time): commits.observe(time.inSeconds)
    case .filed(let type, let state): readings.add(["type": type.rawValue, "state": state.rawValue])
    case .read(let peripheral, let outcome):
      reads.add(["peripheral": "\(peripheral)", "outcome": LabelledCounts.word(outcome)])
    case .turnEnded(let time): turns.observe(time.inSeconds)
    case .paired(let outcome): pairings.add(["outcome": LabelledCounts.word(outcome)])
    case .batteryTold(let meter, let ratio):
      if batteries[meter] != nil || batteries.count < StoreFigures.meterLimit { batteries[meter] = ratio }
    case .workerStarted(let driver): workerStarts.add(["driver": driver])
    case .workerFailed(let driver, let rule): workerFaults.add(["driver": driver, "rule": rule ?? "none"])
    case .sent(let sink, let outcome, let delay):
      attempts.add(["sink": sink, "outcome": outcome.rawValue])
      if let delay { delays.observe(max(Double(delay) / 1_000_000, 0), ["sink": sink]) }
    case .sentImage(let sink, let outcome): images.add(["sink": sink, "outcome": outcome.rawValue])
    case .answered(let sink, let time, let skew):
      answers.observe(time.inSeconds, ["sink": sink])
      if let skew { skews[sink] = skew }
    }
  }
}

extension Duration {
  /// Seconds with their fraction.
  fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
