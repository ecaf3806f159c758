/// What the view needs of the host: meters to choose from, and readings of their displays.
///
/// The view knows nothing of cameras and drivers; tests give it a desk that plays its readings.
public protocol ReadingDesk: Sendable {
  /// The meters whose displays can be read, in the order in which the list shows them.
  func meters() async throws(DeskError) -> [DeskMeter]

  /// The drawing that is laid over the preview of a meter, as SVG.
  func overlay(of meter: UInt32) async throws(DeskError) -> [UInt8]

  /// Opens the camera and begins to read. The view has one reading at a time.
  ///
  /// - Parameter unit: The ``DeskUnit/code`` of one of the meter's units; nil is its first.
  func start(meter: UInt32, unit: String?) async throws(DeskError) -> any DeskReading
}

/// One reading: it lives from the start to its outcome, and its result until it is submitted or let go.
public protocol DeskReading: Sendable {
  /// Pictures for the person who holds the meter, until the reading ends. Read once.
  var previews: AsyncStream<PreviewPicture> { get }

  /// What is seen in each frame, until the reading ends. Read once.
  var partials: AsyncStream<PartialReading> { get }

  /// Returns when the reading has ended and the camera is free, always with the same outcome.
  func outcome() async -> ReadingOutcome

  /// Ends the reading, and returns when the camera is free. Without effect on a reading that has ended.
  func cancel() async

  /// What the rows' texts mean when a person has looked at them: values, or what is wrong with which row.
  func check(_ texts: [String]) async -> RowCheck

  /// Hands the reading over with the texts that a person has looked at, and with its picture.
  ///
  /// - Returns: A sentence for the person.
  func submit(_ texts: [String]) async throws(DeskError) -> String

  /// Nobody wants its result any more. One that is still under way is cancelled.
  func close() async
}

/// Why something did not happen, told to a person.
public struct DeskError: Error, Sendable {
  /// What the view does about it.
  public enum Kind: String, Sendable, Hashable {
    /// The host may not use the camera: the view closes.
    case cameraDenied = "denied"
    /// The desk has no such meter, unit or drawing.
    case notFound = "not_found"
    /// Anything else; another try may help.
    case failed
  }

  /// What the view does about it.
  public let kind: Kind
  /// The code of the error where it comes from; stable and meant for programs.
  public let code: String
  /// What happened and what to do about it, in words for a person.
  public let message: String
  /// The error that this one reports.
  public let cause: (any Error)?

  /// An error with these words.
  public init(_ kind: Kind, code: String, message: String, cause: (any Error)? = nil) {
    self.kind = kind
    self.code = code
    self.message = message
    self.cause = cause
  }
}
