import CMeterDriver

/// A place to go back to.
struct OutputMark {
  let records: Int
  let values: Int
  let bytes: Int
  let texts: Int
}

extension RecordOutput {
  @usableFromInline
  @inline(never)
  mutating func makeRoomForRecord() -> Bool {
    guard grows, recordCount < Int(MH_RECORDS_MAX) else { return refuse() }
    recordCapacity = RecordOutput.grow(&records, recordCount, recordCapacity)
    return true
  }

  @usableFromInline
  @inline(never)
  mutating func makeRoomForValue() -> Bool {
    guard grows, valueCount - firstValue < Int(UInt16.max) else { return refuse() }
    valueCapacity = RecordOutput.grow(&values, valueCount, valueCapacity)
    return true
  }

  /// Room for a few bytes: an identity is written in pieces of eight at most.
  @usableFromInline
  @inline(never)
  mutating func makeRoomForBytes(_ count: Int) -> Bool {
    guard grows, arenaCount + count - firstByte <= Int(UInt16.max) else { return refuse() }
    arenaCapacity = RecordOutput.grow(&arena, arenaCount, arenaCapacity)
    return true
  }

  mutating func makeRoomForText() -> Bool {
    guard grows, textCount < Int(MH_RECORDS_MAX) else { return refuse() }
    textCapacity = RecordOutput.grow(&texts, textCount, textCapacity)
    return true
  }

  /// What found no room makes the whole unit or slice not fit; half a record never gets out.
  private mutating func refuse() -> Bool {
    overflowed = true
    return false
  }

  private static func grow<Element>(
    _ pointer: inout UnsafeMutablePointer<Element>?, _ count: Int, _ capacity: Int
  ) -> Int {
    let larger = max(64, capacity * 2)
    let moved = UnsafeMutablePointer<Element>.allocate(capacity: larger)
    if let old = pointer {
      moved.moveInitialize(from: old, count: count)
      old.deallocate()
    }
    pointer = moved
    return larger
  }

  var mark: OutputMark { OutputMark(records: recordCount, values: firstValue, bytes: firstByte, texts: textCount) }

  mutating func rollBack(to mark: OutputMark) {
    recordCount = mark.records
    valueCount = mark.values
    firstValue = mark.values
    arenaCount = mark.bytes
    firstByte = mark.bytes
    textCount = mark.texts
    overflowed = false
  }

  /// Raises the host's counts to what was appended.
  func publish(to sink: UnsafeMutablePointer<mh_sink>) {
    sink.pointee.n_records = UInt64(recordCount)
    sink.pointee.n_values = UInt64(firstValue)
    sink.pointee.n_arena = UInt64(firstByte)
    sink.pointee.n_texts = UInt64(textCount)
  }

  /// Copies one buffered record into the host's arrays, or returns false with them unchanged.
  func copyRecord(_ index: Int, to sink: UnsafeMutablePointer<mh_sink>) -> Bool {
    guard let records else { return true }
    let record = records + index
    let before = (sink.pointee.n_records, sink.pointee.n_values, sink.pointee.n_arena, sink.pointee.n_texts)
    let valueOffset = Int(record.pointee.first_value)
    let byteOffset = Int(record.pointee.ident_off)
    var status = withUnsafePointer(to: record.pointee) { head in
      mh_sink_record(
        sink, head, values.map { UnsafePointer($0 + valueOffset) }, record.pointee.n_values,
        arena.map { UnsafePointer($0 + byteOffset) }, record.pointee.ident_len)
    }
    let firstText = Int(record.pointee.first_text)
    for place in firstText..<firstText + Int(record.pointee.n_texts) where status == MH_OK {
      status = copyText(place, to: sink)
    }
    guard status == MH_OK else {
      (sink.pointee.n_records, sink.pointee.n_values, sink.pointee.n_arena, sink.pointee.n_texts) = before
      return false
    }
    return true
  }

  private func copyText(_ place: Int, to sink: UnsafeMutablePointer<mh_sink>) -> Int32 {
    guard let texts, let arena else { return MH_E_ARG }
    let text = texts[place]
    let bytes = UnsafeRawPointer(arena + Int(text.off)).assumingMemoryBound(to: CChar.self)
    return mh_sink_text(sink, text.field, mh_str(p: bytes, n: UInt64(text.len)))
  }
}
