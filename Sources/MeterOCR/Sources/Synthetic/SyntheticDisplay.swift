import DriverContract

/// Draws what the synthetic meter shows.
struct SyntheticDisplay {
  private static let (table, body, glass, lit): (UInt8, UInt8, UInt8, UInt8) = (118, 70, 186, 42)
  /// Samples of a pixel in each direction: edges are soft.
  private static let samples = 3

  private let layout: DisplayLayout
  private let overlay: ImageBox
  private let width: Int
  private let height: Int

  init(_ layout: DisplayLayout, _ overlay: ImageBox, _ width: Int, _ height: Int) {
    self.layout = layout
    self.overlay = overlay
    self.width = width
    self.height = height
  }

  func picture(_ content: SyntheticMeter.Scene.Content) -> [UInt8] {
    var pixels = [UInt8](repeating: Self.table, count: width * height)
    fill(overlay, Self.body, &pixels)
    fill(glass, Self.glass, &pixels)
    for (index, row) in layout.rows.enumerated() {
      let cells: [SegmentDrawing.Cell]
      switch content {
      case .blank: cells = []
      case .selfTest: cells = SegmentDrawing.cells("8.8.8.")
      case .texts(let texts): cells = SegmentDrawing.cells(index < texts.count ? texts[index] : "")
      }
      draw(cells, in: pixelBox(row.box), &pixels)
    }
    return pixels
  }

  /// The display's glass: around all rows.
  private var glass: ImageBox {
    let boxes = layout.rows.map { pixelBox($0.box) }
    let (left, top) = (boxes.map(\.x).min() ?? overlay.x, boxes.map(\.y).min() ?? overlay.y)
    let right = boxes.map { $0.x + $0.width }.max() ?? overlay.x
    let bottom = boxes.map { $0.y + $0.height }.max() ?? overlay.y
    let edge = 0.02 * (overlay.width + overlay.height)
    return ImageBox(x: left - edge, y: top - edge, width: right - left + 2 * edge, height: bottom - top + 2 * edge)
  }

  private func pixelBox(_ box: ImageBox) -> ImageBox {
    ImageBox(
      x: overlay.x + box.x * overlay.width, y: overlay.y + box.y * overlay.height, width: box.width * overlay.width,
      height: box.height * overlay.height)
  }

  private func columns(_ box: ImageBox) -> Range<Int> { range(box.x, box.width, width) }
  private func rows(_ box: ImageBox) -> Range<Int> { range(box.y, box.height, height) }

  private func range(_ start: Double, _ length: Double, _ limit: Int) -> Range<Int> {
    guard start.isFinite, length.isFinite else { return 0..<0 }
    let most = Double(limit)
    let first = Int(min(max(start.rounded(.down), 0), most))
    return first..<max(Int(min(max((start + length).rounded(.up), 0), most)), first)
  }

  private func fill(_ box: ImageBox, _ value: UInt8, _ pixels: inout [UInt8]) {
    for y in rows(box) { for x in columns(box) { pixels[y * width + x] = value } }
  }

  /// Draws cells into a row's box, from the right, as large as they fit.
  private func draw(_ cells: [SegmentDrawing.Cell], in box: ImageBox, _ pixels: inout [UInt8]) {
    guard !cells.isEmpty else { return }
    let high = box.height * 0.92
    let wide = min(high * 0.62, box.width / Double(cells.count))
    guard high > 0, wide > 0, high.isFinite, wide.isFinite else { return }
    let top = box.y + (box.height - high) / 2
    let step = 1 / Double(Self.samples)
    for (place, cell) in cells.enumerated() {
      let left = box.x + box.width - wide * Double(cells.count - place)
      let area = ImageBox(x: left, y: top, width: wide, height: high)
      for y in rows(area) {
        for x in columns(area) {
          var hits = 0
          for down in 0..<Self.samples {
            for right in 0..<Self.samples {
              let u = (Double(x) + (Double(right) + 0.5) * step - left) / wide
              let v = (Double(y) + (Double(down) + 0.5) * step - top) / high
              if SegmentDrawing.isLit(cell, u, v) { hits += 1 }
            }
          }
          guard hits > 0 else { continue }
          let (all, now) = (Self.samples * Self.samples, Int(pixels[y * width + x]))
          pixels[y * width + x] = UInt8(clamping: now + (Int(Self.lit) - now) * hits / all)
        }
      }
    }
  }
}
