/// What the driver asks of a meter. Nothing else is ever sent; `1A` would erase the meter's memory.
enum Command: Equatable {
  case readClock
  /// Seconds on the meter's own scale.
  case setClock(UInt32)
  /// The T counter: the number of the newest record, which counts over the meter's life.
  case readNewestNumber
  /// The R counter: how many records the memory holds.
  case readRecordCount
  case readRecord(UInt16)

  var payload: [UInt8] {
    switch self {
    case .readClock: [0x20, 0x02]
    case .setClock(let seconds):
      [
        0x20, 0x01, UInt8(seconds & 0xff), UInt8(seconds >> 8 & 0xff), UInt8(seconds >> 16 & 0xff),
        UInt8(seconds >> 24),
      ]
    case .readNewestNumber: [0x0a, 0x02, 0x06]
    case .readRecordCount: [0x27, 0x00]
    case .readRecord(let number): [0xb3, UInt8(number & 0xff), UInt8(number >> 8)]
    }
  }
}

/// The first byte of a reply's payload.
enum ReplyStatus {
  static var success: UInt8 { 0x06 }
  /// The meter answers paired hosts only.
  static var notAllowed: UInt8 { 0x07 }
  static var notSupported: UInt8 { 0x08 }
  /// An invalid parameter: no record has this number.
  static var invalid: UInt8 { 0x09 }
}
