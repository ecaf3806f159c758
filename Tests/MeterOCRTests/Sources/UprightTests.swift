import DriverContract
import TestSupport
import Testing

@testable import MeterOCR

@Suite struct UprightTests {
  /// Exif 2.32: where the letter F of 2 x 3 pixels lies.
  @Test(arguments: [
    (1, 2, [1, 2, 3, 4, 5, 6]), (2, 2, [2, 1, 4, 3, 6, 5]), (3, 2, [6, 5, 4, 3, 2, 1]), (4, 2, [5, 6, 3, 4, 1, 2]),
    (5, 3, [1, 3, 5, 2, 4, 6]), (6, 3, [5, 3, 1, 6, 4, 2]), (7, 3, [6, 4, 2, 5, 3, 1]), (8, 3, [2, 4, 6, 1, 3, 5]),
  ])
  func eachOrientationTurnsAsExifSays(_ orientation: Int, _ width: Int, _ expected: [UInt8]) {
    let image = DecodedImage(width: 2, height: 3, format: .grey, orientation: orientation, pixels: [1, 2, 3, 4, 5, 6])
    let upright = image.upright()
    #expect(upright == DecodedImage(width: width, height: 5 - width, format: .grey, pixels: expected))
  }

  @Test(arguments: ImageOrientation.allCases, 0..<8 as Range<UInt64>)
  func everyTurnHasAnInverse(_ orientation: ImageOrientation, _ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let (width, height) = (Int.random(in: 1...9, using: &generator), Int.random(in: 1...9, using: &generator))
    let grey = GreyImage(width: width, height: height, pixels: generator.bytes(width * height...width * height))
    #expect(grey.turned(orientation).turned(orientation.inverse) == grey)
    #expect(grey.turned(orientation).pixels.sorted() == grey.pixels.sorted())
    let count = width * height * 3
    let rgb = DecodedImage(width: width, height: height, format: .rgb, pixels: generator.bytes(count...count))
    #expect(rgb.turned(orientation).turned(orientation.inverse) == rgb)
    // Colours stay together, and turn as grey does.
    let red = GreyImage(
      width: width, height: height, pixels: stride(from: 0, to: count, by: 3).map { rgb.pixels[$0] })
    let turned = rgb.turned(orientation)
    #expect(red.turned(orientation).pixels == stride(from: 0, to: count, by: 3).map { turned.pixels[$0] })
  }

  @Test func whatIsNoOrientationTurnsNothing() {
    for orientation in [Int.min, -1, 0, 9, .max] {
      let image = DecodedImage(width: 1, height: 2, format: .grey, orientation: orientation, pixels: [1, 2])
      #expect(image.upright().pixels == [1, 2])
    }
  }

  @Test(arguments: ImageOrientation.allCases) func aPictureWithOtherBytesIsNotTouched(_ orientation: ImageOrientation) {
    for pixels in [[], [1], [1, 2, 3, 4, 5, 6, 7]] as [[UInt8]] {
      #expect(GreyImage(width: 2, height: 3, pixels: pixels).turned(orientation).pixels == pixels)
    }
  }
}
