// Serves the page by which a person reads displays with a camera: what docs/embed-the-library.md explains.
// Usage: example-prepackaged-view INSTALLATION STATE [DEVICE | TEXT/TEXT...]
// Texts are those of a drawn meter, which needs no camera: 120/80/64 for a blood pressure monitor.
import DriverContract
import ExampleDisplays
import MeterConsole
import MeterCore
import MeterDrivers
import MeterOCR

@main
struct PrepackagedView {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard (3...4).contains(arguments.count) else {
      return print("usage: example-prepackaged-view INSTALLATION STATE [DEVICE | TEXT/TEXT...]")
    }
    let equipment = CameraEquipment(
      installation: try Installation(folder: arguments[1], state: arguments[2]),
      pictures: Pictures(arguments.count > 3 ? arguments[3] : nil))
    let console = ReadingConsole(
      desk: CameraDesk(equipment), onClosed: { closing in print("the view has closed: \(closing.rawValue)") })
    // Until its task is cancelled; the link opens once, and belongs on the person's screen.
    try await console.run { link in print("open \(link)") }
  }
}

/// What the page reads with: the catalogue, and one camera.
struct CameraEquipment: DisplayEquipment {
  let installation: Installation
  let pictures: Pictures

  var meters: [DeskMeter] { installation.registry.ocrPeripherals().map { DeskMeter($0) } }

  func open(meter: UInt32, unit: String?) async throws(DeskError) -> any OpenDisplay {
    do {
      return CameraDisplay(meter: try await DisplayMeter.open(meter, unit: unit, pictures: pictures, in: installation))
    } catch { throw DeskError(reporting: error) }
  }
}

/// A meter before the camera.
struct CameraDisplay: OpenDisplay {
  let meter: DisplayMeter

  var peripheral: OCRPeripheral { meter.peripheral }

  func controller() async throws(DeskError) -> OCRController {
    do { return try meter.controller() } catch { throw DeskError(reporting: error) }
  }

  func corrected(_ reading: OCRReading, _ texts: [String]) async throws(OCRCorrectionError) -> OCRReading {
    try await reading.corrected(texts, layout: peripheral.layout, by: meter.reader)
  }

  func jpeg(_ picture: DecodedImage, quality: Int) async -> [UInt8]? {
    // The page goes on without a picture that cannot be made.
    try? await meter.codec.encodeJPEG(picture, quality: quality)
  }

  func submit(_ reading: OCRReading, picture: [UInt8]) async throws(DeskError) -> String {
    do { return try await meter.submit(reading, picture: picture) } catch { throw DeskError(reporting: error) }
  }

  func close() async { await meter.close() }
}

extension DeskError {
  /// An error of the host in the page's words.
  fileprivate init(reporting error: any Error) {
    let words: (code: String, message: String) =
      switch error {
      case let error as DriverFault: (error.code.rawValue, error.message)
      case let error as StoreError: (error.code.rawValue, error.message)
      default: ("failed", "\(error)")
      }
    self.init(.failed, code: words.code, message: words.message, cause: error)
  }
}
