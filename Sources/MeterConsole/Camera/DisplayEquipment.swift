public import DriverContract
public import MeterOCR

/// What ``CameraDesk`` needs of the host: drivers, cameras, and the place where readings go.
public protocol DisplayEquipment: Sendable {
  /// The meters whose displays can be read.
  var meters: [DeskMeter] { get }

  /// Opens the driver of a meter and whatever reading it needs.
  ///
  /// - Parameter unit: A unit of the meter in UCUM; nil is its default.
  func open(meter: UInt32, unit: String?) async throws(DeskError) -> any OpenDisplay
}

/// A meter whose display is about to be read.
public protocol OpenDisplay: Sendable {
  /// The meter.
  var peripheral: OCRPeripheral { get }

  /// A controller for one reading, at rest.
  func controller() async throws(DeskError) -> OCRController

  /// The reading with what a person says that its rows show, one text for each.
  func corrected(_ reading: OCRReading, _ texts: [String]) async throws(OCRCorrectionError) -> OCRReading

  /// A picture as a JPEG file; nil when it cannot be made.
  func jpeg(_ picture: DecodedImage, quality: Int) async -> [UInt8]?

  /// Hands over a reading that a person has confirmed, with its picture.
  ///
  /// - Returns: A sentence for the person.
  func submit(_ reading: OCRReading, picture: [UInt8]) async throws(DeskError) -> String

  /// Nobody reads, corrects or submits with it any more.
  func close() async
}
