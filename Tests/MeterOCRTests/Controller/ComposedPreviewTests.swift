import DriverContract
import Testing

@testable import MeterOCR

/// The overlay in one picture with what the camera sees.
@Suite struct ComposedPreviewTests {
  private func preview(
    _ width: Int, _ height: Int, format: DecodedImage.Format = .grey, overlay: ImageBox, rows: [ImageBox] = []
  ) -> OCRPreview {
    OCRPreview(
      picture: DecodedImage(
        width: width, height: height, format: format,
        pixels: [UInt8](repeating: 90, count: width * height * format.bytesPerPixel)),
      overlay: overlay, rows: rows, number: 1, moment: 0)
  }

  @Test func theOutlineIsBrightBesideDark() {
    let composed = preview(8, 7, overlay: ImageBox(x: 1, y: 1, width: 6, height: 5)).composed()
    let rows = (0..<7).map { Array(composed.pixels[$0 * 8..<$0 * 8 + 8]) }
    #expect(rows[0] == [UInt8](repeating: 90, count: 8))
    #expect(rows[1] == [90, 255, 255, 255, 255, 255, 255, 90])
    #expect(rows[2] == [90, 255, 0, 0, 0, 0, 255, 90])
    #expect(rows[3] == [90, 255, 0, 90, 90, 0, 255, 90])
    #expect(rows[5] == rows[1] && rows[6] == rows[0])
  }

  @Test func rowsAreDrawnInColourToo() {
    let row = ImageBox(x: 2, y: 2, width: 3, height: 1)
    let composed = preview(10, 5, format: .rgb, overlay: .zero, rows: [row]).composed()
    let changed = Set((0..<50).filter { composed.pixels[$0 * 3] != 90 })
    #expect(changed == [22, 23, 24])
    #expect(changed.allSatisfy { composed.pixels[$0 * 3..<$0 * 3 + 3].allSatisfy { $0 == 255 } })
  }

  @Test(arguments: [
    ImageBox(x: -5, y: -5, width: 100, height: 100), ImageBox(x: 20, y: 1, width: 4, height: 4),
    ImageBox(x: 1e300, y: 0, width: 1e300, height: 2), ImageBox(x: .nan, y: 0, width: 3, height: 3),
    ImageBox(x: 3, y: 3, width: 0, height: -2), ImageBox(x: -0.4, y: 2, width: 0.2, height: 1),
  ])
  func whatLiesOutsideIsLeftOut(_ box: ImageBox) {
    let plain = preview(12, 9, overlay: .zero)
    #expect(preview(12, 9, overlay: box, rows: [box]).composed() == plain.composed())
    #expect(plain.composed() == plain.picture)
  }

  @Test func aPictureThatIsNoneStaysAsItIs() {
    var broken = preview(4, 4, overlay: ImageBox(x: 0, y: 0, width: 4, height: 4))
    broken.picture.pixels.removeLast()
    #expect(broken.composed() == broken.picture)
  }
}
