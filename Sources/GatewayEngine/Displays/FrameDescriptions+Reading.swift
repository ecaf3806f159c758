package import GatewayAPI
package import DriverContract
import MeterCore
package import MeterOCR

extension PartialDescription {
  /// Describes what was read in a frame.
  ///
  /// - Parameter crop: The file with the rows cut out, where there is one.
  package init(_ partial: OCRPartial, crop: String? = nil) {
    let (agreeing, needed) = partial.progress
    self.init(
      frame: partial.number, text: partial.text, advice: partial.advice.word, objection: partial.objection?.rawValue,
      unitToChoose: partial.unitToChoose?.ucum, agreeing: agreeing, needed: needed,
      glare: partial.glareAreas.map(\.sides), glareAreas: partial.glareAreas.map { Glare($0) },
      overlayFrame: partial.overlayFrame.sides, crop: crop)
  }
}

extension PartialDescription.Glare {
  fileprivate init(_ area: ImageBox) {
    let (right, bottom) = (area.x + area.width, area.y + area.height)
    self.init(
      point: [area.x + area.width / 2, area.y + area.height / 2],
      outline: [[area.x, area.y], [right, area.y], [right, bottom], [area.x, bottom]])
  }
}

extension PreviewDescription {
  /// Describes a picture of the preview.
  ///
  /// - Parameters:
  ///   - picture: Its file.
  ///   - overlayFrame: The overlay in the view that shows it; zero as long as that has no size.
  package init(_ preview: OCRPreview, picture: String, overlayFrame: ImageBox) {
    self.init(
      frame: preview.number, picture: picture, width: preview.picture.width, height: preview.picture.height,
      overlay: preview.overlay.sides, rows: preview.rows.map(\.sides), overlayFrame: overlayFrame.sides)
  }
}

extension ImageBox {
  /// Left edge, upper edge, width, height.
  fileprivate var sides: [Double] { [x, y, width, height] }
}
