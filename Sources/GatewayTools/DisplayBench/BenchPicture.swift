import DriverContract
import MeterOCR

/// A photograph of a labelled set, as its reader gets it.
struct BenchPicture: Sendable {
  let image: GreyImage
  /// The label's boxes, in pixels of the image.
  let boxes: [ImageBox]

  /// Turns and divides the boxes as the picture was.
  ///
  /// - Parameters:
  ///   - upright: The picture as it is shown.
  ///   - divisor: By how much it was divided.
  /// - Throws: `BenchProblem` for a box of which nothing lies in the picture.
  init(_ upright: GreyImage, divisor: Int, _ photograph: DisplayLabels.Photograph) throws(BenchProblem) {
    let (width, height) = (Double(upright.width), Double(upright.height))
    let scale = 1 / Double(max(divisor, 1))
    var boxes: [ImageBox] = []
    for box in photograph.boxes {
      var scaled = ImageBox(
        x: box.x * scale, y: box.y * scale, width: box.width * scale, height: box.height * scale)
      guard scaled.x < width, scaled.y < height, scaled.x + scaled.width > 0, scaled.y + scaled.height > 0 else {
        throw BenchProblem(
          "a box lies outside of \(photograph.path), which has \(upright.width) x \(upright.height) pixels"
            + (divisor > 1 ? " after division by \(divisor)" : "")
            + "; boxes count in the picture as it is shown, turned as its Exif orientation says")
      }
      if photograph.isUpsideDown {
        scaled.x = width - scaled.x - scaled.width
        scaled.y = height - scaled.y - scaled.height
      }
      boxes.append(scaled)
    }
    self.boxes = boxes
    image = photograph.isUpsideDown ? upright.turned(.halfTurn) : upright
  }

  /// All of it.
  var whole: ImageBox { ImageBox(x: 0, y: 0, width: Double(image.width), height: Double(image.height)) }
}
