/// One record as the meter sends it: 11 bytes, of which everything is kept (xDrip VerioHelper.java, tidepool-org/uploader
/// oneTouchVerioBLE.js).
struct StoredRecord: Equatable {
  /// Why a record is left in the meter.
  enum Refusal: UInt64, Equatable {
    /// The four bytes behind the control flag are not all zero: what they mean is not publicly known.
    case unknownFlags = 1
    /// It has neither no byte nor at least 11.
    case wrongLength = 2
  }

  /// What a reply to "read record" holds.
  enum Content: Equatable {
    /// No record has this number.
    case empty
    /// A record of something else than a measurement: its value is zero.
    case event(StoredRecord)
    case reading(StoredRecord)
    case refused(Refusal)
  }

  static var size: Int { 11 }

  /// On the meter's own scale (``MeterClock``); 0 when its clock was not set.
  let seconds: UInt32
  let milligramsPerDecilitre: UInt16
  let controlFlag: UInt8
  let rest: UInt32

  var isControlSolution: Bool { controlFlag != 0 }

  /// Whether the same record under the same number shows that the meter's numbers have not begun again: with a time, no two
  /// measurements are alike; without one, a later life of the meter may well have the same value there.
  var isProof: Bool { seconds != 0 }

  /// Takes the bytes behind the status.
  static func read(_ bytes: ArraySlice<UInt8>) -> Content {
    if bytes.isEmpty { return .empty }
    guard let record = StoredRecord(bytes) else { return .refused(.wrongLength) }
    if record.milligramsPerDecilitre == 0 { return .event(record) }
    return record.rest == 0 ? .reading(record) : .refused(.unknownFlags)
  }

  /// Nil for fewer bytes than a record has; what follows them is ignored.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= StoredRecord.size else { return nil }
    let start = bytes.startIndex
    seconds = littleEndian(bytes, start, 4)
    milligramsPerDecilitre = UInt16(littleEndian(bytes, start + 4, 2))
    controlFlag = bytes[start + 6]
    rest = littleEndian(bytes, start + 7, 4)
  }

  var bytes: [UInt8] {
    littleEndianBytes(seconds, 4) + littleEndianBytes(UInt32(milligramsPerDecilitre), 2) + [controlFlag]
      + littleEndianBytes(rest, 4)
  }
}

extension StoredRecord.Content {
  /// The record, when there is one that was understood.
  var record: StoredRecord? {
    switch self {
    case .reading(let record), .event(let record): record
    case .empty, .refused: nil
    }
  }
}

/// Up to four bytes as a number, least significant first; the caller has checked that they are there.
func littleEndian(_ bytes: ArraySlice<UInt8>, _ start: Int, _ count: Int) -> UInt32 {
  var number: UInt32 = 0
  for index in 0..<count { number |= UInt32(bytes[start + index]) << UInt32(8 * index) }
  return number
}

/// The lowest bytes of a number, least significant first.
func littleEndianBytes(_ number: UInt32, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
}
