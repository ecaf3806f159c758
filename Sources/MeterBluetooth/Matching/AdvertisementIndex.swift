public import BluetoothWire
public import MeterDrivers

/// Which entries of the catalogue an advertisement may come from, found without trying every rule.
///
/// Says exactly what `Peripheral.fit(_:)` says of each entry. Each rule is filed under the one condition that it shares
/// with the fewest others, a name's beginning, a company or a service; what an advertisement holds is looked up, and only
/// the rules found there are tried whole.
public struct AdvertisementIndex: Sendable {
  /// A rule with its conditions in the form of the air.
  fileprivate struct Rule: Sendable {
    let entry: UInt32
    let services: [BluetoothUUID]
    let dataServices: [BluetoothUUID]
    let company: UInt16?
    let namePrefix: [UInt8]?
    /// Whether Device Information has the last word.
    let isOpen: Bool
  }

  /// What one condition leads to: rules by their place.
  private typealias Rules = [Int32]

  /// What a match needs and the next one can use again.
  struct Workspace: Sendable {
    var facts = AdvertisingFacts()
    fileprivate var hits: [UInt32] = []
  }

  /// The ids of the entries, ascending.
  private var ids: [UInt32] = []
  private var rules: [Rule] = []
  private var byService: [BluetoothUUID: Rules] = [:]
  private var byDataService: [BluetoothUUID: Rules] = [:]
  private var byCompany: [UInt16: Rules] = [:]
  private var prefixes = PrefixTable(sorted: [])
  private var byPrefix: [Rules] = []
  /// Rules that ask nothing of the advertisement.
  private var always: Rules = []

  /// An index of every entry that the registry would match, or of those of them that are chosen.
  ///
  /// - Parameter chosen: The ids of the entries; nil takes all. Ids of entries that cannot be matched are passed over.
  public init(_ registry: Registry, choosing chosen: Set<UInt32>? = nil) {
    self.init(registry.peripherals.filter { chosen?.contains($0.id) != false && registry.isMatchable($0) })
  }

  /// An index of these entries, whether or not their drivers are there; of two with one id the first.
  public init(_ peripherals: some Sequence<Peripheral>) {
    var entries: [UInt32: Peripheral] = [:]
    for peripheral in peripherals where entries[peripheral.id] == nil { entries[peripheral.id] = peripheral }
    ids = entries.keys.sorted()
    for (entry, id) in ids.enumerated() {
      rules += entries[id]?.matchRules.map { Rule($0, entry: UInt32(entry)) } ?? []
    }
    file()
  }

  /// The entries that a single report may come from, without what was heard of the same device before.
  public func matches(_ report: AdvertisingReport) -> AdvertisementMatches { matches(report.data) }

  /// The entries that an advertisement and the scan response to it may come from.
  ///
  /// - Parameters:
  ///   - advertisement: The advertising data of the one, any bytes.
  ///   - scanResponse: That of the other; empty when there is none.
  public func matches(_ advertisement: [UInt8], scanResponse: [UInt8] = []) -> AdvertisementMatches {
    var workspace = Workspace()
    return matches(advertisement, scanResponse, &workspace)
  }

  func matches(
    _ advertisement: [UInt8], _ scanResponse: [UInt8], _ workspace: inout Workspace
  ) -> AdvertisementMatches {
    workspace.facts.read(advertisement, scanResponse: scanResponse)
    workspace.hits.removeAll(keepingCapacity: true)
    collect(workspace.facts, &workspace.hits)
    guard !workspace.hits.isEmpty else { return .none }
    return verdict(&workspace.hits)
  }
}

extension AdvertisementIndex {
  /// A condition under which a rule can be filed.
  fileprivate enum Condition: Hashable {
    case prefix([UInt8])
    case company(UInt16)
    case service(BluetoothUUID)
    case dataService(BluetoothUUID)
  }

  /// Files every rule under its rarest condition.
  private mutating func file() {
    let conditions = rules.map(\.conditions)
    var uses: [Condition: Int] = [:]
    for condition in conditions.joined() { uses[condition, default: 0] += 1 }
    var filed: [[UInt8]: Rules] = [:]
    for (rule, conditions) in conditions.enumerated() {
      switch conditions.min(by: { uses[$0, default: 0] < uses[$1, default: 0] }) {
      case .prefix(let prefix): filed[prefix, default: []].append(Int32(rule))
      case .company(let company): byCompany[company, default: []].append(Int32(rule))
      case .service(let service): byService[service, default: []].append(Int32(rule))
      case .dataService(let service): byDataService[service, default: []].append(Int32(rule))
      case nil: always.append(Int32(rule))
      }
    }
    let sorted = filed.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    prefixes = PrefixTable(sorted: sorted.map(\.key))
    byPrefix = sorted.map(\.value)
  }

  /// Tries the rules that the facts lead to. A rule is filed once and facts hold nothing twice: none is tried again.
  private func collect(_ facts: AdvertisingFacts, _ hits: inout [UInt32]) {
    attempt(always, facts, &hits)
    if facts.hasName, !byPrefix.isEmpty {
      prefixes.forEachPrefix(of: facts.name) { attempt(byPrefix[$0], facts, &hits) }
    }
    if !byService.isEmpty {
      for service in facts.services { if let rules = byService[service] { attempt(rules, facts, &hits) } }
    }
    if !byDataService.isEmpty {
      for service in facts.dataServices { if let rules = byDataService[service] { attempt(rules, facts, &hits) } }
    }
    if !byCompany.isEmpty {
      for company in facts.companies { if let rules = byCompany[company] { attempt(rules, facts, &hits) } }
    }
  }

  private func attempt(_ places: Rules, _ facts: AdvertisingFacts, _ hits: inout [UInt32]) {
    for place in places {
      // An entry's hits sort behind each other, the one that decides first.
      let isMet = rules[Int(place)].isMet(by: facts)
      if isMet { hits.append(rules[Int(place)].entry << 1 | (rules[Int(place)].isOpen ? 1 : 0)) }
    }
  }

  private func verdict(_ hits: inout [UInt32]) -> AdvertisementMatches {
    if hits.count > 1 { hits.sort() }
    var (fits, undecided): ([UInt32], [UInt32]) = ([], [])
    var last: UInt32?
    for hit in hits where hit >> 1 != last {
      last = hit >> 1
      if hit & 1 == 0 { fits.append(ids[Int(hit >> 1)]) } else { undecided.append(ids[Int(hit >> 1)]) }
    }
    return AdvertisementMatches(fits: fits, undecided: undecided)
  }
}

extension AdvertisementIndex.Rule {
  fileprivate init(_ rule: MatchRule, entry: UInt32) {
    self.entry = entry
    services = rule.services.compactMap { BluetoothUUID(bytes: $0.bigEndianBytes) }
    dataServices = rule.serviceData.compactMap { BluetoothUUID(bytes: $0.bigEndianBytes) }
    company = rule.companyID
    namePrefix = rule.namePrefix.map { Array($0.utf8) }
    isOpen = rule.manufacturerPrefix != nil || rule.modelPrefix != nil
  }

  /// Under what the rule can be filed, the most telling first.
  fileprivate var conditions: [AdvertisementIndex.Condition] {
    (namePrefix.map { [.prefix($0)] } ?? []) + (company.map { [.company($0)] } ?? [])
      + dataServices.map { .dataService($0) } + services.map { .service($0) }
  }

  /// Whether everything holds that the rule asks of the advertisement.
  fileprivate func isMet(by facts: AdvertisingFacts) -> Bool {
    if let company, !facts.hasCompany(company) { return false }
    if let namePrefix, !(facts.hasName && facts.name.starts(with: namePrefix)) { return false }
    return services.allSatisfy { facts.hasService($0) } && dataServices.allSatisfy { facts.hasData(of: $0) }
  }
}
