/// Seven-segment characters as the synthetic meter shows them.
enum SegmentDrawing {
  /// The segments of a character, a to g from the lowest bit: top, upper right, lower right, bottom, lower left, upper
  /// left, middle.
  static func segments(_ character: Character) -> UInt8 {
    switch character {
    case "0": 0b0111111
    case "1": 0b0000110
    case "2": 0b1011011
    case "3": 0b1001111
    case "4": 0b1100110
    case "5": 0b1101101
    case "6": 0b1111101
    case "7": 0b0000111
    case "8": 0b1111111
    case "9": 0b1101111
    case "-": 0b1000000
    case "L": 0b0111000
    case "o": 0b1011100
    case "H": 0b1110110
    case "i": 0b0000100
    case "E": 0b1111001
    case "r": 0b1010000
    default: 0
    }
  }

  /// One place of a row: its segments, and whether the point behind it is lit.
  struct Cell: Sendable, Hashable {
    var segments: UInt8
    var hasPoint = false
  }

  /// The cells of a text; a point belongs to the character before it.
  static func cells(_ text: String) -> [Cell] {
    var cells: [Cell] = []
    for character in text {
      if character == "." {
        if cells.isEmpty || cells[cells.count - 1].hasPoint { cells.append(Cell(segments: 0)) }
        cells[cells.count - 1].hasPoint = true
      } else {
        cells.append(Cell(segments: segments(character)))
      }
    }
    return cells
  }

  /// Half the thickness of a bar.
  private static let half = 0.06
  /// Where each segment lies: across at a height, or upright at a column, from one end to the other.
  private static let bars: [(isAcross: Bool, at: Double, from: Double, to: Double)] = {
    let (left, right) = (0.16, 0.72)
    return [
      (true, 0.06, left, right), (false, right, 0.06, 0.5), (false, right, 0.5, 0.94), (true, 0.94, left, right),
      (false, left, 0.5, 0.94), (false, left, 0.06, 0.5), (true, 0.5, left, right),
    ]
  }()

  /// Whether a place of a cell is lit; 0 to 1 in both directions, the point lies at the right end.
  static func isLit(_ cell: Cell, _ x: Double, _ y: Double) -> Bool {
    // A slant of some degrees, as most displays have.
    let u = x - 0.1 * (0.5 - y)
    if cell.hasPoint, abs(u - 0.93) < 0.06, abs(y - 0.94) < 0.045 { return true }
    for segment in 0..<bars.count where cell.segments >> segment & 1 == 1 {
      let bar = bars[segment]
      // Cells are about half as wide as high: a bar has the same strength in both directions.
      let (along, across, strength) = bar.isAcross ? (u, y - bar.at, half) : (y, u - bar.at, half * 1.7)
      let gap = bar.isAcross ? 0.04 : 0.02
      let tip = min(along - bar.from, bar.to - along) - gap
      if tip > 0, abs(across) < min(strength, tip + strength / 2) { return true }
    }
    return false
  }
}
