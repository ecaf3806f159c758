import DriverContract
import Testing

@testable import MeterOCR

@Suite struct SyntheticTests {
  typealias Scene = SyntheticMeter.Scene

  static let layout = DisplayLayout(
    aspect: 0.8, overlay: "test.svg",
    rows: [
      DisplayRow(
        role: .systolic, box: ImageBox(x: 0.1, y: 0.1, width: 0.8, height: 0.22), characters: "0123456789"),
      DisplayRow(
        role: .diastolic, box: ImageBox(x: 0.1, y: 0.4, width: 0.8, height: 0.22), characters: "0123456789"),
      DisplayRow(role: .pulse, box: ImageBox(x: 0.3, y: 0.7, width: 0.6, height: 0.18), characters: "0123456789"),
    ])

  static func meter(_ scenes: [Scene], noise: Int = 6, motion: Int = 2, seed: UInt64 = 1) -> SyntheticMeter {
    SyntheticMeter(layout: layout, scenes: scenes, width: 160, height: 120, motion: motion, noise: noise, seed: seed)
  }

  static func dark(_ image: GreyImage?) -> Int { image?.pixels.count { $0 < 56 } ?? -1 }

  @Test func theSameNumberGivesTheSamePicture() throws {
    let scenes = [Scene(.texts(["128", "79", "64"]), frames: 9, glare: 0.7), Scene(.selfTest, frames: 3)]
    let (one, other) = (Self.meter(scenes), Self.meter(scenes))
    for frame in [0, 3, 8, 11, 5, 0] { #expect(one.frame(frame) == other.frame(frame)) }
    #expect(one.frame(2) == one.frame(2) && one.frame(0) != one.frame(1))
    #expect(Self.meter(scenes, seed: 2).frame(0) != one.frame(0))
  }

  /// So that another machine, or another day, cannot draw something else unnoticed.
  @Test func thePictureIsThatOfEveryMachine() throws {
    let frame = try #require(Self.meter([Scene(.texts(["128", "79", "64"]), frames: 9, glare: 0.5)]).frame(4))
    #expect(frame.width == 160 && frame.height == 120 && frame.pixels.count == 160 * 120)
    // FNV-1a, 64 bits.
    let sum = frame.pixels.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    #expect(sum == 0x087B_DC8D_9E59_8842)
  }

  @Test func moreSegmentsAreDarker() {
    let content: [Scene.Content] = [
      .blank, .texts(["1", "1", "1"]), .texts(["128", "79", "64"]), .texts(["888", "888", "888"]), .selfTest,
    ]
    let dark = content.map { Self.dark(Self.meter([Scene($0, frames: 1)], noise: 0, motion: 0).frame(0)) }
    #expect(dark[0] == 0 && dark == dark.sorted() && Set(dark).count == dark.count)
  }

  @Test func digitsLieInTheirRows() throws {
    let meter = Self.meter([Scene(.texts(["", "79", ""]), frames: 1)], noise: 0, motion: 0)
    let image = try #require(meter.frame(0))
    let row = Self.layout.rows[1].box
    let (left, top) = (meter.overlay.x + row.x * meter.overlay.width, meter.overlay.y + row.y * meter.overlay.height)
    let box = (left - 1)...(left + row.width * meter.overlay.width + 1)
    let lines = (top - 1)...(top + row.height * meter.overlay.height + 1)
    for (index, pixel) in image.pixels.enumerated() where pixel < 56 {
      #expect(box.contains(Double(index % 160)) && lines.contains(Double(index / 160)))
    }
  }

  @Test func glarePassesOver() throws {
    let meter = Self.meter([Scene(.texts(["128", "79", "64"]), frames: 11, glare: 1)], noise: 0, motion: 0)
    func middle(_ frame: Int) -> Double? {
      let lit = meter.frame(frame)?.pixels.enumerated().filter { $0.element == 255 }.map { $0.offset % 160 } ?? []
      return lit.isEmpty ? nil : Double(lit.reduce(0, +)) / Double(lit.count)
    }
    let ways = try (0..<11).map { try #require(middle($0)) }
    #expect(zip(ways, ways.dropFirst()).allSatisfy { $0 < $1 })
    let still = Self.meter([Scene(.texts(["128", "79", "64"]), frames: 11)], noise: 0, motion: 0)
    #expect(still.frame(5)?.pixels.contains(255) == false)
  }

  @Test(arguments: 0...4) func theHandMovesNoFurtherThanItMay(_ motion: Int) throws {
    let meter = Self.meter([Scene(.texts(["128", "79", "64"]), frames: 60)], noise: 0, motion: motion)
    let rest = try #require(Self.meter([Scene(.texts(["128", "79", "64"]), frames: 60)], noise: 0, motion: 0).frame(0))
    var places: Set<Int> = []
    for number in 0..<60 {
      let image = try #require(meter.frame(number))
      var found: (right: Int, down: Int)?
      for right in -motion...motion {
        for down in -motion...motion where found == nil && isShifted(image, rest, right, down) { found = (right, down) }
      }
      let place = try #require(found)
      places.insert(place.right * 100 + place.down)
    }
    #expect(motion == 0 ? places.count == 1 : places.count > 2)
  }

  /// Whether the middle of a picture is that of another one, moved.
  private func isShifted(_ image: GreyImage, _ rest: GreyImage, _ right: Int, _ down: Int) -> Bool {
    (20..<100).allSatisfy { y in
      let (row, other) = (y * 160, (y - down) * 160 - right)
      return (20..<140).allSatisfy { x in image.pixels[row + x] == rest.pixels[other + x] }
    }
  }

  @Test func scenesFollowOneAnother() throws {
    let meter = Self.meter([Scene(.blank, frames: 2), Scene(.selfTest, frames: 1), Scene(.texts(["1"]), frames: 3)])
    #expect(meter.frameCount == 6)
    #expect((0..<8).map { meter.scene(of: $0)?.number } == [0, 1, 0, 0, 1, 2, 0, 1])
    #expect(meter.scene(of: 2)?.scene.content == .selfTest && meter.scene(of: -1) == nil)
    #expect(Self.meter([]).frame(0) == nil)
  }

  @Test func aFilmEndsAndACameraDoesNot() async throws {
    let meter = Self.meter([Scene(.texts(["128", "79", "64"]), frames: 3)])
    let read = await frames(SyntheticSource(meter, options: FrameOptions(wantsPreview: true)))
    #expect(read.frames.map(\.image) == (0..<3).compactMap { meter.frame($0) })
    #expect(read.frames.map(\.moment) == [0, 33_333_333, 66_666_666])
    #expect(read.frames.allSatisfy { $0.preview?.pixels == $0.image.pixels && !$0.isStill })
    let camera = SyntheticSource(meter, isLive: true)
    var moments: [UInt64] = []
    for _ in 0..<5 { moments.append(try #require(try await camera.nextFrame()).moment) }
    #expect(zip(moments, moments.dropFirst()).allSatisfy { $0 < $1 })
    await camera.close()
    #expect(try await camera.nextFrame() == nil)
  }

  @Test func anySizeAndLayoutIsDrawn() {
    let boxes = [
      ImageBox(x: -3, y: -3, width: 9, height: 9), ImageBox(x: .nan, y: 0, width: 1, height: 1),
      ImageBox(x: 0, y: 0, width: .infinity, height: 1), ImageBox(x: 0.5, y: 0.5, width: 0, height: -1),
    ]
    for box in boxes {
      for aspect in [1, 0, -1, Double.nan, .infinity, 1e-9, 1e9] {
        let layout = DisplayLayout(
          aspect: aspect, overlay: "x", rows: [DisplayRow(role: .value, box: box, characters: "8")])
        let meter = SyntheticMeter(
          layout: layout, scenes: [Scene(.texts(["8.8"]), frames: 1, glare: .nan)], width: 20, height: 20, motion: 99,
          noise: 999)
        #expect(meter.frame(0)?.pixels.count == 400)
      }
    }
  }
}
