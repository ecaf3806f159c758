import DriverContract
import Testing

@testable import MeterOCR

@Suite struct CameraPixelTests {
  @Test(arguments: [8, 10, 16]) func lumaComesAsItWasSent(_ row: Int) {
    // Two rows of four pixels, and a border.
    var bytes = [UInt8](repeating: 0xEE, count: 2 * row)
    for y in 0..<2 {
      for x in 0..<4 { (bytes[y * row + 2 * x], bytes[y * row + 2 * x + 1]) = (UInt8(10 * y + x), 0xC0) }
    }
    let raw = RawPicture(format: .yuyv, width: 4, height: 2, row: row, bytes: bytes, moment: 1)
    #expect(raw.grey?.pixels == [0, 1, 2, 3, 10, 11, 12, 13])
    var grey = raw
    (grey.format, grey.row) = (.grey, 4)
    grey.bytes = Array(0..<8)
    #expect(grey.grey?.pixels == Array(0..<8))
    #expect(grey.colours?.format == .grey && grey.colours?.pixels == Array(0..<8))
  }

  @Test func aLastPixelWithoutAPairIsRead() {
    let raw = RawPicture(
      format: .yuyv, width: 3, height: 1, row: 8, bytes: [1, 128, 2, 128, 3, 128, 4, 128], moment: 1)
    #expect(raw.grey?.pixels == [1, 2, 3])
    #expect(raw.colours?.pixels.count == 9)
  }

  @Test(arguments: CameraFormat.allCases) func aPictureThatIsNotWholeIsNone(_ format: CameraFormat) {
    let row = format == .yuyv ? 8 : 4
    guard let least = format.bytes(4, 4, row: row) else {
      #expect(!RawPicture(format: format, width: 4, height: 4, row: 0, bytes: [], moment: 0).isWhole)
      return
    }
    for count in 0...least + 1 {
      let raw = RawPicture(
        format: format, width: 4, height: 4, row: row, bytes: Array(repeating: 7, count: count), moment: 0)
      #expect((raw.grey != nil) == (count >= least) && (raw.colours != nil) == (count >= least))
    }
    for row in 0..<format.row(4) {
      let raw = RawPicture(
        format: format, width: 4, height: 4, row: row, bytes: Array(repeating: 7, count: 99), moment: 0)
      #expect(raw.grey == nil && raw.colours == nil)
    }
  }

  /// ITU-R BT.601: luma 16 to 235, differences around 128.
  @Test(arguments: [
    ([16, 128, 128], [0, 0, 0]), ([235, 128, 128], [255, 255, 255]), ([81, 90, 240], [255, 0, 0]),
    ([145, 54, 34], [0, 255, 0]), ([41, 240, 110], [0, 0, 255]), ([0, 128, 128], [0, 0, 0]),
  ])
  func coloursAreThoseOfTheStandard(_ sent: [UInt8], _ expected: [Int]) throws {
    let yuyv = RawPicture(
      format: .yuyv, width: 2, height: 1, row: 4, bytes: [sent[0], sent[1], sent[0], sent[2]], moment: 0)
    let planes = RawPicture(
      format: .yuv420, width: 2, height: 2, row: 2, bytes: Array(repeating: sent[0], count: 4) + [sent[1], sent[2]],
      moment: 0)
    for raw in [yuyv, planes] {
      let pixels = try #require(raw.colours).pixels
      #expect(zip(pixels, expected + expected).allSatisfy { abs(Int($0) - $1) <= 2 })
    }
  }
}
