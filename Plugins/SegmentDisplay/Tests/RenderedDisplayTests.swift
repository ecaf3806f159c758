import CMeterDriver
import Foundation
import Testing

@testable import DriverTestBench

/// Layout, recogniser and meaning together, on displays that are drawn plainly. With the weights that the bundle ships.
extension FrameTests {
  static let weights = try? Data(
    contentsOf: packageFolder().appendingPathComponent("Plugins/SegmentDisplay/assets/weights.mhsw"))

  /// What the rows of a drawn display are read as; nil for a row without a text.
  private func read(_ texts: [String], _ meter: Peripheral, _ bundle: DisplayBundle) throws -> [String?] {
    let layout = try #require(bundle.layout(meter.id).layout)
    var painter = DisplayPainter(layout)
    for (row, text) in texts.enumerated() { painter.write(text, row: row) }
    return read(painter, meter, bundle, rows: layout.rows.count)
  }

  /// What the rows of a drawn display are read as; nil for a row without a text that is as sure as `floor`. A photograph is
  /// looked at from twelve sides.
  func read(
    _ painter: DisplayPainter, _ meter: Peripheral, _ bundle: DisplayBundle, rows: Int, isStill: Bool = false,
    from floor: Float = 0
  ) -> [String?] {
    var frame = painter.frame
    frame.flags = isStill ? MH_OCR_FRAME_STILL : 0
    let (status, reading) = recognize(bundle, frame, meter: meter.id)
    #expect(status == MH_OK && Int(reading.n_rows) == rows)
    return withUnsafeBytes(of: reading.rows) { bytes in
      bytes.bindMemory(to: mh_ocr_row_reading.self).prefix(rows).map { row in
        #expect((0...1).contains(row.confidence))
        guard row.state == MH_OCR_STATE_TEXT, row.confidence >= floor else { return nil }
        return withUnsafeBytes(of: row.text) { String(decoding: $0.prefix(Int(row.length)), as: UTF8.self) }
      }
    }
  }

  func bundleWithWeights() throws -> DisplayBundle {
    let bundle = try DisplayBundle()
    DisplayBundle.hostState.assets["weights.mhsw"] = try #require(Self.weights.map(Array.init))
    #expect(bundle.table.load() == MH_OK)
    return bundle
  }

  @Test(arguments: DisplayBundle.meters)
  func aDrawnDisplayIsReadRightOrNotAtAll(_ meter: Peripheral) throws {
    let bundle = try bundleWithWeights()
    for (texts, unit) in zip(try #require(HostileTextTests.good[meter.type]), meter.unitCodes) {
      let found = try read(texts, meter, bundle)
      #expect(zip(found, texts).allSatisfy { $0.0 == nil || $0.0 == $0.1 }, "\(found) of \(texts)")
      #expect(found.contains { $0 != nil })
      #expect(bundle.interpret(texts, meter: meter.id, unit: unit).verdict == MH_OCR_VALID)
    }
  }

  /// Plain segments are easy: weights that read fewer than three in four of these rows are none to ship.
  @Test func mostDrawnRowsAreRead() throws {
    let bundle = try bundleWithWeights()
    var rows: [String?] = []
    for meter in DisplayBundle.meters {
      for texts in try #require(HostileTextTests.good[meter.type]) { rows += try read(texts, meter, bundle) }
    }
    let answers = rows.count { $0 != nil }
    #expect(!rows.isEmpty && answers * 4 >= rows.count * 3, "\(answers) of \(rows.count)")
  }

  /// Every segment lit, dashes, and nothing at all: whatever is read of it is no value.
  @Test(arguments: DisplayBundle.meters)
  func aDrawnDisplayWithoutAValueGivesNone(_ meter: Peripheral) throws {
    let bundle = try bundleWithWeights()
    let rows = try #require(bundle.layout(meter.id).layout?.rows.count)
    let eights = ["thermometer": "188.8", "weight_scale": "888.8"][meter.type] ?? "888"
    for shown in [eights, "---", ""] {
      let read = try read([String](repeating: shown, count: rows), meter, bundle)
      let verdict = bundle.interpret(read.map { $0 ?? "" }, meter: meter.id).verdict
      #expect(verdict == MH_OCR_NOT_A_VALUE || verdict == MH_OCR_INCOMPLETE, "\(meter) \(shown) \(read)")
    }
  }
}
