public import DriverContract
public import MeterCore

/// One row of a reading.
public struct OCRReadingRow: Sendable, Hashable {
  /// What the row shows.
  public let role: DisplayRole
  /// What was read.
  public let readText: String
  /// What holds: what was read, or what a person has put in its place.
  public internal(set) var text: String
  /// A person has changed it.
  public var isCorrected: Bool { text != readText }
  /// A person has looked at it and found it right.
  public internal(set) var isConfirmed = false
}

/// How a reading came about.
public struct OCRMetadata: Sendable, Hashable {
  /// The last of the frames, as people see it.
  public var frame: DecodedImage
  /// The overlay in the preview; zero when there was none.
  public var overlayFrame: ImageBox
  /// The overlay in ``frame``, in its pixels.
  public var overlayInFrame: ImageBox
  /// How sure the reader was, 0 to 1.
  public var confidence: Double
  /// How many looks agree.
  public var agreeing: Int
  /// How many frames were looked at.
  public var framesLookedAt: Int
  /// How many pictures were damaged and passed over.
  public var damagedPictures: Int
  /// It comes from photographs: when they were taken is not known, ``moment`` is when they were read.
  public var isPhotograph: Bool
  /// When it was read.
  public var moment: BootClock
  /// Whether the date of ``moment`` is to be believed.
  public var isClockSynchronized: Bool
}

/// A reading off a display, for a person to look at before it is submitted.
public struct OCRReading: Sendable, Hashable, Identifiable {
  /// One name for all attempts to submit it; made when the reading began.
  public let id: String
  /// The meter, in the catalogue of kind `ocr`.
  public let peripheralID: UInt32
  /// The unit that the meter was said to be set to, a code of the dictionary; nil: its default.
  public let unit: UInt16?
  /// The rows from the top.
  public internal(set) var rows: [OCRReadingRow]
  /// The area of the rows, for the person to compare.
  public let crop: DecodedImage
  /// How it came about.
  public let metadata: OCRMetadata
  /// The reader was not sure enough: the values wait for a person.
  public let isUnsure: Bool
  var interpreted: [DriverRecord]

  /// The texts of the rows, as they hold now.
  public var texts: [String] { rows.map(\.text) }

  /// Whether a person has to say that it is right before it may be delivered.
  public var isHeld: Bool { isUnsure && !rows.allSatisfy { $0.isConfirmed || $0.text.isEmpty && !$0.isCorrected } }

  /// Whether a person has changed something.
  public var isCorrected: Bool { rows.contains(where: \.isCorrected) }

  /// What the driver says that the texts mean; `held` as long as ``isHeld``.
  public var records: [DriverRecord] {
    guard isHeld else { return interpreted }
    return interpreted.map {
      var record = $0
      record.flags.insert(.held)
      return record
    }
  }
}
