import DriverContract
import MeterConsole
import MeterDrivers
import MeterOCR
import Synchronization

/// A glucometer that always shows the same, before a camera that does what a test says.
final class ScriptedEquipment: DisplayEquipment {
  let meters = [
    DeskMeter(id: 7, name: "Example", kind: "Glucose meters", units: [DeskUnit("mg/dL"), DeskUnit("mmol/L")])
  ]
  let source: FilmOfOne
  let reading: DisplayReading
  let opened = Mutex<[String?]>([])
  let closings = Mutex(0)
  let submitted = Mutex<[OCRReading]>([])
  let refusesPictures: Bool

  init(_ source: FilmOfOne, text: String = "112", refusesPictures: Bool = false) {
    self.source = source
    self.refusesPictures = refusesPictures
    reading = DisplayReading(
      rows: [
        RowReading(
          state: .text, text: text, confidence: 0.95,
          corners: [(0.0, 0.0), (30, 0), (30, 10), (0, 10)].map { ImagePoint(x: $0.0, y: $0.1) })
      ], glareAreas: [ImageBox(x: 0, y: 0, width: 3, height: 2)])
  }

  func open(meter: UInt32, unit: String?) async throws(DeskError) -> any OpenDisplay {
    opened.withLock { $0.append(unit) }
    return ScriptedDisplay(equipment: self)
  }
}

struct ScriptedDisplay: OpenDisplay, DisplayRecognizing {
  let equipment: ScriptedEquipment

  var peripheral: OCRPeripheral {
    OCRPeripheral(
      id: 7, name: "Example", type: .glucoseMeter,
      layout: DisplayLayout(
        aspect: 1, overlay: "7.svg",
        rows: [
          DisplayRow(
            role: .value, box: ImageBox(x: 0.1, y: 0.1, width: 0.8, height: 0.8), characters: "0123456789.Lo")
        ]), overlay: "<svg/>")
  }

  func controller() async throws(DeskError) -> OCRController {
    OCRController(peripheral: peripheral, recogniser: self, source: equipment.source)
  }

  func recognize(_ frame: DisplayFrame, meter: UInt32) async throws(DriverFault) -> DisplayReading { equipment.reading }

  func interpret(_ texts: [String], meter: UInt32, unit: UInt16?) async throws(DriverFault) -> DisplayVerdict {
    guard let value = texts.first.flatMap({ Int64($0) }) else { return .notAValue }
    let glucose = DriverValue(metric: 1, unit: 2, exponent: 0, qualifier: .exact, value: Double(value), raw: value)
    return value < 601 ? .valid([DriverRecord(kind: .measurement, values: [glucose])]) : .wrongMeter
  }

  func corrected(_ reading: OCRReading, _ texts: [String]) async throws(OCRCorrectionError) -> OCRReading {
    try await reading.corrected(texts, layout: peripheral.layout, by: self)
  }

  func jpeg(_ picture: DecodedImage, quality: Int) async -> [UInt8]? {
    equipment.refusesPictures ? nil : Array("\(picture.width)x\(picture.height)".utf8)
  }

  func submit(_ reading: OCRReading, picture: [UInt8]) async throws(DeskError) -> String {
    equipment.submitted.withLock { $0.append(reading) }
    return "Submitted:"
  }

  func close() async { equipment.closings.withLock { $0 += 1 } }
}

/// Numbered pictures of 64 x 48 pixels a tenth of a second apart, then what a test says.
actor FilmOfOne: FrameSource {
  enum End: Sendable {
    case end, wait, error(FrameSourceError)
  }

  private let frames: Int
  private let end: End
  private var number = 0
  private var asker: CheckedContinuation<Void, Never>?
  private(set) var isClosed = false

  init(frames: Int, then end: End) {
    self.frames = frames
    self.end = end
  }

  func nextFrame() async throws(FrameSourceError) -> CapturedFrame? {
    guard !isClosed else { return nil }
    number += 1
    guard number > frames else {
      return CapturedFrame(
        image: GreyImage(
          width: 64, height: 48, pixels: (0..<64 * 48).map { UInt8(truncatingIfNeeded: $0 % 2 == 0 ? number : $0) }),
        moment: UInt64(number) * 100_000_000, isStill: false, name: "film")
    }
    switch end {
    case .end: return nil
    case .error(let error): throw error
    case .wait:
      await withCheckedContinuation { asker = $0 }
      return nil
    }
  }

  func close() {
    isClosed = true
    asker?.resume()
    asker = nil
  }
}
