import CMeterDriver

import DriverContract
@testable import DriverRuntime

/// Exchanges with the draft extensions as they should be, for tests and a fuzzer to begin with.
enum DisplaySeeds {
  static let box = ImageBox(x: 1, y: 2, width: 3, height: 4)

  static func frame(_ place: DisplayFrame.Place = .overlay(box)) -> DisplayFrame {
    DisplayFrame(image: GreyImage(width: 3, height: 2, pixels: [1, 2, 3, 4, 5, 6]), isStill: true, place: place)
  }

  static var layout: RawLayout {
    RawLayout(
      status: MH_OK, aspect: 1.5, overlay: Array("frame".utf8),
      rows: [
        RawLayout.Row(role: 1, flags: 0, reserved: 0, box: [0, 0, 1, 0.5], characters: Array("0123456789.".utf8)),
        RawLayout.Row(role: 4, flags: 3, reserved: 0, box: [0, 0.5, 1, 0.5], characters: Array("0123456789".utf8)),
      ])
  }

  static var reading: RawReading {
    var reading = mh_ocr_reading()
    reading.struct_size = UInt32(MemoryLayout<mh_ocr_reading>.size)
    (reading.n_rows, reading.n_glare, reading.sharpness, reading.glare) = (2, 1, 0.5, 0.25)
    (reading.areas.0.width, reading.areas.0.height) = (5, 6)
    reading.rows.0.state = UInt16(MH_OCR_STATE_TEXT)
    (reading.rows.0.length, reading.rows.0.confidence) = (2, 0.75)
    (reading.rows.0.text.0, reading.rows.0.text.1) = (0x36, 0x2e)
    (reading.rows.0.characters.0, reading.rows.0.characters.1) = (1, 0.5)
    reading.rows.1.state = UInt16(MH_OCR_STATE_UNREADABLE)
    return RawReading(status: MH_OK, reading: reading)
  }

  static var interpretation: RawInterpretation {
    var record = mh_record()
    record.kind = UInt32(MH_KIND_MEASUREMENT)
    (record.ident_class, record.n_values) = (UInt16(MH_IDENT_LIVE), 1)
    (record.utc_offset_s, record.device_seq) = (mh_offset_unknown(), mh_seq_none())
    var value = mh_value()
    (value.metric, value.unit) = (UInt16(MH_METRIC_BLOOD_GLUCOSE), UInt16(MH_UNIT_MG_PER_DL))
    (value.raw, value.value) = (6, 6)
    return RawInterpretation(
      status: MH_OK, verdict: UInt32(MH_OCR_VALID),
      output: RawOutput(records: [record], values: [value], texts: [], arena: []))
  }

  static let picture = DecodedImage(width: 2, height: 1, format: .rgb, orientation: 6, pixels: [1, 2, 3, 4, 5, 6])

  static var questions: [ExtensionSeed] {
    [
      ExtensionSeed(.ocr, DisplayQuestion.layout(meter: 7).payload),
      ExtensionSeed(.ocr, DisplayQuestion.recognize(meter: 7, frame()).payload),
      ExtensionSeed(.ocr, DisplayQuestion.recognize(meter: 8, frame(.boxes([box, box]))).payload),
      ExtensionSeed(.ocr, DisplayQuestion.interpret(meter: 7, unit: 3, texts: ["120", ""]).payload),
      ExtensionSeed(.ocr, DisplayQuestion.interpret(meter: 7, unit: nil, texts: []).payload),
      ExtensionSeed(.image, ImageQuestion.measure([1, 2, 3]).payload),
      ExtensionSeed(.image, ImageQuestion.decode(ImageRequest(format: .grey, width: 5, height: 6), [1, 2]).payload),
      ExtensionSeed(.image, ImageQuestion.encode(picture, quality: 80).payload),
    ]
  }

  static var answers: [ExtensionSeed] {
    let (layout, reading, interpretation) = (layout, reading, interpretation)
    let picture = RawPicture(status: MH_OK, width: 2, height: 1, format: 3, orientation: 6, words: "w")
    return [
      ExtensionSeed(.ocr, ExtensionPayload { layout.encode(to: &$0) }),
      ExtensionSeed(.ocr, ExtensionPayload { reading.encode(to: &$0) }),
      ExtensionSeed(.ocr, ExtensionPayload { interpretation.encode(to: &$0) }),
      ExtensionSeed(.image, ImageAnswer(picture: picture, content: [1, 2, 3, 4, 5, 6]).payload),
    ]
  }
}
