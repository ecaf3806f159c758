public import HostErrors
public import DriverContract
public import MeterCore

/// How a reading off a display ended. There is exactly one for each controller.
public enum OCRResult: Sendable {
  /// A reading.
  case completed(OCRReading)
  /// The person gave up, or the controller was closed.
  case cancelled
  /// The camera may not be used.
  case denied(FrameSourceError)
  /// The camera, a file, or the driver failed.
  case failed(OCRFailure)
  /// The display was looked at, and there is nothing to believe.
  case noValue(OCRNoValue)
}

/// What failed.
public enum OCRFailure: HostError, Hashable {
  /// The camera or the files.
  case source(FrameSourceError)
  /// The driver that reads the display.
  case driver(DriverFault)

  private var error: any HostError {
    switch self {
    case .source(let error): error
    case .driver(let fault): fault
    }
  }

  /// Decides the exit status.
  public var kind: HostErrorKind { error.kind }
  /// The stable word for programs.
  public var code: String { error.codeText }
  /// What happened and what to do.
  public var message: String { error.message }
  /// The system's or the driver's own words.
  public var cause: String? { error.cause as? String }
  /// One line for people.
  public var fullMessage: String { error.fullMessage }
}

extension OCRResult {
  /// What it is, without what was read: for the log.
  var word: String {
    switch self {
    case .completed: "completed"
    case .cancelled: "cancelled"
    case .denied(let error): error.code.rawValue
    case .failed(let failure): failure.code
    case .noValue(let none): none.reason.rawValue
    }
  }
}

/// Why there is no value.
public struct OCRNoValue: Sendable, Hashable {
  /// What was seen most.
  public var reason: NoValueReason
  /// With `otherUnit`: the unit to choose, when it is known.
  public var unitToChoose: MetricUnit?
  /// How many frames were looked at.
  public var framesLookedAt: Int
  /// How many pictures were damaged and passed over.
  public var damagedPictures: Int

  /// What happened and what to do, for people.
  public var message: String {
    guard let unit = unitToChoose else { return reason.message }
    return "the meter shows its other unit; choose \(unit.ucum)"
  }
}

/// A picture of the preview.
public struct OCRPreview: Sendable {
  /// The picture, in colour if the source gives colours.
  public var picture: DecodedImage
  /// Where the overlay lies in it, in its pixels.
  public var overlay: ImageBox
  /// Where the rows of the display belong in it, in its pixels.
  public var rows: [ImageBox]
  /// The frame's number, from 1.
  public var number: Int
  /// When it was taken, in nanoseconds of the source's clock.
  public var moment: UInt64
}

/// What was read in one frame: to show, never to store.
public struct OCRPartial: Sendable {
  /// The texts of the rows with line feeds between them; empty where nothing was read.
  public var text: String
  /// Areas of reflected light, in coordinates of the preview (of the frame as long as there is no preview).
  public var glareAreas: [ImageBox]
  /// What the person can do.
  public var advice: DisplayAdvice
  /// What is wrong with the display itself: another meter, another unit.
  public var objection: NoValueReason?
  /// With an objection to the unit: the one to choose.
  public var unitToChoose: MetricUnit?
  /// How many frames agree at the moment, and how many have to at least.
  public var progress: (agreeing: Int, needed: Int)
  /// The area of the rows.
  public var crop: DecodedImage
  /// The overlay in the preview; zero as long as there is none.
  public var overlayFrame: ImageBox
  /// The frame's number, from 1.
  public var number: Int
}
