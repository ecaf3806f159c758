/// The columns of a file, in their order.
enum CSVColumn: String, CaseIterable {
  // What says what a row is about comes first, for whoever reads the file back.
  case logID = "log_id"
  case revision, row, rows, image, type, time, end
  case civilTime = "civil_time"
  case timeKind = "time_kind"
  case zoneSource = "zone_source"
  case sequence, origin, part
  case partName = "part_name"
  case metric, value, unit, qualifier, word, loinc, flags, notes, tags, extras, manufacturer, model
  case deviceID = "device_id"
  case peripheral, user, organization

  fileprivate static let places = Dictionary(
    allCases.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
}

/// A row of a file; a cell that is not set is empty.
struct CSVRow {
  private var cells = [String](repeating: "", count: CSVColumn.allCases.count)
  /// Whether it has another time than its reading.
  var hasTime = false

  /// What a file begins with.
  static let heading = line(CSVColumn.allCases.map(\.rawValue))

  /// Sets a cell to a number, or to a name of ours.
  mutating func set(_ column: CSVColumn, _ text: String?) { put(column, text.map(CSVText.plain)) }

  /// Sets a cell to somebody's words.
  mutating func set(_ column: CSVColumn, words: String?) { put(column, words.map(CSVText.words)) }

  private mutating func put(_ column: CSVColumn, _ cell: String?) {
    guard let cell, let place = CSVColumn.places[column] else { return }
    cells[place] = cell
  }

  /// The row as it is in the file.
  var bytes: [UInt8] { Self.line(cells) }

  private static func line(_ cells: [String]) -> [UInt8] { Array((cells.joined(separator: ",") + "\r\n").utf8) }
}
