/// Which source of an export counts where several have recorded the same time.
///
/// ```swift
/// let ranking = SourceRanking(
///   sources, of: .apple, configured: [.init("Riley's Watch"), .init("Old app", isOff: true)], known: stored,
///   coverage: [120_000_000, 0, 90_000_000])
/// store(ranking.known)
/// ```
package struct SourceRanking: Sendable {
  /// A source that the user put in an order, or switched off.
  package struct Configured: Sendable, Hashable {
    /// Its key as ``SourceKey`` makes it.
    package let key: String
    /// Whether its samples count at all.
    package let isOff: Bool

    package init(_ name: String, isOff: Bool = false) {
      key = SourceKey.normalized(name)
      self.isOff = isOff
    }
  }

  /// A source as it was ranked when it was first seen. Kept from import to import: an order that another export turned round would
  /// change days that were sent long ago.
  package struct Known: Sendable, Hashable, Codable {
    package let key: String
    package let kind: SourceKind

    package init(key: String, kind: SourceKind) {
      self.key = key
      self.kind = kind
    }
  }

  /// What is known of the sources of one store before an export is read.
  package struct Order: Sendable, Hashable {
    /// The user's order.
    package var configured: [Configured] = []
    /// The order found at earlier imports.
    package var known: [Known] = []

    package init(configured: [Configured] = [], known: [Known] = []) {
      self.configured = configured
      self.known = known
    }
  }

  /// How samples of two sources that overlap are treated.
  package enum Rule: Sendable, Hashable {
    /// One source counts, with all of its samples.
    case sources
    /// One sample counts: of the source first in the owner's order, and of those the one that was changed last.
    case samples
  }

  package let family: HealthFamily
  package let rule: Rule
  /// The key of each source, by its index in the export.
  package let keys: [String]
  package let kinds: [SourceKind]
  /// The known sources and those of this export behind them, each once, the first of a kind counting most.
  package let known: [Known]
  /// The place of each source's key, by the source's index, from 0, the first counts most; equal for sources of one key.
  package let places: [Int]
  private let isOff: [Bool]
  private let configured: [Int?]
  private let priorities: [[HealthCategory: HealthSource.Priority]]
  private let hasOrder: Set<HealthCategory>

  /// - Parameters:
  ///   - sources: By their index in the export.
  ///   - configured: In the order in which they count, or off.
  ///   - known: What the last import gave as ``known``.
  ///   - coverage: How long each source has recorded within the window, in microseconds, by index: the order of new sources of a kind.
  package init(
    _ sources: [HealthSource], of family: HealthFamily, configured: [Configured] = [], known: [Known] = [],
    coverage: [Int64] = []
  ) {
    self.family = family
    rule = family == .healthConnect ? .samples : .sources
    keys = sources.map { SourceKey.key(of: $0, in: family) }
    let kinds = sources.map(SourceKey.kind)

    var byKey: [String: Known] = [:]
    for source in known where byKey[source.key] == nil { byKey[source.key] = source }
    var fresh: [String: (kind: SourceKind, coverage: Int64)] = [:]
    for (index, key) in keys.enumerated() where byKey[key] == nil {
      let before = fresh[key]
      let kind = before.map { $0.kind.rank >= kinds[index].rank ? $0.kind : kinds[index] } ?? kinds[index]
      let covered = (before?.coverage ?? 0).addingReportingOverflow(index < coverage.count ? coverage[index] : 0)
      fresh[key] = (kind, covered.overflow ? .max : covered.partialValue)
    }
    let added = fresh.sorted {
      ($0.value.kind.rank, $0.value.coverage) != ($1.value.kind.rank, $1.value.coverage)
        ? ($0.value.kind.rank, $0.value.coverage) > ($1.value.kind.rank, $1.value.coverage) : $0.key < $1.key
    }
    var seen: Set<String> = []
    let all = known.filter { seen.insert($0.key).inserted } + added.map { Known(key: $0.key, kind: $0.value.kind) }
    self.known = all

    let wanted = configured.enumerated().filter { !$0.element.isOff }
    let wishes = Dictionary(wanted.map { ($0.element.key, $0.offset) }, uniquingKeysWith: min)
    let off = Set(configured.filter(\.isOff).map(\.key))
    let order = all.enumerated().sorted { left, right in
      let (first, second) = (wishes[left.element.key] ?? .max, wishes[right.element.key] ?? .max)
      if first != second { return first < second }
      let (one, two) = (left.element.kind.rank, right.element.kind.rank)
      return one != two ? one > two : left.offset < right.offset
    }
    let place = Dictionary(
      order.enumerated().map { ($0.element.element.key, $0.offset) }, uniquingKeysWith: { first, _ in first })
    places = keys.map { place[$0] ?? all.count }
    let kindByKey = Dictionary(all.map { ($0.key, $0.kind) }, uniquingKeysWith: { first, _ in first })
    self.kinds = zip(keys, kinds).map { kindByKey[$0] ?? $1 }
    isOff = keys.map(off.contains)
    self.configured = keys.map { wishes[$0] }
    // Packages of one source, such as the phone's own, have the best place of any of them.
    priorities = Self.merged(sources.map(\.priorities), by: keys)
    hasOrder = Set(
      sources.flatMap { $0.priorities.filter { $0.value != .leftOut }.keys })
  }

  private static func merged(
    _ priorities: [[HealthCategory: HealthSource.Priority]], by keys: [String]
  ) -> [[HealthCategory: HealthSource.Priority]] {
    var byKey: [String: [HealthCategory: HealthSource.Priority]] = [:]
    for (key, own) in zip(keys, priorities) {
      byKey[key, default: [:]].merge(own) { first, second in
        switch (first, second) {
        case (.place(let one), .place(let two)): .place(min(one, two))
        case (.place, .leftOut): first
        case (.leftOut, _): second
        }
      }
    }
    return keys.map { byKey[$0] ?? [:] }
  }

  /// Whether the user switched a source off; one that the export does not name counts never.
  package func isOff(_ source: Int) -> Bool { isOff.indices.contains(source) ? isOff[source] : true }

  /// The rank of a source for a quantity, lower counts more; nil when its samples do not count.
  ///
  /// Of Health Connect: the user's configured order first, then the order in the export. Where that has one for the category, a source
  /// that is not in it is left out; where it has none, all are equal.
  package func rank(of source: Int, for quantity: HealthQuantity) -> Int? {
    guard !isOff(source) else { return nil }
    guard rule == .samples else { return places[source] }
    if let wish = configured[source] { return wish }
    let behind = 1 << 20
    switch priorities[source][quantity.category] {
    case .place(let place): return behind + Int(place)
    case .leftOut: return nil
    case nil: return hasOrder.contains(quantity.category) ? nil : 2 * behind
    }
  }
}
