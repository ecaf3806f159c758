public import HostErrors

/// Why a Bluetooth capture cannot be imported.
public struct CaptureError: HostError, Hashable {
  /// The reasons; the raw value is stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The file is no btsnoop capture.
    case notACapture = "not_a_capture"
    /// A version or link type of btsnoop that is not read.
    case unsupported = "capture_unsupported"
    /// What the file says of itself cannot be.
    case damaged = "damaged_capture"
    /// It has more bytes or packets than are read.
    case tooLarge = "capture_too_large"
    /// It holds no traffic with the meter.
    case noMeter = "capture_without_meter"
    /// It holds traffic with several meters.
    case ambiguous = "capture_ambiguous"
    /// It does not say which handle is which characteristic.
    case unresolved = "capture_unresolved"
  }

  /// Which of them.
  public let code: Code
  /// What happened, and what to do.
  public let message: String
  /// Where in the file, in bytes, when that is known.
  public let offset: Int?

  /// Makes an error.
  public init(_ code: Code, _ message: String, offset: Int? = nil) {
    (self.code, self.message, self.offset) = (code, message, offset)
  }

  /// Decides the exit status.
  public var kind: HostErrorKind {
    switch code {
    case .notACapture, .ambiguous, .noMeter: .usage
    case .unsupported, .damaged, .tooLarge, .unresolved: .failed
    }
  }

  /// One line for people.
  public var fullMessage: String { message + offset.map { "at byte \($0)" }.inBrackets }
}
