/// Which server is tried next, and when. A value: whoever holds it waits and connects.
package struct NATSServerPool: Sendable {
  /// What is to be done next.
  package enum Step: Sendable, Hashable {
    case dial(NATSAddress)
    /// Every server was tried and failed.
    case wait(Duration)
  }

  /// Those of the setting.
  let configured: [NATSAddress]
  /// Those that servers have named.
  private(set) var learnt: [NATSAddress] = []
  private let backoff: ClosedRange<Duration>
  /// Those that are still to be tried in this round.
  private var round: [NATSAddress] = []
  private var isWaiting = false
  /// Rounds in a row in which every server has failed.
  private(set) var failedRounds = 0

  package init(_ configured: [NATSAddress], backoff: ClosedRange<Duration>) {
    self.configured = configured
    self.backoff = backoff
  }

  /// The next step.
  ///
  /// - Parameter generator: For the order of a round, and for jitter: not every gateway is to come back at once and to the same server.
  package mutating func next(using generator: inout some RandomNumberGenerator) -> Step {
    if let address = round.popLast() {
      isWaiting = round.isEmpty
      return .dial(address)
    }
    guard !isWaiting, !configured.isEmpty else {
      isWaiting = false
      failedRounds += 1
      return .wait(wait(using: &generator))
    }
    // From the end: those of the setting come first, since a person has named them.
    round = learnt.shuffled(using: &generator) + configured.shuffled(using: &generator)
    return next(using: &generator)
  }

  /// A connection was ready: the next one may be tried at once, any server will do.
  package mutating func succeeded() {
    failedRounds = 0
    (round, isWaiting) = ([], false)
  }

  /// Takes what a server says of the others.
  package mutating func learn(_ addresses: [String], from server: NATSAddress) {
    learnt = []
    for text in addresses.prefix(NATSServerInfo.mostAddresses) {
      guard let address = NATSAddress(learnt: text, isEncrypted: server.isEncrypted),
        !configured.contains(address), !learnt.contains(address)
      else { continue }
      learnt.append(address)
    }
  }

  private func wait(using generator: inout some RandomNumberGenerator) -> Duration {
    var longest = backoff.lowerBound
    for _ in 1..<max(1, min(failedRounds, 64)) where longest < backoff.upperBound { longest = longest * 2 }
    return min(longest, backoff.upperBound) * Double.random(in: 0.5...1, using: &generator)
  }
}
