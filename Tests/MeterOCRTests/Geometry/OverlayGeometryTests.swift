import DriverContract
import MeterOCR
import TestSupport
import Testing

@Suite struct OverlayGeometryTests {
  typealias Rotation = OverlayGeometry.Rotation
  typealias Scaling = OverlayGeometry.Scaling

  @Test("a square overlay in a wide preview") func aSquareOverlayInAWidePreview() {
    let geometry = OverlayGeometry(aspect: 1, preview: ViewSize(width: 200, height: 100), margin: 0.1)
    #expect(geometry.overlayFrame == ImageBox(x: 60, y: 10, width: 80, height: 80))
  }

  @Test("a wide overlay in a tall preview") func aWideOverlayInATallPreview() {
    let geometry = OverlayGeometry(aspect: 2, preview: ViewSize(width: 100, height: 300), margin: 0)
    #expect(geometry.overlayFrame == ImageBox(x: 0, y: 125, width: 100, height: 50))
  }

  @Test("the frame is doubled and has bars beside it") func theFrameIsDoubledAndHasBarsBesideIt() {
    let geometry = OverlayGeometry(
      aspect: 1, preview: ViewSize(width: 1480, height: 960), frame: ViewSize(width: 640, height: 480), margin: 0)
    #expect(geometry.overlayFrame == ImageBox(x: 260, y: 0, width: 960, height: 960))
    #expect(geometry.overlayInFrame == ImageBox(x: 80, y: 0, width: 480, height: 480))
    #expect(geometry.toFrame(ImagePoint(x: 100, y: 0)) == ImagePoint(x: 0, y: 0))
  }

  @Test(
    "a turned frame",
    arguments: [
      (Rotation.none, ImagePoint(x: 10, y: 20)), (.right, ImagePoint(x: 460, y: 10)),
      (.half, ImagePoint(x: 630, y: 460)),
      (.left, ImagePoint(x: 20, y: 630)),
    ])
  func aTurnedFrame(_ rotation: Rotation, _ point: ImagePoint) {
    let isUpright = rotation == .none || rotation == .half
    let geometry = OverlayGeometry(
      aspect: 1, preview: isUpright ? ViewSize(width: 640, height: 480) : ViewSize(width: 480, height: 640),
      frame: ViewSize(width: 640, height: 480), rotation: rotation)
    #expect(geometry.toPreview(ImagePoint(x: 10, y: 20)) == point)
    #expect(geometry.toFrame(point) == ImagePoint(x: 10, y: 20))
  }

  @Test("rows are fractions of the overlay") func rowsAreFractionsOfTheOverlay() {
    let layout = DisplayLayout(
      aspect: 2, overlay: "o",
      rows: [
        DisplayRow(role: .value, box: ImageBox(x: 0.25, y: 0.5, width: 0.5, height: 0.25), characters: "0123456789")
      ])
    let geometry = OverlayGeometry(
      aspect: 2, preview: ViewSize(width: 200, height: 100), frame: ViewSize(width: 400, height: 200), margin: 0)
    #expect(geometry.rowsInPreview(layout) == [ImageBox(x: 50, y: 50, width: 100, height: 25)])
    #expect(geometry.rowsInFrame(layout) == [ImageBox(x: 100, y: 100, width: 200, height: 50)])
  }

  @Test("the overlay lies inside, keeps its aspect, and every point finds back", arguments: 0..<40 as Range<UInt64>)
  func theOverlayLiesInsideKeepsItsAspectAndEvery(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let preview = ViewSize(
        width: .random(in: 1...5000, using: &random), height: .random(in: 1...5000, using: &random))
      let frame = ViewSize(width: .random(in: 1...5000, using: &random), height: .random(in: 1...5000, using: &random))
      let aspect = Double.random(in: 0.05...20, using: &random)
      let rotation = Rotation.allCases[Int.random(in: 0..<4, using: &random)]
      let scaling = Bool.random(using: &random) ? Scaling.fit : .fill
      let geometry = OverlayGeometry(
        aspect: aspect, preview: preview, frame: frame, rotation: rotation, scaling: scaling,
        margin: .random(in: 0...0.4, using: &random))
      let box = geometry.overlayFrame
      let near = 1e-6 * max(preview.width, preview.height)
      #expect(box.width > 0 && box.height > 0)
      #expect(box.x >= -near && box.y >= -near)
      #expect(box.x + box.width <= preview.width + near && box.y + box.height <= preview.height + near)
      #expect(abs(box.width / box.height - aspect) <= 1e-6 * aspect)
      let seen = geometry.overlayInFrame
      let pixel = 1e-6 * max(frame.width, frame.height)
      #expect(seen.x >= -pixel && seen.y >= -pixel)
      #expect(seen.x + seen.width <= frame.width + pixel && seen.y + seen.height <= frame.height + pixel)
      let point = ImagePoint(
        x: .random(in: 0...frame.width, using: &random), y: .random(in: 0...frame.height, using: &random))
      let back = geometry.toPreview(point).flatMap { geometry.toFrame($0) }
      #expect(abs((back?.x ?? .nan) - point.x) <= pixel && abs((back?.y ?? .nan) - point.y) <= pixel)
      let again = geometry.toPreview(geometry.toFrame(box))
      #expect(abs(again.x - box.x) <= near && abs(again.width - box.width) <= near)
    }
  }

  private static let odd: [Double] = [
    0, -1, -0.0, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e9, 0.5, 100,
  ]

  @Test("sizes that are none give no overlay and no impossible number", arguments: odd)
  func sizesThatAreNoneGiveNoOverlayAndNo(_ width: Double) {
    for height in Self.odd {
      for aspect in [1.0, 0, -2, .nan, .infinity, 1e-300, 1e300] {
        for frame in [nil, ViewSize(width: width, height: height), ViewSize(width: 640, height: 480)] {
          for scaling in Scaling.allCases {
            for margin in [0.05, .nan, -1, 0.5, 7] {
              let preview = ViewSize(width: width, height: height)
              let geometry = OverlayGeometry(
                aspect: aspect, preview: preview, frame: frame, scaling: scaling, margin: margin)
              let isUsable = width == 100 && height == 100 && aspect == 1 && margin == 0.05
              #expect((geometry.overlayFrame.width > 0) == isUsable)
              for box in [geometry.overlayFrame, geometry.overlayInFrame, geometry.toFrame(geometry.overlayFrame)] {
                #expect([box.x, box.y, box.width, box.height].allSatisfy { $0.isFinite })
              }
            }
          }
        }
      }
    }
  }

  @Test("points that are none are nowhere", arguments: odd)
  func pointsThatAreNoneAreNowhere(_ number: Double) {
    let geometry = OverlayGeometry(
      aspect: 1, preview: ViewSize(width: 2, height: 2), frame: ViewSize(width: 1_000_000, height: 1_000_000))
    for point in [ImagePoint(x: number, y: 1), ImagePoint(x: 1, y: number)] {
      for answer in [geometry.toFrame(point), geometry.toPreview(point)].compactMap(\.self) {
        #expect(answer.x.isFinite && answer.y.isFinite)
      }
    }
    let box = ImageBox(x: number, y: number, width: number, height: number)
    for answer in [geometry.toFrame(box), geometry.toPreview(box)] {
      #expect([answer.x, answer.y, answer.width, answer.height].allSatisfy { $0.isFinite })
    }
  }
}
