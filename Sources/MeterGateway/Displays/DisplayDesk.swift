public import DriverRuntime
public import Foundation
public import MeterCore
import MeterDrivers
public import MeterOCR

/// A meter whose display is about to be read: its reader and the decoder of pictures, each in a worker of its own.
public struct DisplayDesk: Sendable {
  /// The meter.
  public let peripheral: OCRPeripheral
  /// The unit that was chosen; nil: the meter's default.
  public let unit: MetricUnit?
  private let reader: DisplayReader
  private let codec: ImageCodec

  /// Opens the driver of a meter, and the decoder of pictures.
  ///
  /// - Parameter unit: In UCUM; nil is the meter's default.
  /// - Throws: ``GatewayError`` with code `unknown_peripheral`, `unit_not_shown`, `driver_unavailable` or `driver_fault`.
  public static func open(
    _ id: UInt32, unit: String? = nil, in gateway: Gateway
  ) async throws(GatewayError) -> DisplayDesk {
    let entry = try gateway.display(id)
    let chosen = try unit.map { unit throws(GatewayError) in try Self.unit(unit, of: entry) }
    do throws(DriverFault) {
      let reader = try await gateway.drivers.displayReader(for: entry, in: gateway.registry)
      do throws(DriverFault) {
        let peripheral = try await OCRPeripheral(entry, reader)
        let codec = try await gateway.drivers.imageCodec(in: gateway.registry)
        return DisplayDesk(peripheral: peripheral, unit: chosen, reader: reader, codec: codec)
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
  public func controller(
    _ source: DisplaySource, isLive: Bool = false, clockIsVouched: Bool = false
  ) throws(GatewayError) -> OCRController {
    var options = OCROptions(unit: unit?.code)
    options.isClockSynchronized = DisplayMoment.now(clockIsVouched: clockIsVouched).isSynchronized
    return OCRController(
      peripheral: peripheral, recogniser: reader,
      source: try source.open(peripheral, decoder: codec, isLive: isLive), options: options)
  }

  /// The reading with what a person says that its rows show.
  ///
  /// - Parameter texts: One for each row; nil leaves it.
  /// - Throws: ``GatewayError`` with the code of an `OCRCorrectionError`.
  public func correct(_ reading: OCRReading, _ texts: [String?]) async throws(GatewayError) -> OCRReading {
    do { return try await corrected(reading, texts) } catch {
      throw GatewayError(
        error.code == .driverFailed ? .failed : .usage, code: error.code.rawValue,
        (error.row.map { "row \($0 + 1): " } ?? "") + error.description, cause: error)
    }
  }

  /// The same, with the error as it is.
  public func corrected(_ reading: OCRReading, _ texts: [String?]) async throws(OCRCorrectionError) -> OCRReading {
    try await reading.corrected(texts, layout: peripheral.layout, by: reader)
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
  ///   - picture: The crop as a JPEG file.
  ///   - microseconds: When a person says that it was measured; nil: when it was read.
  public init(
    _ reading: OCRReading, _ ticket: DisplayStartRequest.Ticket, picture: [UInt8], measuredAt microseconds: Int64? = nil
  ) throws(GatewayError) {
    guard let id = UUID(uuidString: reading.id) else {
      throw GatewayError(.failed, code: "display_values", "the reading has no name; read the display again")
    }
    let metadata = reading.metadata
    self.init(
      reading: id, peripheral: reading.peripheralID, generation: ticket.generation,
      measurements: reading.records.filter { $0.kind == .measurement }.map(DisplayMeasurement.init),
      moment: DisplayMoment(
        microseconds: microseconds ?? metadata.moment.utcMicroseconds, isSynchronized: metadata.isClockSynchronized,
        isStated: microseconds != nil), picture: Data(picture))
    isCorrected = reading.isCorrected
  }
}
