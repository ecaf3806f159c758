import DriverContract
import GatewayAPI
import GatewayEngine
import MeterDrivers
import MeterOCR

// Displays are read in the process that has the person and the camera before it, whoever owns the state folder: the driver and
// the decoder of pictures run here. The owner says whose reading it is and which drivers are set aside, and takes it.

/// The meters whose displays this process can read, as the registry's files said when this was made.
struct LocalDisplays: Sendable {
  private let gateway: Gateway
  private let locations: LocationOptions

  fileprivate init(_ gateway: Gateway, _ locations: LocationOptions) {
    self.gateway = gateway
    self.locations = locations
  }

  /// The meters, without the disabled ones.
  var meters: [Peripheral] { gateway.registry.ocrPeripherals() }

  /// Opens the driver of a meter, and the decoder of pictures.
  ///
  /// - Parameters:
  ///   - unit: In UCUM; nil is the meter's default.
  ///   - isJudged: The owner keeps drivers away that fail again and again; without it they are tried out, and nothing of it is kept.
  /// - Throws: ``GatewayError`` with code `unknown_peripheral`, `unit_not_shown`, `driver_unavailable`, `driver_quarantined` or
  ///   `driver_fault`, or that of an owner who could not be asked.
  func open(_ id: UInt32, unit: String? = nil, isJudged: Bool) async throws(GatewayError) -> LocalDesk {
    let entry = try gateway.display(id)
    let judge = isJudged ? locations.displayJudge : nil
    return LocalDesk(entry, try await DisplayDesk.open(id, unit: unit, in: gateway, judge: judge))
  }
}

extension LocationOptions {
  /// The meters whose displays this process can read.
  ///
  /// - Throws: ``GatewayError`` with code `registry`.
  func displays() throws(GatewayError) -> LocalDisplays { LocalDisplays(try gateway(), self) }

  /// Whoever owns the state folder, as the judge of drivers that read displays.
  fileprivate var displayJudge: DisplayJudge {
    DisplayJudge(verdict: { try await perform($0) }, note: { _ = try await perform($0) })
  }
}

/// A meter whose display is about to be read in this process.
struct LocalDesk: Sendable {
  private let entry: Peripheral
  private let desk: DisplayDesk

  fileprivate init(_ entry: Peripheral, _ desk: DisplayDesk) {
    self.entry = entry
    self.desk = desk
  }

  /// The meter.
  var peripheral: OCRPeripheral { desk.peripheral }

  /// A controller for one reading.
  ///
  /// - Parameters:
  ///   - isLive: A drawn meter goes on, at a camera's speed.
  ///   - clockIsVouched: A person vouches for this machine's clock.
  /// - Throws: ``GatewayError`` with code `unit_needed`, or that of the source.
  func controller(
    _ source: DisplaySource, isLive: Bool = false, clockIsVouched: Bool
  ) throws(GatewayError) -> OCRController {
    try desk.controller(source, isLive: isLive, clockIsVouched: clockIsVouched)
  }

  /// The reading with what a person says that its rows show.
  ///
  /// - Parameter texts: One for each row; nil leaves it.
  /// - Throws: ``GatewayError`` with the code of an `OCRCorrectionError`.
  func correct(_ reading: OCRReading, _ texts: [String?]) async throws(GatewayError) -> OCRReading {
    try await desk.correct(reading, texts)
  }

  /// The same, with the error as it is.
  func corrected(_ reading: OCRReading, _ texts: [String?]) async throws(OCRCorrectionError) -> OCRReading {
    try await desk.corrected(reading, texts)
  }

  /// A picture as a JPEG file.
  ///
  /// - Throws: ``GatewayError`` with code `picture_failed`.
  func jpeg(_ image: DecodedImage, quality: Int = 90) async throws(GatewayError) -> [UInt8] {
    try await desk.jpeg(image, quality: quality)
  }

  /// A reading as a request to the owner.
  ///
  /// - Parameters:
  ///   - ticket: What it belongs to.
  ///   - picture: The crop as a JPEG file.
  /// - Throws: ``GatewayError`` with code `display_values`.
  func submission(
    _ reading: OCRReading, _ ticket: DisplayStartRequest.Ticket, picture: [UInt8]
  ) throws(GatewayError) -> DisplaySubmitRequest {
    var request = try DisplaySubmitRequest(reading, ticket, picture: picture)
    request.bundle = desk.bundle
    return request
  }

  /// Ends the workers.
  func close() async { await desk.close() }
}

/// What `--json` says of a display.
extension LocalDesk {
  /// The meter.
  var description: DisplayDescription { DisplayDescription(entry, desk.peripheral) }

  /// What was read in a frame.
  ///
  /// - Parameter crop: The file with the rows cut out, where there is one.
  static func description(of partial: OCRPartial, crop: String?) -> PartialDescription {
    PartialDescription(partial, crop: crop)
  }

  /// A picture of the preview.
  ///
  /// - Parameters:
  ///   - picture: Its file.
  ///   - overlayFrame: The overlay in the view that shows it.
  static func description(of preview: OCRPreview, picture: String, overlayFrame: ImageBox) -> PreviewDescription {
    PreviewDescription(preview, picture: picture, overlayFrame: overlayFrame)
  }

  /// A reading.
  ///
  /// - Parameters:
  ///   - crop: As a JPEG file.
  ///   - microseconds: When a person says that it was measured.
  static func description(
    of reading: OCRReading, crop: [UInt8], measuredAt microseconds: Int64?
  ) -> DisplayReadingDescription {
    DisplayReadingDescription(reading, crop: crop, measuredAt: microseconds)
  }
}
