public import DriverRuntime

/// A labelled set of photographs: a CSV file with a heading, one photograph a row.
///
/// Columns: `path` (relative to the file's folder), `text` (what the rows show, joined by a literal `\n`; empty or
/// `unreadable`: the right answer is no value), `boxes` (`x y w h` in pixels of the picture, `;` between), and if they are
/// there `device_type`, `series`, `rot180` (1: the picture is upside down) and `peripheral`. Others are left alone.
public struct DisplayLabels: Sendable, Hashable {
  /// One photograph.
  public struct Photograph: Sendable, Hashable {
    /// Its line in the file.
    public let line: Int
    /// The file's name, as it is written.
    public let path: String
    /// What each row shows; nil where no value is the right answer.
    public let texts: [String?]
    /// Where the rows lie, or the overlay.
    public let boxes: [ImageBox]
    /// glucometer, scale ...; empty when it is not said.
    public let deviceType: String
    /// Photographs of one device have the same.
    public let series: String
    /// Whether picture and boxes have to be turned.
    public let isUpsideDown: Bool
    /// The OCR peripheral; nil when it is not said.
    public let peripheral: UInt32?
  }

  /// The photographs in the file's order.
  public let photographs: [Photograph]

  /// The largest file in bytes.
  public static let greatestSize = 16 << 20
  /// The most photographs.
  public static let greatestCount = 100_000
  /// The most rows of one photograph.
  public static let mostRows = 8
  /// The word for a display that shows no value.
  public static let unreadable = "unreadable"

  /// Reads a file's content.
  ///
  /// - Parameter name: What messages call it.
  /// - Throws: ``GatewayError`` with code `labels`, naming the line.
  public init(_ bytes: [UInt8], name: String) throws(GatewayError) {
    guard bytes.count <= Self.greatestSize else {
      throw Self.fault("\(name) is longer than \(Self.greatestSize) bytes; split it")
    }
    let table: CommaSeparated
    do { table = try CommaSeparated(bytes) } catch {
      throw Self.fault("\(name), line \(error.line): \(error.message)")
    }
    guard let heading = table.rows.first else { throw Self.fault("\(name) is empty") }
    let columns = try Columns(heading, name)
    guard table.rows.count - 1 <= Self.greatestCount else {
      throw Self.fault("\(name) has more than \(Self.greatestCount) photographs; split it")
    }
    var photographs: [Photograph] = []
    for row in table.rows.dropFirst() { photographs.append(try columns.photograph(row, name)) }
    guard !photographs.isEmpty else { throw Self.fault("\(name) has no photographs") }
    self.photographs = photographs
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
    var places: [String: Int] = [:]
    for (place, column) in heading.fields.enumerated() {
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

  func photograph(_ row: CommaSeparated.Row, _ name: String) throws(GatewayError) -> DisplayLabels.Photograph {
    func fault(_ message: String) -> GatewayError { DisplayLabels.fault("\(name), line \(row.line): \(message)") }
    guard row.fields.count == count else {
      throw fault("\(row.fields.count) fields where the heading has \(count)")
    }
    func field(_ column: String) -> String { places[column].map { row.fields[$0] } ?? "" }
    let path = field("path")
    guard !path.isEmpty, !path.contains("\0") else { throw fault("the path is empty or none") }
    guard let boxes = Self.boxes(field("boxes")) else {
      throw fault("boxes are `x y w h` in pixels with a width and a height, and `;` between them")
    }
    let texts = field("text").split(separator: "\\n", omittingEmptySubsequences: false).map {
      $0.isEmpty || $0 == DisplayLabels.unreadable ? nil : String($0)
    }
    guard texts.count <= DisplayLabels.mostRows, boxes.count <= DisplayLabels.mostRows else {
      throw fault("more than \(DisplayLabels.mostRows) rows")
    }
    let peripheral = field("peripheral")
    guard peripheral.isEmpty || UInt32(peripheral) != nil else { throw fault("the peripheral is no number") }
    guard ["", "0", "1"].contains(field("rot180")) else { throw fault("rot180 is 0 or 1") }
    return DisplayLabels.Photograph(
      line: row.line, path: path, texts: texts, boxes: boxes, deviceType: field("device_type"),
      series: field("series"), isUpsideDown: field("rot180") == "1", peripheral: UInt32(peripheral))
  }

  /// Nil when the text holds none.
  private static func boxes(_ text: String) -> [ImageBox]? {
    guard !text.isEmpty else { return [] }
    var result: [ImageBox] = []
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
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
  /// - Throws: ``GatewayError`` with code `labels`: texts and boxes are not equally many.
  public func lines() throws(GatewayError) -> [(text: String?, box: ImageBox?)] {
    if boxes.isEmpty, texts.count == 1 { return [(texts[0], nil)] }
    // An unreadable display may have been given the boxes of all its rows.
    if texts == [nil] { return boxes.map { (nil, $0) } }
    guard texts.count == boxes.count else {
      throw DisplayLabels.fault("line \(line): \(texts.count) texts have \(boxes.count) boxes")
    }
    return Array(zip(texts, boxes)).map { ($0, $1) }
  }
}
