import MeterCore
import ReadingJSON

/// What is in the files once: a revision of a reading, or that a picture belongs to one.
enum DeliveredItem: Sendable, Hashable {
  case reading(LogID, revision: Int)
  /// The picture by its SHA-256 in hexadecimal.
  case image(LogID, checksum: String)
}

/// What the beginning of a line tells of it.
struct LineMark: Sendable, Hashable {
  let item: DeliveredItem
  /// Which of the item's lines it is, from 1.
  let row: Int
  /// How many lines the item has.
  let rows: Int

  init(_ item: DeliveredItem, row: Int = 1, rows: Int = 1) { (self.item, self.row, self.rows) = (item, row, rows) }

  /// Whether it is the last line of its item.
  var isLast: Bool { row >= rows }
}

/// How readings are written as lines. A line ends with a line feed, and has no other one in it.
protocol LineForm: Sendable {
  /// What a file begins with.
  var heading: [UInt8] { get }

  /// A reading's lines.
  func lines(of record: Record, user: SessionUser) throws(FormatRefusal) -> [UInt8]

  /// The line that says which file is a picture of a reading.
  func line(of image: SinkImage, file: String, user: SessionUser) -> [UInt8]

  /// What a line of ours is about; nil for any other one.
  func mark(_ line: ArraySlice<UInt8>) -> LineMark?
}

extension FileSinkSetting.Format {
  var form: any LineForm {
    switch self {
    case .jsonLines: JSONLines()
    case .csv: CSVRows()
    }
  }
}
