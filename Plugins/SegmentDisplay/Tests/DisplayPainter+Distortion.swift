import CMeterDriver
import Foundation

/// What makes a display hard to read: how it is held, points that are hardly there, digits that no segments draw.
extension DisplayPainter {
  /// The display as a camera sees it that is turned by so many degrees, clockwise, around a row's middle; digits lean by as
  /// many more as `leaning` says.
  func turned(_ degrees: Double, leaning: Double = 0, around row: Int = 0) -> DisplayPainter {
    let (x, y) = middle(of: row)
    let angle = degrees * .pi / 180, lean = tan(leaning * .pi / 180)
    let (sine, cosine) = (sin(angle), cos(angle))
    return distorted { right, down in
      let (u, v) = ((right - x) * cosine + (down - y) * sine, (down - y) * cosine - (right - x) * sine)
      return (x + u + lean * v, y + v)
    }
  }

  /// The display from farther away: so much smaller around a row's middle.
  func shrunk(to part: Double, around row: Int = 0) -> DisplayPainter {
    let (x, y) = middle(of: row)
    return distorted { ((($0 - x) / part + x), (($1 - y) / part + y)) }
  }

  /// Writes a row as displays of characters do, in five by seven dots.
  mutating func writeDots(_ text: String, row: Int) {
    let (left, top, width, height) = place(of: row)
    let step = min(height * 0.7 / 7, width * 0.9 / (6 * Double(text.count)))
    var x = left + width / 2 - 3 * step * Double(text.count)
    let y = top + height / 2 - 3.5 * step
    for character in text {
      for (line, dots) in (Self.dots[character] ?? []).enumerated() {
        for (column, dot) in dots.enumerated() where dot == "1" {
          fill(x + Double(column) * step, y + Double(line) * step, step * 0.9, step * 0.9, 40)
        }
      }
      x += 6 * step
    }
  }

  private static let dots: [Character: [String]] = [
    "0": ["01110", "10001", "10011", "10101", "11001", "10001", "01110"],
    "1": ["00100", "01100", "00100", "00100", "00100", "00100", "01110"],
    "2": ["01110", "10001", "00001", "00010", "00100", "01000", "11111"],
    "4": ["00010", "00110", "01010", "10010", "11111", "00010", "00010"],
    "5": ["11111", "10000", "11110", "00001", "00001", "10001", "01110"],
    "7": ["11111", "00001", "00010", "00100", "01000", "01000", "01000"],
    "8": ["01110", "10001", "10001", "01110", "10001", "10001", "01110"],
    "9": ["01110", "10001", "10001", "01111", "00001", "00010", "01100"],
    ".": ["00000", "00000", "00000", "00000", "00000", "01100", "01100"],
  ]
}
