public import DriverContract

/// One thing that happened in a recorded session, in its order (rule R8).
public enum RecordingStep: Sendable, Hashable {
  /// The driver asked its services, while it was opened or handled the last event, and this was the answer.
  case service(ServiceRequest, ServiceAnswer)
  /// The driver was handed this.
  case event(DriverEvent)
  /// What came back.
  case unit(DriverUnit)
  /// What came back was too much to keep: SHA-256 of the unit's bytes.
  case unitDigest([UInt8])
  /// The driver faulted, and the session was over.
  case fault(DriverFault)
  /// The host would not take what the last unit holds: the driver's fault all the same.
  case refusedOutput(DriverFault)
  /// The session was closed in order.
  case closed
  /// The driver faulted when the session was closed; everything before is as it stands there.
  case closingFault(DriverFault)
  /// The recording was full; what happened later is not in it.
  case full
  /// The host said this to an extension of the driver; what it answers, or a fault, follows.
  case asked(extension: String, isOpening: Bool, [UInt8])
  /// What the extension answered, as it came; empty when it was opened.
  case answered([UInt8])
  /// Something that a Bluetooth capture holds; nothing was handed to a driver.
  case captured(CapturedStep)
}

/// Times that can be in a recording, microseconds since 1970-01-01T00:00Z: from before the year 0, where the clock of a
/// capture begins, to the year 5138. Sums of a few of them cannot overflow.
package enum RecordedTime {
  package static let range: ClosedRange<Int64> = -100_000_000_000_000_000...100_000_000_000_000_000
}

/// One thing between a central and a meter in a Bluetooth capture.
public struct CapturedStep: Sendable, Hashable {
  /// What it is.
  public enum Content: Sendable, Hashable {
    /// It came without being asked for: connected, services, values, advertisements, the end.
    case fact(DriverFact)
    /// The central switched values of a characteristic on or off.
    case subscribe(handle: UInt16, enable: Bool, status: Int32)
    /// The central read a value.
    case read(handle: UInt16, value: [UInt8], status: Int32)
    /// The central wrote a value and waited for the answer.
    case write(handle: UInt16, value: [UInt8], status: Int32)
    /// The central wrote a value without an answer.
    case writeNoResponse(handle: UInt16, value: [UInt8])
    /// The MTU was agreed on.
    case mtu(UInt16)
  }

  /// When, microseconds since 1970-01-01T00:00Z.
  public var unixMicroseconds: Int64
  /// What.
  public var content: Content

  /// Makes a step.
  public init(unixMicroseconds: Int64, content: Content) {
    self.unixMicroseconds = unixMicroseconds
    self.content = content
  }
}
