import DriverContract

extension CapturedFrame {
  /// The frame as people see it.
  var picture: DecodedImage {
    preview ?? DecodedImage(width: image.width, height: image.height, format: .grey, pixels: image.pixels)
  }

  /// A box of the frame as a box of the picture that people see, which may have another size.
  func inPicture(_ box: ImageBox) -> ImageBox {
    guard let preview, image.width > 0, image.height > 0 else { return box }
    let (right, down) = (
      Double(preview.width) / Double(image.width), Double(preview.height) / Double(image.height)
    )
    return ImageBox(x: box.x * right, y: box.y * down, width: box.width * right, height: box.height * down)
  }

  /// The area of the rows, with a little around it, cut out of the picture that people see.
  func crop(_ rows: [ImageBox]) -> DecodedImage {
    guard var area = rows.first else { return picture }
    for row in rows.dropFirst() { area = area.union(row) }
    return picture.cropped(inPicture(area.insetByPart(-0.15)))
  }

  func turned(_ turn: ImageOrientation) -> CapturedFrame {
    guard turn != .asIs else { return self }
    var frame = self
    frame.image = image.turned(turn)
    frame.preview = preview?.turned(turn)
    return frame
  }
}

extension DecodedImage {
  /// The part of the picture within a box; all of it when the box does not lie in it.
  func cropped(_ box: ImageBox) -> DecodedImage {
    let all = ImageBox(x: 0, y: 0, width: Double(width), height: Double(height))
    let bytes = format.bytesPerPixel
    guard let box = box.finite?.intersection(all), box.area > 0, pixels.count == width * height * bytes else {
      return self
    }
    let (left, top) = (Int(box.x), Int(box.y))
    let right = min(width, Int((box.x + box.width).rounded(.up)))
    let bottom = min(height, Int((box.y + box.height).rounded(.up)))
    guard right > left, bottom > top else { return self }
    var part: [UInt8] = []
    part.reserveCapacity((right - left) * (bottom - top) * bytes)
    for row in top..<bottom { part += pixels[(row * width + left) * bytes..<(row * width + right) * bytes] }
    return DecodedImage(width: right - left, height: bottom - top, format: format, pixels: part)
  }
}
