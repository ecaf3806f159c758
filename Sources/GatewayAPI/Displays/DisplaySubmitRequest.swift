public import Foundation
public import MeterCore

/// Puts what was read from a display into the queue, with the picture, in one commit.
///
/// The records are named by the reading: sent twice, it is one.
public struct DisplaySubmitRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "display.submit"
  /// Performed twice, it submits once.
  public static let isRepeatable = true
  /// The most records of one display.
  public static let recordLimit = 8

  /// The reading; a random value that only this reading has.
  public var reading: UUID
  /// The id of the catalogue's entry, of the kind `ocr`.
  public var peripheral: UInt32
  /// What the session was when the reading began, as `display.start` has answered.
  public var generation: SessionGeneration
  /// What the display shows.
  public var measurements: [DisplayMeasurement]
  /// When it was read.
  public var moment: DisplayMoment
  /// Whether a person has changed what was recognised.
  public var isCorrected = false
  /// Whether the meter was only drawn; the record says so then.
  public var isDrawn = false
  /// The SHA-256 in hexadecimal of the bundle that has read it; nil where that is not said.
  public var bundle: String?
  /// The picture of the display, JPEG or PNG; nil for none.
  public var picture: Data?
  /// Whether delivery is tried before the answer; else the reading is left to the queue, which a service empties.
  public var delivers = true

  /// A submission.
  public init(
    reading: UUID, peripheral: UInt32, generation: SessionGeneration, measurements: [DisplayMeasurement],
    moment: DisplayMoment, picture: Data?
  ) {
    self.reading = reading
    self.peripheral = peripheral
    self.generation = generation
    self.measurements = measurements
    self.moment = moment
    self.picture = picture
  }

  /// What became of a reading.
  public struct Answer: Sendable, Codable, Hashable {
    /// What became of each record, in the order of the measurements.
    public var records: [SubmittedRecord]
    /// Whether the picture goes with them; it does not where there is no session.
    public var hasPicture: Bool

    enum CodingKeys: String, CodingKey {
      case records
      case hasPicture = "picture"
    }

    package init(records: [SubmittedRecord], hasPicture: Bool) {
      self.records = records
      self.hasPicture = hasPicture
    }
  }
}
