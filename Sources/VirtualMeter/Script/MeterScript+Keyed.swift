import BluetoothWire

/// What a keyed meter has to have.
extension MeterScript.Keyed {
  static let control = characteristic(2)
  static let data = characteristic(3)
  static let information = characteristic(4)
  /// Sequence number, seconds since 2000, tenths of INR, status.
  static let recordLength = 9

  private static func characteristic(_ number: UInt8) -> BluetoothUUID {
    let bytes: [UInt8] = [
      0xf0, 0xd4, 0x00, number, 0x6d, 0x68, 0x4b, 0x65, 0x89, 0x64, 0x4d, 0x65, 0x74, 0x65, 0x72, 0x00,
    ]
    return BluetoothUUID(bytes: bytes) ?? BluetoothUUID(UInt16(number))
  }
}
