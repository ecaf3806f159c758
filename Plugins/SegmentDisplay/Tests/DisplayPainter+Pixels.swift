import CMeterDriver

/// The digits of a screen of pixels, each as its lines from the top; the lowest bit is the right column.
struct PixelFont: Sendable, CustomStringConvertible {
  let description: String
  let lines: [Character: [UInt16]]

  /// Round digits of two pixels' thickness; the one has a flag and no foot, the zero may have a slash.
  static let round = PixelFont(
    description: "round", lines: round(zero: [0x3c, 0x66, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0x66, 0x3c]))
  static let slashed = PixelFont(
    description: "slashed", lines: round(zero: [0x3c, 0x66, 0xc3, 0xc7, 0xcf, 0xdb, 0xf3, 0xe3, 0xc3, 0x66, 0x3c]))
  static let bold = round.thicker(by: 1, "bold")
  static let heavy = round.thicker(by: 2, "heavy")
  static let boldThin = thin.thicker(by: 1, "bold, of few pixels")
  /// Digits of one pixel's thickness, five pixels wide.
  static let thin = PixelFont(
    description: "thin",
    lines: [
      "0": [0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e], "1": [0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x04],
      "2": [0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f], "3": [0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e],
      "4": [0x11, 0x11, 0x11, 0x1f, 0x01, 0x01, 0x01], "5": [0x1f, 0x10, 0x1e, 0x01, 0x01, 0x01, 0x1e],
      "6": [0x0e, 0x10, 0x10, 0x1e, 0x11, 0x11, 0x0e], "7": [0x1f, 0x01, 0x01, 0x02, 0x02, 0x04, 0x04],
      "8": [0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e], "9": [0x0e, 0x11, 0x11, 0x0f, 0x01, 0x01, 0x0e],
    ])

  private static func round(zero: [UInt16]) -> [Character: [UInt16]] {
    [
      "0": zero, "1": [0x0c, 0x1c, 0x3c, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c],
      "2": [0x7c, 0xc6, 0x06, 0x06, 0x0c, 0x18, 0x30, 0x60, 0xc0, 0xc0, 0xfe],
      "3": [0x7c, 0xc6, 0x06, 0x06, 0x06, 0x3c, 0x06, 0x06, 0x06, 0xc6, 0x7c],
      "4": [0x0c, 0x1c, 0x3c, 0x3c, 0x6c, 0xcc, 0xcc, 0xfe, 0x0c, 0x0c, 0x0c],
      "5": [0xfe, 0xc0, 0xc0, 0xc0, 0xfc, 0x06, 0x06, 0x06, 0x06, 0xc6, 0x7c],
      "6": [0x3c, 0x60, 0xc0, 0xc0, 0xfc, 0xc6, 0xc6, 0xc6, 0xc6, 0xc6, 0x7c],
      "7": [0xfe, 0x06, 0x06, 0x06, 0x06, 0x0c, 0x0c, 0x0c, 0x18, 0x18, 0x18],
      "8": [0x7c, 0xc6, 0xc6, 0xc6, 0xc6, 0x7c, 0xc6, 0xc6, 0xc6, 0xc6, 0x7c],
      "9": [0x7c, 0xc6, 0xc6, 0xc6, 0xc6, 0x7e, 0x06, 0x06, 0x06, 0x0c, 0x78],
    ]
  }

  /// The same digits with strokes that are wider to the left, by so many pixels.
  private func thicker(by pixels: Int, _ description: String) -> PixelFont {
    PixelFont(
      description: description,
      lines: lines.mapValues { lines in lines.map { line in (0...pixels).reduce(UInt16(0)) { $0 | line << UInt16($1) } }
      })
  }

  /// The columns of a digit that have ink, each as its lines.
  fileprivate func columns(of digit: Character) -> [[Bool]] {
    let lines = lines[digit] ?? []
    let columns = (0..<16).reversed().map { bit in lines.map { $0 >> bit & 1 == 1 } }
    guard let first = columns.firstIndex(where: { $0.contains(true) }),
      let last = columns.lastIndex(where: { $0.contains(true) })
    else { return [] }
    return Array(columns[first...last])
  }
}

extension DisplayPainter {
  /// Writes a row as screens do: each digit as wide as its ink, two thin strokes or one thick one apart. A lit screen is dark.
  mutating func writePixels(_ text: String, in font: PixelFont, isLit: Bool, row: Int) {
    let (left, top, width, height) = place(of: row)
    let digits = text.map(font.columns), lines = Double(font.lines["0"]?.count ?? 1)
    let gap = lines < 8 ? 1 : 2
    let columns = digits.reduce(0) { $0 + $1.count + gap } - gap
    let pixel = min(height * 0.7 / lines, width * 0.9 / Double(columns)).rounded(.down)
    if isLit { fill(Double(overlay.x), Double(overlay.y), Double(overlay.width), Double(overlay.height), 20) }
    var x = left + width / 2 - Double(columns) * pixel / 2
    let y = top + height / 2 - lines * pixel / 2
    for digit in digits {
      for column in digit {
        for (line, hasInk) in column.enumerated() where hasInk {
          fill(x, y + Double(line) * pixel, pixel, pixel, isLit ? 230 : 40)
        }
        x += pixel
      }
      x += Double(gap) * pixel
    }
  }
}
