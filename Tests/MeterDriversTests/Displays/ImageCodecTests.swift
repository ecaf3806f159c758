import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// A decoder of pictures in a worker: what it says of a picture is checked, and a damaged picture is no fault of its own.
@Suite("A decoder of pictures", .timeLimit(.minutes(60))) struct ImageCodecTests {
  @Test(arguments: DriverHostConfiguration.Isolation.allCases)
  func measuresDecodesAndEncodes(isolation: DriverHostConfiguration.Isolation) async throws {
    let codec = try await DisplayBench.codec(isolation)
    let file = DisplayBench.file(width: 300, height: 20)
    #expect(try await codec.measure(file) == ImageSize(width: 300, height: 20, format: .rgb, orientation: 6))
    let picture = try await codec.decode(file, format: .grey)
    #expect(picture.width == 300 && picture.height == 20 && picture.format == .grey && picture.orientation == 6)
    #expect(picture.pixels == [UInt8](repeating: 7, count: 6000))
    let half = try await codec.decode(DisplayBench.file(10, width: 300, height: 20), format: .rgb, atLeast: (100, 5))
    #expect(half.width == 150 && half.height == 10 && half.pixels.count == 4500)
    let encoded = try await codec.encodeJPEG(picture.upright, quality: 80)
    #expect(encoded == [0xff, 0xd8, 44, 20, 1, 7, 80])
    await codec.close()
    let error = await #expect(throws: ImageCodecError.self) { try await codec.measure(file) }
    guard case .fault(let fault) = error else { throw CancellationError() }
    #expect(fault.code == .closed)
  }

  @Test func aPictureOfTheMostPixelsFitsAndALargerOneDoesNot() async throws {
    let codec = try await DisplayBench.codec()
    let picture = try await codec.decode(DisplayBench.file(width: 8000, height: 6250), format: .rgb)
    #expect(picture.pixels.count == 150_000_000 && picture.pixels.last == 7)
    for (width, height) in [(8001, 6250), (16_385, 1), (16_384, 16_384), (65_535, 65_535)] {
      let error = await #expect(throws: ImageCodecError.self) {
        try await codec.decode(DisplayBench.file(width: width, height: height), format: .rgb)
      }
      guard case .tooLarge = error else { throw CancellationError() }
    }
    let long = [UInt8](repeating: 0, count: 32 << 20 | 1)
    let error = await #expect(throws: ImageCodecError.self) { try await codec.measure(long) }
    guard case .tooLarge = error else { throw CancellationError() }
    await codec.close()
  }

  @Test(arguments: DriverHostConfiguration.Isolation.allCases)
  func badFilesHarmNothing(isolation: DriverHostConfiguration.Isolation) async throws {
    let codec = try await DisplayBench.codec(isolation)
    let bad: [([UInt8], ImageCodecError)] = [
      ([], .unsupported), ([1, 2], .unsupported), (Array("P1".utf8), .damaged(nil)),
      (DisplayBench.file(1), .damaged(nil)),
    ]
    for (file, expected) in bad {
      await #expect(throws: expected) { try await codec.decode(file, format: .grey) }
    }
    await #expect(throws: ImageCodecError.self) {
      try await codec.encodeJPEG(DecodedImage(width: 2, height: 2, format: .grey, pixels: [1]), quality: 50)
    }
    let large = DecodedImage(width: 16_384, height: 16_384, format: .rgb, pixels: [])
    await #expect(throws: ImageCodecError.self) { try await codec.encodeJPEG(large, quality: 50) }
    #expect(try await codec.decode(DisplayBench.file(), format: .grey).pixels.count == 12)
    await codec.close()
  }

  /// The numbers of images.c.
  static let offences: [(offence: UInt8, code: DriverFault.Code)] = [
    (2, .brokeRule), (3, .brokeRule), (4, .brokeRule), (7, .brokeRule), (8, .brokeRule), (9, .brokeRule),
    (11, .brokeRule), (5, .hung), (6, .crashed),
  ]

  @Test(arguments: offences.indices) func anOffenceIsAFaultAndTheNextOneOpens(index: Int) async throws {
    let (offence, code) = Self.offences[index]
    let codec = try await DisplayBench.codec(milliseconds: 30)
    let error = await #expect(throws: ImageCodecError.self) {
      try await codec.decode(DisplayBench.file(offence), format: .grey)
    }
    guard case .fault(let fault) = error else {
      Issue.record("\(offence): \(String(describing: error))")
      return
    }
    #expect(fault.code == code && fault.driver == DisplayBench.images, "\(offence): \(fault)")
    let next = try await DisplayBench.codec()
    #expect(try await next.measure(DisplayBench.file()).width == 4)
    await next.close()
  }

  @Test func aCallerThatGivesUpBehindItsAnswerIsNobodysFault() async throws {
    let codec = try await DisplayBench.codec()
    let process = try #require(await codec.process)
    _ = try await codec.measure(DisplayBench.file())
    // As a cancelled task does.
    process.kill()
    for code in [DriverFault.Code.cancelled, .closed] {
      let error = await #expect(throws: ImageCodecError.self) { try await codec.measure(DisplayBench.file()) }
      guard case .fault(let fault) = error else { throw CancellationError() }
      #expect(fault.code == code)
    }
  }

  @Test(arguments: [13, 14]) func whatIsNoFileIsAFault(quality: Int) async throws {
    let codec = try await DisplayBench.codec()
    let picture = DecodedImage(width: 1, height: 1, format: .grey, pixels: [1])
    let error = await #expect(throws: ImageCodecError.self) { try await codec.encodeJPEG(picture, quality: quality) }
    guard case .fault(let fault) = error else { throw CancellationError() }
    #expect(fault.code == .brokeRule)
  }
}

extension DecodedImage {
  /// The same as if its pixels stood upright.
  fileprivate var upright: DecodedImage {
    DecodedImage(width: width, height: height, format: format, pixels: pixels)
  }
}
