import MeterCore

/// What the console answers, by path. A path is taken as it is written: no escapes, no dots, no double slashes.
///
/// A path names a reading by its id, which is random or a hash; nothing that was measured, and nobody's name, stands in one.
enum ConsoleRoute: Sendable, Hashable {
  case open(token: String)
  case login, logout
  case file(PageFile)
  case changes
  case area(PageArea)
  case heldReadings, charts, filterReadings
  case reading(QueueName)
  case picture(QueueName)
  case drawing(MeterPictureName)
  case decideReading(QueueName, ReadingDecision)
  case examine
  case act(PageArea, name: String, action: String)
  case part(PageArea, name: String)
  /// Something of the view by which displays are read, by its path there.
  case view(path: String)

  init?(path: String) {
    if let file = PageFile(rawValue: path) {
      self = .file(file)
      return
    }
    if let area = PageArea.allCases.first(where: { $0.path == path }) {
      self = .area(area)
      return
    }
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= 512 else { return nil }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    switch parts.first {
    case "readings"?:
      guard let route = Self.ofReadings(Array(parts.dropFirst())) else { return nil }
      self = route
    case "displays"? where parts.count >= 2 && !parts[1].isEmpty:
      self = .view(path: parts == ["displays", "view"] ? "/" : "/" + parts.dropFirst().joined(separator: "/"))
    case "open"? where parts.count == 2: self = .open(token: parts[1])
    case "pictures"? where parts.count == 2:
      guard let name = MeterPictureName(path: parts[1]) else { return nil }
      self = .drawing(name)
    case let word? where parts.count == 1:
      guard let route = Self.single(word) else { return nil }
      self = route
    case let word?:
      guard let area = PageArea.allCases.first(where: { $0.path == "/\(word)" }), parts.count <= 3,
        parts.dropFirst().allSatisfy(Self.isPlain)
      else { return nil }
      self = parts.count == 2 ? .part(area, name: parts[1]) : .act(area, name: parts[1], action: parts[2])
    case nil: return nil
    }
  }

  private static func single(_ word: String) -> ConsoleRoute? {
    switch word {
    case "login": .login
    case "logout": .logout
    case "events": .changes
    case "charts": .charts
    case "examine": .examine
    default: nil
    }
  }

  private static func ofReadings(_ parts: [String]) -> ConsoleRoute? {
    switch (parts.first, parts.count) {
    case ("held"?, 1): return .heldReadings
    case ("filter"?, 1): return .filterReadings
    case (let name?, 1...2):
      guard let name = QueueName(name.replacing("~", with: "#")) else { return nil }
      guard parts.count == 2 else { return .reading(name) }
      if parts[1] == "picture" { return .picture(name) }
      return ReadingDecision(rawValue: parts[1]).map { .decideReading(name, $0) }
    default: return nil
    }
  }

  /// Names of receivers, meters and drivers as paths have them.
  private static func isPlain(_ part: String) -> Bool { part.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]{0,127}/) != nil }

  /// Whether it changes something, and so is a `POST`; nil where both are possible.
  var changes: Bool? {
    switch self {
    case .login, .view: nil
    case .logout, .filterReadings, .decideReading, .examine, .act: true
    case .open, .file, .changes, .area, .heldReadings, .charts, .reading, .picture, .drawing, .part: false
    }
  }

  /// Whether a person may come here by a link from elsewhere.
  var isEntry: Bool {
    switch self {
    case .open, .login, .area(.overview): true
    default: false
    }
  }
}
