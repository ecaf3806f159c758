import DriverContract

/// What has happened and the driver has not heard yet, in its order.
struct WaitingFacts: Sendable {
  struct Fact: Sendable {
    let fact: DriverFact
    let token: UInt64
    /// Of a timer that has run out, which start of it.
    var timer: UInt64?
  }

  private var facts: [Fact] = []
  private var first = 0

  var count: Int { facts.count - first }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ fact: Fact) { facts.append(fact) }

  mutating func removeAll() {
    facts.removeAll()
    first = 0
  }

  /// Takes the next one; a timer that was stopped or started again while it waited is passed over.
  mutating func next(_ timers: inout SessionTimers) -> Fact? {
    while first < facts.count {
      let next = facts[first]
      first += 1
      // Moved in large steps, so that a fact costs the same however many wait.
      if first == facts.count || first >= 1024 {
        facts.removeFirst(first)
        first = 0
      }
      guard let serial = next.timer else { return next }
      // Stopped or started again by an event that the driver handled while this one waited.
      guard timers.take(next.token, serial) else { continue }
      return next
    }
    return nil
  }
}
