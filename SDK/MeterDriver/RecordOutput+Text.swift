import CMeterDriver

// Texts (mh_text). They lie in the arena beside the identity bytes, so they follow the record's end.
extension RecordOutput {
  /// Adds a text to the record that was ended last. What was begun and not ended is dropped; without any record nothing
  /// is added.
  ///
  /// - Parameters:
  ///   - field: A metric of the dictionary's kind "text" (`MH_METRIC_SERIAL_NUMBER` ...).
  ///   - utf8: As the meter sent it: the text ends before the first zero byte, and a byte that is no UTF-8 becomes "?".
  public mutating func addText(_ field: Metric, _ utf8: RawSpan) {
    begin()
    guard recordCount > 0, let records, textCount < textCapacity || makeRoomForText(), let texts else { return }
    var length = 0
    while length < utf8.byteCount, utf8.byte(length) != 0 { length += 1 }
    let start = arenaCount
    var place = 0
    while place < length {
      let run = utf8.lengthOfCharacter(at: place, before: length)
      if run == 0 { identify(UInt8(ascii: "?")) }
      for index in place..<place + run { identify(utf8.byte(index)) }
      place += max(run, 1)
    }
    guard !overflowed else { return }
    (texts + textCount).initialize(
      to: mh_text(
        field: field.code, flags: 0, off: UInt32(truncatingIfNeeded: start),
        len: UInt32(truncatingIfNeeded: arenaCount - start)))
    textCount += 1
    records[recordCount - 1].n_texts += 1
    firstByte = arenaCount
  }

  /// Adds a constant text to the record that was ended last.
  public mutating func addText(_ field: Metric, _ text: StaticString) {
    addText(field, lend(text.contractText))
  }
}

extension RawSpan {
  fileprivate func byte(_ index: Int) -> UInt8 { unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self) }

  /// How many bytes the UTF-8 character at this place has (Unicode 15, table 3-7); 0 when there is none.
  fileprivate func lengthOfCharacter(at place: Int, before end: Int) -> Int {
    let first = byte(place)
    let (length, second): (Int, ClosedRange<UInt8>)
    switch first {
    case 0..<0x80: return 1
    case 0xc2...0xdf: (length, second) = (2, 0x80...0xbf)
    case 0xe0: (length, second) = (3, 0xa0...0xbf)
    case 0xed: (length, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: (length, second) = (3, 0x80...0xbf)
    case 0xf0: (length, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: (length, second) = (4, 0x80...0xbf)
    case 0xf4: (length, second) = (4, 0x80...0x8f)
    default: return 0
    }
    guard end - place >= length, second.contains(byte(place + 1)) else { return 0 }
    for index in place + 2..<place + length where byte(index) & 0xc0 != 0x80 { return 0 }
    return length
  }
}
