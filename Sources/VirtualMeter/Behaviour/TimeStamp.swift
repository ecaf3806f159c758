import BluetoothWire

/// Where the characteristics that a meter indicates carry their Date Time field, if a flag of the first byte says so.
enum TimeStamp {
  private struct Place {
    let flag: UInt8
    let offset: Int
  }

  /// Health Thermometer Service 3.1.1, Blood Pressure Service 3.1.1, Pulse Oximeter Service 3.1.1, Weight Scale
  /// Service 3.2.1.
  private static let places: [BluetoothUUID: Place] = [
    0x2A1C: Place(flag: 0x02, offset: 5),
    0x2A35: Place(flag: 0x02, offset: 7),
    0x2A5E: Place(flag: 0x01, offset: 5),
    0x2A9D: Place(flag: 0x02, offset: 3),
  ]

  /// The value as a meter sends it whose clock is not set: its time is zero.
  static func unset(_ value: [UInt8], of characteristic: BluetoothUUID) -> [UInt8] {
    guard let place = places[characteristic], value.count >= place.offset + 7, value[0] & place.flag != 0 else {
      return value
    }
    return value[..<place.offset] + [UInt8](repeating: 0, count: 7) + value[(place.offset + 7)...]
  }
}
