import DriverRuntime
import MeterConsole
import MeterDrivers
import MeterGateway
import MeterOCR

/// What the page reads with: the catalogue, this machine's camera, and the queue.
struct SnapEquipment: DisplayEquipment {
  let gateway: Gateway
  let source: DisplaySource
  let clockIsVouched: Bool
  let locations: LocationOptions

  var meters: [DeskMeter] { gateway.registry.ocrPeripherals().map { DeskMeter($0) } }

  func open(meter: UInt32, unit: String?) async throws(DeskError) -> any OpenDisplay {
    do {
      // Whose reading it is stands before it begins.
      let ticket = try await locations.perform(DisplayStartRequest())
      return SnapDisplay(
        desk: try await DisplayDesk.open(meter, unit: unit, in: gateway), equipment: self, ticket: ticket)
    } catch { throw DeskError(any: error) }
  }
}

/// A meter before the camera.
struct SnapDisplay: OpenDisplay {
  let desk: DisplayDesk
  let equipment: SnapEquipment
  let ticket: DisplayStartRequest.Ticket

  var peripheral: OCRPeripheral { desk.peripheral }

  func controller() async throws(DeskError) -> OCRController {
    do {
      return try desk.controller(equipment.source, isLive: true, clockIsVouched: equipment.clockIsVouched)
    } catch { throw DeskError(any: error) }
  }

  func corrected(_ reading: OCRReading, _ texts: [String]) async throws(OCRCorrectionError) -> OCRReading {
    try await desk.corrected(reading, texts)
  }

  func jpeg(_ picture: DecodedImage, quality: Int) async -> [UInt8]? {
    // The page goes on without a picture that cannot be made.
    try? await desk.jpeg(picture, quality: quality)
  }

  func submit(_ reading: OCRReading, picture: [UInt8]) async throws(DeskError) -> String {
    do {
      let answer = try await equipment.locations.perform(
        try DisplaySubmitRequest(reading, ticket, picture: picture))
      let item = answer.records.first?.deliveries.first
      return switch item?.state {
      case "delivered": "Submitted: the reading is delivered."
      case "held": "The reading is kept (\(item?.reason ?? "held")); `meterhost queue list` shows it."
      default: "Submitted: the reading is saved and will be delivered."
      }
    } catch { throw DeskError(any: error) }
  }

  func close() async { await desk.close() }
}

extension DeskError {
  fileprivate init(any error: any Error) {
    guard let known = GatewayError(describing: error) else {
      self.init(.failed, code: "failed", message: "\(error)", cause: error)
      return
    }
    let kind: Kind =
      switch known.code {
      case "unknown_peripheral", "unit_not_shown": .notFound
      case FrameSourceError.Code.cameraDenied.rawValue: .cameraDenied
      default: .failed
      }
    self.init(
      kind, code: known.code, message: known.message + (known.hint.map { "; \($0)" } ?? ""), cause: known)
  }
}
