/// One characteristic value to decode (rule R14).
public struct DecodeItem: Sendable, Hashable {
  /// The 16-bit Bluetooth SIG id, or the registry's number from 0x8000 on for vendor UUIDs.
  public var characteristic: UInt16
  /// Whether the bytes are an advertisement's service data; `characteristic` is the service's number then.
  public var isServiceData: Bool
  /// Time of arrival, microseconds since 1970-01-01T00:00Z.
  public var receivedMicroseconds: Int64
  /// The value.
  public var bytes: [UInt8]

  /// Makes an item.
  public init(
    characteristic: UInt16, isServiceData: Bool = false, receivedMicroseconds: Int64, bytes: [UInt8]
  ) {
    self.characteristic = characteristic
    self.isServiceData = isServiceData
    self.receivedMicroseconds = receivedMicroseconds
    self.bytes = bytes
  }
}

/// What became of one item.
public struct DecodeOutcome: Sendable, Hashable {
  /// `MH_OK`, `MH_E_NO_VALUE`, `MH_E_PROTOCOL` or `MH_E_UNSUPPORTED`.
  public var status: Int32
  /// The item's records; empty unless the status is `MH_OK`.
  public var records: [DriverRecord]

  /// Makes an outcome.
  public init(status: Int32, records: [DriverRecord]) {
    self.status = status
    self.records = records
  }
}
