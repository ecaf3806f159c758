public import DriverContract

extension OCRPreview {
  /// The picture with the outlines of the overlay and of its rows drawn into it: for viewers that cannot lay
  /// a drawing over a picture. Each line is bright beside dark, and so is seen on any ground.
  public func composed() -> DecodedImage {
    var picture = picture
    guard picture.width > 0, picture.height > 0,
      picture.pixels.count == picture.width * picture.height * picture.format.bytesPerPixel
    else { return picture }
    for box in [overlay] + rows {
      picture.outline(box, at: 0, grey: 255)
      picture.outline(box, at: 1, grey: 0)
    }
    return picture
  }
}

extension DecodedImage {
  /// Draws a box's outline, `distance` pixels inside of it; what lies outside of the picture is left out.
  fileprivate mutating func outline(_ box: ImageBox, at distance: Int, grey: UInt8) {
    guard box.area > 0, let box = box.finite else { return }
    let far = Double(width + height)
    // Far away is far away, and an integer holds it.
    func pixel(_ place: Double) -> Int { Int(min(max(place, -far), 2 * far).rounded(.down)) }
    let (left, top) = (pixel(box.x) + distance, pixel(box.y) + distance)
    let (right, bottom) = (pixel(box.x + box.width) - 1 - distance, pixel(box.y + box.height) - 1 - distance)
    guard left <= right, top <= bottom else { return }
    for x in stride(from: max(left, 0), through: min(right, width - 1), by: 1) {
      set(x, top, grey)
      set(x, bottom, grey)
    }
    for y in stride(from: max(top, 0), through: min(bottom, height - 1), by: 1) {
      set(left, y, grey)
      set(right, y, grey)
    }
  }

  private mutating func set(_ x: Int, _ y: Int, _ grey: UInt8) {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return }
    let at = (y * width + x) * format.bytesPerPixel
    for channel in 0..<format.bytesPerPixel { pixels[at + channel] = grey }
  }
}
