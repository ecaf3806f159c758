import DriverContract

/// What a function left behind, unchecked: a worker sends it, the host checks it.
package struct RawAnswer: Sendable, Hashable {
  /// An output as it lay there after the call.
  enum Output: Sendable, Hashable {
    /// The bits of a number, least significant first.
    case word(UInt64)
    /// `length` as the function set it, and as much of the buffer as there is; `isIntact` is false when the function wrote
    /// behind its end.
    case buffer(length: UInt64, isIntact: Bool, bytes: [UInt8])
  }

  var status: Int32
  var outputs: [Output]
  var logs: [DriverLogLine]
}
