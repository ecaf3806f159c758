import CMeterDriver
import Foundation
import Testing

@testable import DriverTestBench

/// Displays that look like another reading: rows that do not lie, points that are hardly there, digits of another kind. Each
/// is read right, or not at all.
extension FrameTests {
  /// The least confidence that the host believes, of photographs.
  private static let floor: Float = 0.45
  private static let glucometer = DisplayBundle.meters.first { $0.type == "glucose_meter" }
  static let texts = ["7.4", "12.9", "112", "58", "24.0", "405"]

  /// What a display with one row is read as, in a single look and in the many at a photograph; nil for what the host believes
  /// of neither.
  private func looks(
    _ text: String, _ bundle: DisplayBundle, point: UInt8 = 40, dots: Bool = false,
    _ change: (DisplayPainter) -> DisplayPainter = { $0 }
  ) throws -> [String?] {
    let meter = try #require(Self.glucometer)
    var painter = DisplayPainter(try #require(bundle.layout(meter.id).layout))
    if dots { painter.writeDots(text, row: 0) } else { painter.write(text, row: 0, point: point) }
    let seen = change(painter)
    return try [false, true].map { isStill in
      try #require(read(seen, meter, bundle, rows: 1, isStill: isStill, from: Self.floor).first)
    }
  }

  @Test(arguments: [-25.0, -15, -10, -6, 6, 10, 15, 25])
  func aTurnedRowIsReadRightOrNotAtAll(_ degrees: Double) throws {
    let bundle = try bundleWithWeights()
    var answers = 0
    for (text, lean) in zip(Self.texts, [0.0, 8, 0, 4, 10, 6]) {
      for found in try looks(text, bundle, { $0.turned(degrees, leaning: lean) }) {
        #expect(found == nil || found == text)
        answers += found == nil ? 0 : 1
      }
    }
    #expect(answers >= Self.texts.count, "\(answers) of \(2 * Self.texts.count) looks answer")
  }

  @Test(arguments: [-40.0, -20, 25, 40])
  func digitsThatLeanTooFarAreReadRightOrNotAtAll(_ degrees: Double) throws {
    let bundle = try bundleWithWeights()
    for text in Self.texts {
      for found in try looks(text, bundle, { $0.turned(0, leaning: degrees) }) {
        #expect(found == nil || found == text)
      }
    }
  }

  /// From a point like the digits to one that has two fifths of their contrast.
  @Test(arguments: [40, 80, 100, 115] as [UInt8])
  func aFaintPointIsSeenOrTheNumberIsNotBelieved(_ grey: UInt8) throws {
    let bundle = try bundleWithWeights()
    for text in ["7.4", "12.9", "36.8", "24.0", "5.1", "9.0"] {
      for turn in [0.0, -8] {
        for found in try looks(text, bundle, point: grey, { turn == 0 ? $0 : $0.turned(turn) }) {
          #expect(found == nil || found == text, "a point of \(grey), turned by \(turn)")
        }
      }
    }
  }

  /// What has no point is still read: the doubt about points is not a refusal of all numbers without one.
  @Test func numbersWithoutAPointAreRead() throws {
    let bundle = try bundleWithWeights()
    let texts = ["112", "58", "405", "97", "186", "230", "74", "369"]
    let found = try texts.map { ($0, try looks($0, bundle)) }
    #expect(found.allSatisfy { text, looks in looks.allSatisfy { $0 == nil || $0 == text } }, "\(found)")
    let answers = found.reduce(0) { $0 + $1.1.count { $0 != nil } }
    #expect(answers * 4 >= texts.count * 2 * 3, "\(answers) of \(2 * texts.count) looks answer")
  }

  @Test(arguments: ["117", "7.4", "112", "71", "98", "105", "240", "111", "42", "5.9"])
  func digitsOfDotsAreReadRightOrNotAtAll(_ text: String) throws {
    let bundle = try bundleWithWeights()
    for turn in [0.0, -12] {
      for found in try looks(text, bundle, dots: true, { turn == 0 ? $0 : $0.turned(turn) }) {
        #expect(found == nil || found == text)
      }
    }
  }

  /// Ones with a flag, which pass for sevens or are left out where they are thick, and open fives, which pass for sixes.
  @Test(arguments: [PixelFont.round, .slashed, .thin, .bold, .heavy, .boldThin], [false, true])
  func digitsOfPixelsAreReadRightOrNotAtAll(_ font: PixelFont, _ isLit: Bool) throws {
    let bundle = try bundleWithWeights()
    let meter = try #require(Self.glucometer)
    let layout = try #require(bundle.layout(meter.id).layout)
    for text in [
      "91", "19", "117", "171", "71", "17", "110", "210", "401", "55", "56", "105", "118", "85", "384", "14", "94",
    ] {
      var painter = DisplayPainter(layout)
      painter.writePixels(text, in: font, isLit: isLit, row: 0)
      for isStill in [false, true] {
        let found = read(painter, meter, bundle, rows: 1, isStill: isStill, from: Self.floor)
        #expect(found == [nil] || found == [text], "\(text) as a \(isStill ? "photograph" : "frame")")
      }
    }
  }

  /// A thick one that is left out is seen all the same: what was read of the other digits is no text, however doubtful.
  @Test(arguments: ["182", "185", "187", "189", "192", "195", "197", "199"])
  func aOneThatWasLeftOutLeavesNoText(_ text: String) throws {
    let bundle = try bundleWithWeights()
    let meter = try #require(Self.glucometer)
    var painter = DisplayPainter(try #require(bundle.layout(meter.id).layout))
    painter.writePixels(text, in: .bold, isLit: true, row: 0)
    for isStill in [false, true] {
      let found = read(painter, meter, bundle, rows: 1, isStill: isStill, from: 0)
      #expect(found == [nil] || found == [text], "\(found)")
    }
  }

  /// The doubt about screens is not a refusal of all sevens.
  @Test(arguments: ["97", "74", "171", "117", "276", "377", "5.7", "7.1"])
  func sevensOfSegmentsAreRead(_ text: String) throws {
    let found = try looks(text, try bundleWithWeights())
    #expect(found == [text, text])
  }

  /// Where a digit is fourteen pixels high and less, nothing is believed.
  @Test func digitsSmallerThanAnyThatWereLearnedAreNotBelieved() throws {
    let bundle = try bundleWithWeights()
    let meter = try #require(Self.glucometer)
    let layout = try #require(bundle.layout(meter.id).layout)
    for text in Self.texts {
      var painter = DisplayPainter(layout)
      painter.write(text, row: 0)
      let place = painter.place(of: 0), middle = painter.middle(of: 0)
      let part = 13 / (place.height * 0.7)
      var frame = painter.shrunk(to: part).frame
      frame.flags = MH_OCR_FRAME_BOXES
      frame.boxes = [
        mh_ocr_box(
          x: Float(middle.x - place.width * part / 2), y: Float(middle.y - place.height * part / 2),
          width: Float(place.width * part), height: Float(place.height * part))
      ]
      let (status, reading) = recognize(bundle, frame, meter: meter.id)
      #expect(status == MH_OK && reading.rows.0.state != MH_OCR_STATE_TEXT, "\(text)")
    }
  }
}
