public import GatewayAPI
public import DriverContract
import Foundation
public import MeterCore
import MeterDrivers
public import MeterOCR

/// A meter whose display is about to be read: its reader and the decoder of pictures, each in a worker of its own.
public struct DisplayDesk: Sendable {
  /// The meter.
  public let peripheral: OCRPeripheral
  /// The unit that was chosen; nil: the meter's default.
  public let unit: MetricUnit?
  /// The SHA-256 of the bundle that reads its display.
  public let bundle: String
  private let reader: DisplayReader
  /// The reader; its faults are noted if there is a judge.
  let recogniser: any DisplayRecognizing
  private let codec: ImageCodec

  /// Opens the driver of a meter, and the decoder of pictures.
  ///
  /// - Parameters:
  ///   - unit: In UCUM; nil is the meter's default.
  ///   - judge: Keeps drivers away that fail again and again; nil: they are tried out, and nothing of it is kept.
  /// - Throws: ``GatewayError`` with code `unknown_peripheral`, `unit_not_shown`, `driver_unavailable`,
  ///   `driver_quarantined` or `driver_fault`, or that of a judge who could not be asked.
  public static func open(
    _ id: UInt32, unit: String? = nil, in gateway: Gateway, judge: DisplayJudge? = nil
  ) async throws(GatewayError) -> DisplayDesk {
    let entry = try gateway.display(id)
    let chosen = try unit.map { unit throws(GatewayError) in try Self.unit(unit, of: entry) }
    let (driver, images) = try drivers(of: entry, in: gateway.registry)
    try await judge?.expectFree([driver, images], for: id)
    let host = gateway.drivers
    do throws(DriverFault) {
      let (reader, peripheral) = try await started(driver, judge) { driver async throws(DriverFault) in
        try await Self.reader(of: entry, by: driver, on: host)
      }
      do throws(DriverFault) {
        // Only its start is judged: of what it does with a file, the file may be the cause.
        let codec = try await started(images, judge) { images async throws(DriverFault) in
          try await ImageCodec.open(host: host, bundle: images.bundle, entry: images.entry)
        }
        let recogniser: any DisplayRecognizing =
          if let judge { JudgedReader(reader: reader, driver: driver, judge: judge) } else { reader }
        return DisplayDesk(
          peripheral: peripheral, unit: chosen, bundle: "\(driver.bundle.hash)", reader: reader, recogniser: recogniser,
          codec: codec)
      } catch {
        await reader.close()
        throw error
      }
    } catch { throw GatewayError(display: error) }
  }

  private static func unit(_ text: String, of entry: Peripheral) throws(GatewayError) -> MetricUnit {
    guard entry.units.contains(text), let unit = MetricUnit.withUCUM(text) else {
      throw GatewayError(
        .usage, code: "unit_not_shown", "\(entry.name) does not show \(text)",
        hint: entry.units.isEmpty
          ? "it has one unit; leave it out" : "choose one of \(entry.units.joined(separator: ", "))"
      )
    }
    return unit
  }

  /// A controller for one reading.
  ///
  /// - Parameters:
  ///   - isLive: A drawn meter goes on, at a camera's speed.
  ///   - clockIsVouched: A person vouches for this machine's clock.
  /// - Throws: ``GatewayError`` with code `unit_needed`, or that of the source.
  public func controller(
    _ source: DisplaySource, isLive: Bool = false, clockIsVouched: Bool = false
  ) throws(GatewayError) -> OCRController {
    guard unit != nil || !peripheral.needsStatedUnit else {
      throw GatewayError(
        .usage, code: "unit_needed", "what \(peripheral.name) shows does not tell its unit",
        hint: "say which one it is set to: \(peripheral.units.map(\.ucum).joined(separator: " or "))")
    }
    var options = OCROptions(unit: unit?.code)
    options.isClockSynchronized = DisplayMoment.now(clockIsVouched: clockIsVouched).isSynchronized
    return OCRController(
      peripheral: peripheral, recogniser: recogniser,
      source: try source.open(peripheral, decoder: codec, isLive: isLive), options: options)
  }

  /// The reading with what a person says that its rows show.
  ///
  /// - Parameter texts: One for each row; nil leaves it.
  /// - Throws: ``GatewayError`` with the code of an `OCRCorrectionError`.
  public func correct(_ reading: OCRReading, _ texts: [String?]) async throws(GatewayError) -> OCRReading {
    do { return try await corrected(reading, texts) } catch {
      throw GatewayError(error, at: error.row.map { "row \($0 + 1)" })
    }
  }

  /// The same, with the error as it is.
  public func corrected(_ reading: OCRReading, _ texts: [String?]) async throws(OCRCorrectionError) -> OCRReading {
    try await reading.corrected(texts, layout: peripheral.layout, by: recogniser)
  }

  /// A picture as a JPEG file.
  ///
  /// - Throws: ``GatewayError`` with code `picture_failed`.
  public func jpeg(_ image: DecodedImage, quality: Int = 90) async throws(GatewayError) -> [UInt8] {
    do { return try await codec.encodeJPEG(image, quality: quality) } catch {
      throw GatewayError(
        .failed, code: "picture_failed", error.description, hint: "read the display again", cause: error)
    }
  }

  /// Ends the workers.
  public func close() async {
    await reader.close()
    await codec.close()
  }
}

extension DisplaySubmitRequest {
  /// A reading as a request.
  ///
  /// - Parameters:
  ///   - ticket: What it belongs to; with the time at which a person says that it was measured, else that is when it was read.
  ///   - picture: The crop as a JPEG file.
  public init(
    _ reading: OCRReading, _ ticket: DisplayStartRequest.Ticket, picture: [UInt8]
  ) throws(GatewayError) {
    guard let id = UUID(uuidString: reading.id) else {
      throw GatewayError(.failed, code: "display_values", "the reading has no name; read the display again")
    }
    let metadata = reading.metadata
    self.init(
      reading: id, peripheral: reading.peripheralID, generation: ticket.generation,
      measurements: reading.records.filter { $0.kind == .measurement }.map(DisplayMeasurement.init),
      moment: ticket.time.map { DisplayMoment(stated: $0, isSynchronized: metadata.isClockSynchronized) }
        ?? DisplayMoment(read: metadata.moment, isSynchronized: metadata.isClockSynchronized), picture: Data(picture))
    isCorrected = reading.isCorrected
  }
}
