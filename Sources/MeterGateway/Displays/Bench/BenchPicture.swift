import DriverRuntime
import MeterOCR

/// A photograph of a labelled set, as its reader gets it.
struct BenchPicture: Sendable {
  let image: GreyImage
  /// The label's boxes, in pixels of the image.
  let boxes: [ImageBox]

  /// Turns and divides the boxes as the picture was.
  ///
  /// - Throws: ``GatewayError`` with code `labels` for a box that lies outside of the picture.
  init(_ frame: CapturedFrame, _ photograph: DisplayLabels.Photograph) throws(GatewayError) {
    let (width, height) = (Double(frame.image.width), Double(frame.image.height))
    let scale = 1 / Double(max(frame.divisor, 1))
    var boxes: [ImageBox] = []
    for box in photograph.boxes {
      var scaled = ImageBox(
        x: box.x * scale, y: box.y * scale, width: box.width * scale, height: box.height * scale)
      guard scaled.x < width, scaled.y < height, scaled.x + scaled.width > 0, scaled.y + scaled.height > 0 else {
        throw DisplayLabels.fault(
          "line \(photograph.line): a box lies outside of \(photograph.path), which has \(frame.image.width) x "
            + "\(frame.image.height) pixels" + (frame.divisor > 1 ? " after division by \(frame.divisor)" : ""))
      }
      if photograph.isUpsideDown {
        scaled.x = width - scaled.x - scaled.width
        scaled.y = height - scaled.y - scaled.height
      }
      boxes.append(scaled)
    }
    self.boxes = boxes
    image = photograph.isUpsideDown ? frame.image.turned(.halfTurn) : frame.image
  }

  /// All of it.
  var whole: ImageBox { ImageBox(x: 0, y: 0, width: Double(image.width), height: Double(image.height)) }
}
