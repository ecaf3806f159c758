public import DriverContract
import MeterCore
public import MeterOCR

/// What is read in one frame, as `--json` shows it.
public struct PartialDescription: Sendable, Encodable {
  /// An area of reflected light.
  struct Glare: Sendable, Encodable {
    /// Its middle.
    let point: [Double]
    /// Its corners, clockwise from the upper left.
    let outline: [[Double]]

    init(_ area: ImageBox) {
      let (right, bottom) = (area.x + area.width, area.y + area.height)
      point = [area.x + area.width / 2, area.y + area.height / 2]
      outline = [[area.x, area.y], [right, area.y], [right, bottom], [area.x, bottom]]
    }
  }

  let event = "partial"
  let frame: Int
  let text: String
  let advice: String
  let objection: String?
  let unitToChoose: String?
  let agreeing: Int
  let needed: Int
  let glare: [[Double]]
  let glareAreas: [Glare]
  let overlayFrame: [Double]
  let crop: String?

  enum CodingKeys: String, CodingKey {
    case event, frame, text, advice, objection, agreeing, needed, glare, crop
    case unitToChoose = "unit_to_choose"
    case glareAreas = "glare_areas"
    case overlayFrame = "overlay_frame"
  }

  /// Describes what was read in a frame.
  ///
  /// - Parameter crop: The file with the rows cut out, where there is one.
  public init(_ partial: OCRPartial, crop: String? = nil) {
    frame = partial.number
    text = partial.text
    advice = partial.advice.word
    objection = partial.objection?.rawValue
    unitToChoose = partial.unitToChoose?.ucum
    (agreeing, needed) = partial.progress
    glare = partial.glareAreas.map(\.sides)
    glareAreas = partial.glareAreas.map(Glare.init)
    overlayFrame = partial.overlayFrame.sides
    self.crop = crop
  }
}

/// A picture of the preview, as `--json` shows it.
public struct PreviewDescription: Sendable, Encodable {
  let event = "preview"
  let frame: Int
  let picture: String
  let width: Int
  let height: Int
  let overlay: [Double]
  let rows: [[Double]]
  let overlayFrame: [Double]

  enum CodingKeys: String, CodingKey {
    case event, frame, picture, width, height, overlay, rows
    case overlayFrame = "overlay_frame"
  }

  /// Describes a picture of the preview.
  ///
  /// - Parameters:
  ///   - picture: Its file.
  ///   - overlayFrame: The overlay in the view that shows it; zero as long as that has no size.
  public init(_ preview: OCRPreview, picture: String, overlayFrame: ImageBox) {
    frame = preview.number
    self.picture = picture
    (width, height) = (preview.picture.width, preview.picture.height)
    overlay = preview.overlay.sides
    rows = preview.rows.map(\.sides)
    self.overlayFrame = overlayFrame.sides
  }
}

extension ImageBox {
  /// Left edge, upper edge, width, height.
  fileprivate var sides: [Double] { [x, y, width, height] }
}
