import DriverContract
import MeterConsole
import MeterDrivers
import GatewayAPI
import MeterOCR
import MeterService

/// What the page reads with: the catalogue, this machine's camera, and the queue.
struct SnapEquipment: DisplayEquipment {
  let displays: LocalDisplays
  let source: DisplaySource
  let clockIsVouched: Bool
  let locations: LocationOptions

  var meters: [DeskMeter] { displays.meters.map { DeskMeter($0) } }

  func open(meter: UInt32, unit: String?) async throws(DeskError) -> any OpenDisplay {
    do {
      // Whose reading it is stands before it begins.
      let ticket = try await locations.perform(DisplayStartRequest())
      return SnapDisplay(
        desk: try await displays.open(meter, unit: unit, isJudged: true), equipment: self, ticket: ticket)
    } catch { throw DeskError(describing: error) }
  }
}

/// A meter before the camera.
struct SnapDisplay: OpenDisplay {
  let desk: LocalDesk
  let equipment: SnapEquipment
  let ticket: DisplayStartRequest.Ticket

  var peripheral: OCRPeripheral { desk.peripheral }

  func controller() async throws(DeskError) -> OCRController {
    do {
      return try desk.controller(equipment.source, isLive: true, clockIsVouched: equipment.clockIsVouched)
    } catch { throw DeskError(describing: error) }
  }

  func corrected(_ reading: OCRReading, _ texts: [String]) async throws(OCRCorrectionError) -> OCRReading {
    try await desk.corrected(reading, texts)
  }

  func jpeg(_ picture: DecodedImage, quality: Int) async -> [UInt8]? {
    // The page goes on without a picture that cannot be made.
    try? await desk.jpeg(picture, quality: quality)
  }

  func submit(_ reading: OCRReading, picture: [UInt8]) async throws(DeskError) -> String {
    guard !equipment.source.isRecorded else {
      throw DeskError(
        .failed, code: "time_needed",
        message: "When the film was taken is not known. Read it with meterhost snap read --film FILE --time TIME.")
    }
    do {
      var request = try desk.submission(reading, ticket, picture: picture)
      request.isDrawn = equipment.source.isDrawn
      return try await equipment.locations.perform(request).sentence
    } catch { throw DeskError(describing: error) }
  }

  func close() async { await desk.close() }
}
