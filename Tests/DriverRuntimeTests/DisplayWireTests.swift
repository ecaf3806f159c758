import CMeterDriver
import TestSupport
import Testing

import DriverContract
@testable import DriverRuntime

/// What goes over the socket for displays and pictures, and what the host makes of it.
@Suite("R17 displays on the wire") struct DisplayWireTests {
  private static let check = DisplayCheck(driver: "d")

  @Test func aFrameMeansTheSameOnTheOtherSide() throws {
    let frames = [DisplaySeeds.frame(), DisplaySeeds.frame(.boxes([DisplaySeeds.box]))]
    for frame in frames {
      guard case .recognize(9, let back) = try Self.display(DisplayQuestion.recognize(meter: 9, frame).payload) else {
        throw CancellationError()
      }
      #expect(back == frame)
    }
  }

  /// A driver reads where the sizes say: they are held against the bytes before it is asked.
  @Test func sizesThatContradictTheBytesAreRefused() {
    for (width, height) in [(3, 3), (0, 0), (6, 0), (2, 2), (1 << 31, 1 << 31), (4097, 1)] {
      var frame = DisplaySeeds.frame()
      frame.image = GreyImage(width: width, height: height, pixels: frame.image.pixels)
      let payload = DisplayQuestion.recognize(meter: 1, frame).payload
      #expect(throws: WireError.self) { try Self.display(payload) }
    }
    for (width, height, orientation) in [(2, 2, 1), (2, 1, 0), (2, 1, 9), (0, 0, 1), (1 << 31, 1 << 31, 1)] {
      let image = DecodedImage(
        width: width, height: height, format: .rgb, orientation: orientation, pixels: DisplaySeeds.picture.pixels)
      let payload = ImageQuestion.encode(image, quality: 1).payload
      #expect(throws: WireError.self) {
        try payload.read { reader throws(WireError) in try ImageQuestion(from: &reader) }
      }
    }
  }

  private static func display(_ payload: ExtensionPayload) throws(WireError) -> DisplayQuestion {
    try payload.read { reader throws(WireError) in try DisplayQuestion(from: &reader) }
  }

  private static func bytes(_ write: (inout WireWriter) -> Void) -> [UInt8] {
    var writer = WireWriter()
    write(&writer)
    return writer.bytes
  }

  @Test func whatIsRightIsAccepted() throws {
    let layout = try Self.check.check(DisplaySeeds.layout, meter: 1)
    #expect(layout.rows.map(\.role) == [.value, .pulse] && layout.rows[1].blinks && layout.rows[1].isOptional)
    let reading = try Self.check.check(DisplaySeeds.reading, rows: 2)
    #expect(reading.rows.map(\.text) == ["6.", ""] && reading.rows[0].characterConfidences == [1, 0.5])
    #expect(reading.glareAreas == [ImageBox(x: 0, y: 0, width: 5, height: 6)] && reading.rows[1].state == .unreadable)
    guard case .valid(let records) = try Self.check.check(DisplaySeeds.interpretation) else {
      throw CancellationError()
    }
    #expect(records.first?.values.first?.value == 6)
  }

  /// Whatever a worker makes up: what the host accepts keeps the rule, and most of it is refused.
  @Test(arguments: 0..<8) func madeUpReadingsAreCheckedWithoutATrap(seed: UInt64) throws {
    var random = SeededGenerator(seed: 100 + seed)
    let good = Self.bytes { DisplaySeeds.reading.encode(to: &$0) }
    var accepted = 0
    for _ in 0..<4_000 {
      var payload = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        payload[Int.random(in: payload.indices, using: &random)] =
          [0, 1, 0x7f, 0x80, 0xff, .random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
      }
      let raw = try ExtensionPayload(payload).read { reader throws(WireError) in try RawReading(from: &reader) }
      guard let reading = try? Self.check.check(raw, rows: 2) else { continue }
      accepted += 1
      #expect(DisplayRule.problem(in: reading, rows: 2) == nil)
    }
    #expect(accepted > 0 && accepted < 4_000)
  }

  @Test(arguments: 0..<4) func madeUpVerdictsAreCheckedWithoutATrap(seed: UInt64) throws {
    var random = SeededGenerator(seed: 200 + seed)
    let good = Self.bytes { DisplaySeeds.interpretation.encode(to: &$0) }
    for _ in 0..<4_000 {
      var payload = good
      payload[Int.random(in: payload.indices, using: &random)] = .random(in: 0...255, using: &random)
      let read = ExtensionPayload(payload)
      guard let raw = try? read.read({ reader throws(WireError) in try RawInterpretation(from: &reader) }),
        let verdict = try? Self.check.check(raw)
      else { continue }
      #expect(DisplayRule.problem(in: verdict) == nil)
    }
  }

  @Test(arguments: 0..<4) func madeUpLayoutsAreCheckedWithoutATrap(seed: UInt64) throws {
    var random = SeededGenerator(seed: 300 + seed)
    let good = Self.bytes { DisplaySeeds.layout.encode(to: &$0) }
    for _ in 0..<4_000 {
      var payload = good
      payload[Int.random(in: payload.indices, using: &random)] = .random(in: 0...255, using: &random)
      let read = ExtensionPayload(payload)
      guard let raw = try? read.read({ reader throws(WireError) in try RawLayout(from: &reader) }),
        let layout = try? Self.check.check(raw, meter: 1)
      else { continue }
      #expect(DisplayRule.problem(in: layout) == nil)
    }
  }

  @Test func aHugeFrameIsOnlyReceivedWhereItIsExpected() throws {
    let most = ImageServer.kind.longestAnswer
    #expect(most == 150_004_096 && DisplayServer.kind.longestAnswer == WireFrame.longest)
    let head = WireFrame(type: WorkerMessage.extensionType, length: WireFrame.longest + 1).head
    #expect(throws: WireError.self) { try WireFrame(head: head) }
    #expect(try WireFrame(head: head, longest: most).length == WireFrame.longest + 1)
    let larger = WireFrame(type: WorkerMessage.extensionType, length: most + 1).head
    #expect(throws: WireError.self) { try WireFrame(head: larger, longest: most) }
  }
}
