import GatewayAPI
import MeterCore
import MeterHealth

/// The sources of a session's health stores: what is known of them, and what is chosen.
struct HealthSourceBook {
  private let store: MeterStore
  private let generation: SessionGeneration
  /// Keys that an error lists.
  private static let mostListed = 20

  init(_ store: MeterStore, of generation: SessionGeneration) {
    self.store = store
    self.generation = generation
  }

  /// The stores that are meant.
  static func families(_ wanted: HealthStore?) -> [HealthFamily] {
    HealthFamily.allCases.filter { wanted == nil || $0.store == wanted }
  }

  /// The sources of a store, those that count most first.
  ///
  /// - Throws: `StoreError`.
  func list(_ wanted: HealthStore?) throws -> [HealthSourceDescription] {
    let orders = try HealthSubmission(store, of: generation).orders()
    var result: [HealthSourceDescription] = []
    for family in Self.families(wanted) {
      result += try list(family, orders[family] ?? SourceRanking.Order())
    }
    return result
  }

  private func list(_ family: HealthFamily, _ order: SourceRanking.Order) throws -> [HealthSourceDescription] {
    let sources = try store.healthSources(family: family.rawValue)
    let places = SourceRanking(
      sources.map { HealthSource($0.key) }, of: family, configured: order.configured, known: order.known
    ).places
    // An export of Health Connect has an order itself, behind the chosen one.
    let ranked = sources.indices.filter {
      !sources[$0].isOff && (family != .healthConnect || sources[$0].chosenPlace != nil)
    }.sorted { places[$0] < places[$1] }
    let rest = sources.indices.filter { !ranked.contains($0) }
    return (ranked + rest).enumerated().map { place, index in
      let source = sources[index]
      return HealthSourceDescription(
        store: family.store, key: source.key, name: source.name, kind: source.kind,
        rank: place < ranked.count ? place + 1 : nil, isChosen: source.chosenPlace != nil, isOff: source.isOff)
    }
  }

  /// The one store that has all of these sources, and their keys as it has them.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_source` or `ambiguous_source`; `StoreError`.
  func find(_ names: [String], in wanted: HealthStore?) throws -> (family: HealthFamily, keys: [String]) {
    var found: [(family: HealthFamily, keys: [String])] = []
    var known: [HealthFamily: [String]] = [:]
    for family in Self.families(wanted) {
      let keys = try store.healthSources(family: family.rawValue).map(\.key)
      known[family] = keys
      let named = names.compactMap { name in
        [name, SourceKey.normalized(name)].first { keys.contains($0) }
      }
      if named.count == names.count { found.append((family, named)) }
    }
    guard let first = found.first else { throw Self.unknown(names, known) }
    guard found.count == 1 else {
      throw GatewayError(
        .usage, code: "ambiguous_source",
        "\(names.joined(separator: ", ")): \(found.map { $0.family.store.rawValue }.joined(separator: " and ")) have it",
        hint: "say which one with --store")
    }
    return first
  }

  private static func unknown(_ names: [String], _ known: [HealthFamily: [String]]) -> GatewayError {
    let all = Set(known.values.joined())
    let lost = names.first { !all.contains($0) && !all.contains(SourceKey.normalized($0)) }
    let stores = HealthFamily.allCases.compactMap { family -> String? in
      guard let keys = known[family], !keys.isEmpty else { return nil }
      let listed = keys.prefix(mostListed).joined(separator: ", ") + (keys.count > mostListed ? ", ..." : "")
      return "\(family.store.rawValue): \(listed)"
    }
    return GatewayError(
      .usage, code: "unknown_source",
      lost.map { "there is no source \($0.prefix(80))" } ?? "no health store has all of these sources",
      hint: stores.isEmpty
        ? "sources are known from the first import on: `meterhost health import --help`"
        : "there are \(stores.joined(separator: "; "))")
  }
}

extension HealthFamily {
  /// What it is called in requests and answers.
  var store: HealthStore {
    switch self {
    case .apple: .apple
    case .healthConnect: .healthConnect
    case .samsung: .samsung
    }
  }
}
