import CMeterDriver

/// Draws a meter's display with plain segments where its layout says: dark digits on a light window.
struct DisplayPainter {
  static let width = 640
  static let height = 480
  private(set) var pixels = [UInt8](repeating: 60, count: width * height)
  let overlay: mh_ocr_box
  private let layout: DisplayBundle.Layout

  init(_ layout: DisplayBundle.Layout) {
    self.layout = layout
    let high = min(420, 600 / layout.aspect)
    let wide = high * layout.aspect
    overlay = mh_ocr_box(
      x: Float((Double(Self.width) - wide) / 2), y: Float((Double(Self.height) - high) / 2), width: Float(wide),
      height: Float(high))
    fill(Double(overlay.x), Double(overlay.y), wide, high, 170)
  }

  var frame: FrameTests.Frame {
    FrameTests.Frame(
      width: UInt32(Self.width), height: UInt32(Self.height), stride: UInt32(Self.width), bytes: pixels.count,
      overlay: overlay, picture: pixels)
  }

  /// A row's box in pixels: left edge, upper edge, width, height.
  func place(of row: Int) -> (left: Double, top: Double, width: Double, height: Double) {
    let box = layout.rows[row].box
    let (wide, high) = (Double(overlay.width), Double(overlay.height))
    return (Double(overlay.x) + box[0] * wide, Double(overlay.y) + box[1] * high, box[2] * wide, box[3] * high)
  }

  func middle(of row: Int) -> (x: Double, y: Double) {
    let place = place(of: row)
    return (place.left + place.width / 2, place.top + place.height / 2)
  }

  /// Each pixel as the mean of four places that lie elsewhere in this picture.
  func distorted(_ source: (Double, Double) -> (Double, Double)) -> DisplayPainter {
    var painter = self
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        var sum = 0
        for (right, down) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
          let place = source(Double(x) + right, Double(y) + down)
          let column = min(max(Int(place.0), 0), Self.width - 1), line = min(max(Int(place.1), 0), Self.height - 1)
          sum += Int(pixels[line * Self.width + column])
        }
        painter.pixels[y * Self.width + x] = UInt8(sum / 4)
      }
    }
    return painter
  }

  mutating func fill(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ grey: UInt8) {
    for line in max(0, Int(y))..<min(Self.height, Int(y + height)) {
      for column in max(0, Int(x))..<min(Self.width, Int(x + width)) { pixels[line * Self.width + column] = grey }
    }
  }

  /// The segments of a character, a to g from the top clockwise, g in the middle.
  private static let segments: [Character: String] = [
    "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg", "5": "acdfg", "6": "acdefg", "7": "abc",
    "8": "abcdefg", "9": "abcdfg", "-": "g",
  ]

  private mutating func draw(_ character: Character, _ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    let thick = height * 0.11, gap = height * 0.022
    let long = height / 2 - thick / 2 - 2 * gap, wide = width - thick - 2 * gap
    for segment in Self.segments[character] ?? "" {
      switch segment {
      case "a": fill(x + thick / 2 + gap, y, wide, thick, 40)
      case "d": fill(x + thick / 2 + gap, y + height - thick, wide, thick, 40)
      case "g": fill(x + thick / 2 + gap, y + height / 2 - thick / 2, wide, thick, 40)
      case "f": fill(x, y + thick / 2 + gap, thick, long, 40)
      case "e": fill(x, y + height / 2 + gap, thick, long, 40)
      case "b": fill(x + width - thick, y + thick / 2 + gap, thick, long, 40)
      default: fill(x + width - thick, y + height / 2 + gap, thick, long, 40)
      }
    }
  }

  /// Writes a row's text right-aligned, as displays do. `point` is the grey of its points: the digits' own is 40, the window's
  /// 170.
  mutating func write(_ text: String, row: Int, point: UInt8 = 40) {
    let box = layout.rows[row].box
    let (left, top) = (Double(overlay.x), Double(overlay.y))
    let (wide, high) = (Double(overlay.width), Double(overlay.height))
    let digits = Double(text.count { $0 != "." }), points = Double(text.count { $0 == "." })
    // A digit is .52 of its height wide, what lies between two of them .16.
    let shares = digits * 0.52 + (digits - 1 + points) * 0.16
    let height = min(box[3] * high * 0.7, box[2] * wide * 0.92 / shares)
    var x = left + (box[0] + box[2] * 0.96) * wide - shares * height
    let y = top + (box[1] + box[3] / 2) * high - height / 2
    for character in text {
      if character == "." {
        fill(x - height * 0.05, y + height * 0.89, height * 0.11, height * 0.11, point)
        x += height * 0.16
      } else {
        draw(character, x, y, height * 0.52, height)
        x += height * 0.68
      }
    }
  }
}
