import HostPrimitives
import MeterCore

/// Which readings the broker of this connection has taken, and since when: a broker's word alone is no storage, so that they stay here for a
/// while. A connection that ends may have been the broker's end, and everything is published again then.
struct KeptReadings: Sendable {
  struct Name: Sendable, Hashable {
    let logID: LogID
    let revision: Int

    init(_ record: Record) { (logID, revision) = (record.logID, record.revision) }
  }

  private var since: [Name: HostInstant] = [:]
  private var order: [Name] = []

  /// More are not remembered; those are published once more.
  private static let limit = 16_384

  mutating func note(_ name: Name, _ now: HostInstant) {
    if since.updateValue(now, forKey: name) == nil { order.append(name) }
    guard order.count > Self.limit else { return }
    for name in order.prefix(Self.limit / 4) { since[name] = nil }
    order.removeFirst(Self.limit / 4)
  }

  /// How long it still has to stay: zero when it has stayed long enough, and is forgotten here; nil of one that is to be published.
  mutating func left(_ name: Name, _ time: Duration, _ now: HostInstant) -> Duration? {
    guard let begin = since[name] else { return nil }
    guard begin + time <= now else { return begin + time - now }
    since[name] = nil
    order.removeAll { $0 == name }
    return .zero
  }

  mutating func removeAll() { self = KeptReadings() }
}

/// The names of things that happened last.
struct RecentNames<Name: Hashable & Sendable>: Sendable {
  private var names: Set<Name> = []
  private var order: [Name] = []
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  func contains(_ name: Name) -> Bool { names.contains(name) }

  mutating func insert(_ name: Name) {
    guard names.insert(name).inserted else { return }
    order.append(name)
    if order.count > limit { names.remove(order.removeFirst()) }
  }
}
