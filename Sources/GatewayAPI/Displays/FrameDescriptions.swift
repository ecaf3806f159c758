/// What is read in one frame, as `--json` shows it.
public struct PartialDescription: Sendable, Encodable {
  /// An area of reflected light.
  package struct Glare: Sendable, Encodable {
    /// Its middle.
    let point: [Double]
    /// Its corners, clockwise from the upper left.
    let outline: [[Double]]

    package init(point: [Double], outline: [[Double]]) {
      self.point = point
      self.outline = outline
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

  package init(
    frame: Int, text: String, advice: String, objection: String? = nil, unitToChoose: String? = nil, agreeing: Int,
    needed: Int, glare: [[Double]], glareAreas: [Glare], overlayFrame: [Double], crop: String? = nil
  ) {
    self.frame = frame
    self.text = text
    self.advice = advice
    self.objection = objection
    self.unitToChoose = unitToChoose
    self.agreeing = agreeing
    self.needed = needed
    self.glare = glare
    self.glareAreas = glareAreas
    self.overlayFrame = overlayFrame
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

  package init(
    frame: Int, picture: String, width: Int, height: Int, overlay: [Double], rows: [[Double]], overlayFrame: [Double]
  ) {
    self.frame = frame
    self.picture = picture
    self.width = width
    self.height = height
    self.overlay = overlay
    self.rows = rows
    self.overlayFrame = overlayFrame
  }
}
