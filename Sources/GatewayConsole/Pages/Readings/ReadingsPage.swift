import GatewayAPI

/// What of the readings a person wants to see. It is kept with the session and stands in no address.
struct ReadingFilter: Sendable, Hashable {
  /// A state's word; nil for all.
  var state: String?
  var type: String?
  /// The id of the catalogue's entry.
  var peripheral: Int?
  /// The first day and the last, `2026-07-01`, in the gateway's zone.
  var from: String?
  var to: String?

  var isEmpty: Bool { self == ReadingFilter() }

  /// Whether a reading is wanted.
  func admits(_ item: QueueItem, times: LocalTimes) -> Bool {
    if let state, item.state != state { return false }
    guard type != nil || peripheral != nil || from != nil || to != nil else { return true }
    guard let reading = item.reading else { return false }
    if let type, reading.type != type { return false }
    if let peripheral, reading.peripheral != peripheral { return false }
    let day = String(times.text(reading.time).prefix(10))
    return (from.map { day >= $0 } ?? true) && (to.map { day <= $0 } ?? true)
  }
}

/// The readings that are kept here.
struct ReadingsPage: ConsolePage {
  static let template = PageTemplate.readings
  static let area: PageArea? = .readings

  /// A choice of a list.
  struct Choice: Sendable {
    let value: String
    let label: String
    let isChosen: Bool
  }

  let title: String
  /// Whether the choice can be changed here.
  let isChoosing: Bool
  let rows: [ReadingRow]
  let isEmpty: Bool
  let states: [Choice]
  let types: [Choice]
  let peripheral: String
  let from: String
  let to: String
  let isFiltered: Bool
  /// Where older ones are; nil where there are none, or none were looked at.
  let older: String?
  /// Where the newest are; nil on the page that has them.
  let newest: String?
  /// How far was looked through, where that was not everything.
  let looked: String?
  let isPaused: Bool

  static let stateWords = ["held", "pending", "in_flight", "dead", "excluded", "delivered"]
  static let typeWords = [
    "biometrics", "diabetes", "weight", "routine", "nutrition", "fitness", "sleep", "intraday", "cgm",
  ]

  /// - Parameters:
  ///   - items: What fits, newest first.
  ///   - next: The position behind which older ones are; nil at the end.
  ///   - looked: How many were looked at, where the rest was not.
  ///   - isHeld: It is the list of what is held.
  init(
    _ items: [QueueItem], next: Int64?, isFirst: Bool, looked: Int?, filter: ReadingFilter, isPaused: Bool,
    isHeld: Bool, times: LocalTimes
  ) {
    title = isHeld ? "Held readings" : "Readings"
    isChoosing = !isHeld
    let path = isHeld ? "/readings/held" : "/readings"
    rows = items.map { ReadingRow($0, times: times) }
    isEmpty = items.isEmpty
    states = Self.choices(Self.stateWords, filter.state) { ReadingWords.state($0) }
    types = Self.choices(Self.typeWords, filter.type) { $0 }
    peripheral = filter.peripheral.map(String.init) ?? ""
    from = filter.from ?? ""
    to = filter.to ?? ""
    isFiltered = !filter.isEmpty
    older = next.map { "\(path)?before=\($0)" }
    newest = isFirst ? nil : path
    self.looked = looked.map { "Looked through \($0) readings here; older ones may fit, too." }
    self.isPaused = isPaused
  }

  private static func choices(_ words: [String], _ chosen: String?, _ label: (String) -> String) -> [Choice] {
    [Choice(value: "", label: "all", isChosen: chosen == nil)]
      + words.map { Choice(value: $0, label: label($0), isChosen: $0 == chosen) }
  }
}
