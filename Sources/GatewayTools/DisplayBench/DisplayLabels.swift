package import GatewayAPI
package import DriverContract

/// A labelled set of photographs: a CSV file with a heading, one photograph a row.
///
/// Columns: `path` (relative to the file's folder), `text` (what the rows show, joined by a literal `\n`; empty or
/// `unreadable`: the right answer is no value), `boxes` (`x y w h` in pixels of the picture as it is shown, turned as its Exif
/// orientation says, `;` between), and if they are there `device_type`, `series`, `rot180` (1: the picture is upside down) and
/// `peripheral`. Others are left alone, and so are blanks around all of them but `path`.
package struct DisplayLabels: Sendable, Hashable {
  package struct Photograph: Sendable, Hashable {
    /// Its line in the file.
    package let line: Int
    /// The file's name, as it is written.
    package let path: String
    /// What each row shows, with single spaces; nil where no value is the right answer.
    package let texts: [String?]
    /// Where the rows lie, or the overlay.
    package let boxes: [ImageBox]
    /// glucometer, scale ...; empty when it is not said.
    package let deviceType: String
    /// Photographs of one device have the same.
    package let series: String
    /// Whether picture and boxes have to be turned.
    package let isUpsideDown: Bool
    /// The OCR peripheral; nil when it is not said.
    package let peripheral: UInt32?
    /// What is wrong with the line, which then holds what of it is right; nil when nothing is.
    let problem: String?
  }

  /// The photographs in the file's order.
  package let photographs: [Photograph]

  /// The largest file in bytes.
  package static let greatestSize = 16 << 20
  /// The most photographs.
  package static let greatestCount = 100_000
  /// The most rows of one photograph.
  package static let mostRows = 8
  /// The word for a display that shows no value.
  package static let unreadable = "unreadable"

  /// Reads a file's content. What is wrong with one line is a problem of its photograph.
  ///
  /// - Parameter name: What messages call it.
  /// - Throws: ``GatewayError`` with code `labels` when the file is no such table.
  package init(_ bytes: [UInt8], name: String) throws(GatewayError) {
    guard bytes.count <= Self.greatestSize else {
      throw Self.fault("\(name) is longer than \(Self.greatestSize) bytes; split it")
    }
    let table: CommaSeparated
    do { table = try CommaSeparated(bytes) } catch {
      throw Self.fault("\(name): \(error.message)")
    }
    guard let heading = table.rows.first else { throw Self.fault("\(name) is empty") }
    let columns = try Columns(heading, name)
    guard table.rows.count - 1 <= Self.greatestCount else {
      throw Self.fault("\(name) has more than \(Self.greatestCount) photographs; split it")
    }
    photographs = table.rows.dropFirst().map(columns.photograph)
    guard !photographs.isEmpty else { throw Self.fault("\(name) has no photographs") }
  }

  static func fault(_ message: String) -> GatewayError {
    GatewayError(
      .usage, code: "labels", message,
      hint: "docs/reference/command-line.md shows the columns: path, text, boxes ...")
  }
}

/// Where the columns stand.
private struct Columns {
  private let places: [String: Int]
  private let count: Int

  init(_ heading: CommaSeparated.Row, _ name: String) throws(GatewayError) {
    if let problem = heading.problem { throw DisplayLabels.fault("\(name), line \(heading.line): \(problem)") }
    var places: [String: Int] = [:]
    for (place, field) in heading.fields.enumerated() {
      let column = field.singleSpaced
      // Spreadsheets may write more columns than have a name.
      guard !column.isEmpty else { continue }
      guard places.updateValue(place, forKey: column) == nil else {
        throw DisplayLabels.fault("\(name), line \(heading.line): the column \(column.debugDescription) is there twice")
      }
    }
    for column in ["path", "text", "boxes"] where places[column] == nil {
      throw DisplayLabels.fault("\(name), line \(heading.line): there is no column \(column)")
    }
    self.places = places
    count = heading.fields.count
  }

  func photograph(_ row: CommaSeparated.Row) -> DisplayLabels.Photograph {
    let path = field("path", row)
    let texts = field("text", row).split(separator: "\\n", omittingEmptySubsequences: false).map { part -> String? in
      let text = String(part).singleSpaced
      return text.isEmpty || text == DisplayLabels.unreadable ? nil : text
    }
    let boxes = Self.boxes(field("boxes", row).singleSpaced)
    let (peripheral, turn) = (field("peripheral", row).singleSpaced, field("rot180", row).singleSpaced)
    func problem() -> String? {
      if let problem = row.problem { return problem }
      guard row.fields.count == count else {
        return "\(row.fields.count) fields where the heading has \(count); a field with a comma stands in quotes"
      }
      guard !path.isEmpty, !path.contains("\0") else { return "the path is empty or none; name the picture's file" }
      guard let boxes else { return "boxes are `x y w h` in pixels with a width and a height, and `;` between them" }
      guard texts.count <= DisplayLabels.mostRows, boxes.count <= DisplayLabels.mostRows else {
        return "more than \(DisplayLabels.mostRows) rows; name the picture on a second line for the others"
      }
      guard peripheral.isEmpty || UInt32(peripheral) != nil else {
        return "the peripheral is no number; `meterhost snap list` shows what there is"
      }
      return ["", "0", "1"].contains(turn) ? nil : "rot180 is 0 or 1"
    }
    return DisplayLabels.Photograph(
      line: row.line, path: path, texts: texts, boxes: boxes ?? [], deviceType: field("device_type", row).singleSpaced,
      series: field("series", row).singleSpaced, isUpsideDown: turn == "1", peripheral: UInt32(peripheral),
      problem: problem())
  }

  /// As it stands in the row; empty when there is no such column or field.
  private func field(_ column: String, _ row: CommaSeparated.Row) -> String {
    guard let place = places[column], place < row.fields.count else { return "" }
    return row.fields[place]
  }

  /// Nil when the text holds none.
  private static func boxes(_ text: String) -> [ImageBox]? {
    guard !text.isEmpty else { return [] }
    var parts = text.split(separator: ";", omittingEmptySubsequences: false)
    // The last box may have one behind it, too.
    if parts.count > 1, parts.last == "" { parts.removeLast() }
    var result: [ImageBox] = []
    for part in parts {
      let numbers = part.split(separator: " ").map { Double($0) ?? .nan }
      guard numbers.count == 4, numbers.allSatisfy({ $0.isFinite && abs($0) <= 65_536 }), numbers[2] > 0,
        numbers[3] > 0
      else { return nil }
      result.append(ImageBox(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
    }
    return result
  }
}

extension DisplayLabels.Photograph {
  /// The rows with their boxes, for a reader that is told where to look. A row without a box is the whole picture.
  ///
  /// - Throws: `BenchProblem`: texts and boxes are not equally many.
  func lines() throws(BenchProblem) -> [(text: String?, box: ImageBox?)] {
    if boxes.isEmpty, texts.count == 1 { return [(texts[0], nil)] }
    // An unreadable display may have been given the boxes of all its rows.
    if texts == [nil] { return boxes.map { (nil, $0) } }
    guard texts.count == boxes.count else {
      throw BenchProblem("\(texts.count) texts have \(boxes.count) boxes; give one for each")
    }
    return Array(zip(texts, boxes)).map { ($0, $1) }
  }
}
