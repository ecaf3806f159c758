import MeterCore
import CurlHTTP
public import HostErrors

/// Why a record cannot be written in a wire format.
public struct EncodingRefusal: HostError, Hashable {
  /// Stable names of the reasons.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// Control solution is never delivered.
    case control = "control"
    /// The format has a name for none of the values.
    case nothingToSend = "nothing_to_send"
    /// Two values have one name in the format.
    case duplicate = "duplicate"
    /// The format has no records of this type.
    case noSuchType = "no_such_type"
    /// The format has no place for a part of the record.
    case noPlace = "no_place"
    /// A value cannot be written in the format's unit.
    case notConvertible = "not_convertible"
    /// The UTC offset cannot be written in the format.
    case offset = "offset"
  }

  /// The reason.
  public let code: Code
  /// What is wrong with the record; it holds no health value.
  public let message: String
  /// The record itself is whole.
  public var kind: HostErrorKind { .failed }
}
