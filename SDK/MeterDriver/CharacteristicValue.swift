import CMeterDriver

/// One characteristic value to decode.
public struct CharacteristicValue: ~Escapable {
  /// The 16-bit Bluetooth SIG id; for a vendor's UUID the `decode_code` that the registry's entry gives it, from 0x8000
  /// on.
  public let characteristic: UInt16
  /// True when the bytes are an advertisement's service data; `characteristic` is the service's id then.
  public let isServiceData: Bool
  /// The bytes.
  public let bytes: RawSpan
  /// Time of arrival, microseconds since 1970-01-01T00:00Z.
  public let arrivalMicroseconds: Int64

  @_lifetime(copy bytes)
  init(characteristic: UInt16, isServiceData: Bool, bytes: RawSpan, arrivalMicroseconds: Int64) {
    self.characteristic = characteristic
    self.isServiceData = isServiceData
    self.bytes = bytes
    self.arrivalMicroseconds = arrivalMicroseconds
  }
}
