import CMeterDriver
import TestSupport
import Testing

import DriverContract
@testable import DriverRuntime

/// What goes over the socket for displays and pictures, and what the host makes of it.
@Suite("R17 displays on the wire") struct DisplayWireTests {
  private static let check = DisplayCheck(driver: "d")

  @Test(arguments: DisplaySeeds.hostMessages.indices) func whatAHostSaysSurvives(index: Int) throws {
    let message = DisplaySeeds.hostMessages[index]
    #expect(try HostMessage(type: message.type, payload: message.payload).payload == message.payload)
    for length in message.payload.indices {
      #expect(throws: WireError.self) {
        try HostMessage(type: message.type, payload: Array(message.payload[..<length]))
      }
    }
    #expect(throws: WireError.self) { try HostMessage(type: message.type, payload: message.payload + [0]) }
  }

  @Test(arguments: DisplaySeeds.workerMessages.indices) func whatAWorkerSaysSurvives(index: Int) throws {
    let message = DisplaySeeds.workerMessages[index]
    #expect(try WorkerMessage(type: message.type, payload: message.payload).payload == message.payload)
    for length in message.payload.indices {
      #expect(throws: WireError.self) {
        try WorkerMessage(type: message.type, payload: Array(message.payload[..<length]))
      }
    }
    #expect(throws: WireError.self) { try WorkerMessage(type: message.type, payload: message.payload + [0]) }
  }

  @Test func aFrameMeansTheSameOnTheOtherSide() throws {
    let frames = [DisplaySeeds.frame(), DisplaySeeds.frame(.boxes([DisplaySeeds.box]))]
    for frame in frames {
      let message = HostMessage.recognize(meter: 9, frame)
      guard case .recognize(9, let back) = try HostMessage(type: message.type, payload: message.payload) else {
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
      let message = HostMessage.recognize(meter: 1, frame)
      #expect(throws: WireError.self) { try HostMessage(type: message.type, payload: message.payload) }
    }
    for (width, height, orientation) in [(2, 2, 1), (2, 1, 0), (2, 1, 9), (0, 0, 1), (1 << 31, 1 << 31, 1)] {
      let image = DecodedImage(
        width: width, height: height, format: .rgb, orientation: orientation, pixels: DisplaySeeds.picture.pixels)
      let message = HostMessage.encodeImage(image, quality: 1)
      #expect(throws: WireError.self) { try HostMessage(type: message.type, payload: message.payload) }
    }
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
    let good = WorkerMessage.reading(DisplaySeeds.reading)
    var accepted = 0
    for _ in 0..<4_000 {
      var payload = good.payload
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        payload[Int.random(in: payload.indices, using: &random)] =
          [0, 1, 0x7f, 0x80, 0xff, .random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
      }
      guard case .reading(let raw) = try WorkerMessage(type: good.type, payload: payload),
        let reading = try? Self.check.check(raw, rows: 2)
      else { continue }
      accepted += 1
      #expect(DisplayRule.problem(in: reading, rows: 2) == nil)
    }
    #expect(accepted > 0 && accepted < 4_000)
  }

  @Test(arguments: 0..<4) func madeUpVerdictsAreCheckedWithoutATrap(seed: UInt64) throws {
    var random = SeededGenerator(seed: 200 + seed)
    let good = WorkerMessage.interpretation(DisplaySeeds.interpretation)
    for _ in 0..<4_000 {
      var payload = good.payload
      payload[Int.random(in: payload.indices, using: &random)] = .random(in: 0...255, using: &random)
      guard case .interpretation(let raw)? = try? WorkerMessage(type: good.type, payload: payload),
        let verdict = try? Self.check.check(raw)
      else { continue }
      #expect(DisplayRule.problem(in: verdict) == nil)
    }
  }

  @Test(arguments: 0..<4) func madeUpLayoutsAreCheckedWithoutATrap(seed: UInt64) throws {
    var random = SeededGenerator(seed: 300 + seed)
    let good = WorkerMessage.layout(DisplaySeeds.layout)
    for _ in 0..<4_000 {
      var payload = good.payload
      payload[Int.random(in: payload.indices, using: &random)] = .random(in: 0...255, using: &random)
      guard case .layout(let raw)? = try? WorkerMessage(type: good.type, payload: payload),
        let layout = try? Self.check.check(raw, meter: 1)
      else { continue }
      #expect(DisplayRule.problem(in: layout) == nil)
    }
  }

  @Test func aHugeFrameIsOnlyReceivedWhereItIsExpected() throws {
    let head = WireFrame(type: WorkerMessage.pictureType, length: WireFrame.longest + 1).head
    #expect(throws: WireError.self) { try WireFrame(head: head) }
    #expect(try WireFrame(head: head, longest: WireFrame.longestPicture).length == WireFrame.longest + 1)
    let larger = WireFrame(type: 74, length: WireFrame.longestPicture + 1).head
    #expect(throws: WireError.self) { try WireFrame(head: larger, longest: WireFrame.longestPicture) }
  }
}
