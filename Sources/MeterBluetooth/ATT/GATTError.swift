public import BluetoothWire

/// Why a GATT procedure failed.
public struct GATTError: Error, Sendable, Hashable {
  /// The kinds of failure.
  public enum Code: Sendable, Hashable {
    /// The meter answered with an ATT error.
    case attribute(ATTErrorCode)
    /// The meter sent bytes that are no PDU, or lied about lengths or handles.
    case malformed
    /// The meter answered with a PDU that does not belong to the request.
    case unexpectedResponse
    /// No answer within 30 seconds (Core Specification, Vol 3 Part F 3.3.3).
    case transactionTimeout
    /// The link is gone.
    case disconnected
    /// The meter sends more than anybody can read.
    case flooded
    /// The meter lacks something that its driver needs.
    case missing
    /// The meter has moved what its driver uses to other handles.
    case databaseChanged
    /// A second request while one is outstanding.
    case busy
  }

  /// What went wrong, for programs.
  public let code: Code
  /// What went wrong and where, for people.
  public let message: String

  /// An error of a GATT procedure.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension GATTError: CustomStringConvertible {
  /// What went wrong and where, for people.
  public var description: String { message }
}
