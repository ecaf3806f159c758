import CMeterDriver

/// A frame of decoded values: six counts (u32: values handed in, records, values, texts, arena bytes, 1 when it is the
/// last), then the arrays as they lie in the sink. Read where it lies: nothing is copied element by element.
enum DecodedFrame {
  static let headSize = 24

  /// The payload's pieces; `head` is lent by the caller.
  static func head(_ slices: UnsafeBufferPointer<mh_slice>, _ output: OutputView, isLast: Bool) -> [UInt8] {
    var writer = WireWriter()
    for count in [
      slices.count, output.records.count, output.values.count, output.texts.count, output.arena.count,
      isLast ? 1 : 0,
    ] {
      writer.put(UInt32(count))
    }
    return writer.bytes
  }

  static func pieces(
    _ slices: UnsafeBufferPointer<mh_slice>, _ output: OutputView
  ) -> [UnsafeRawBufferPointer] {
    [
      UnsafeRawBufferPointer(slices), UnsafeRawBufferPointer(output.records), UnsafeRawBufferPointer(output.values),
      UnsafeRawBufferPointer(output.texts), UnsafeRawBufferPointer(output.arena),
    ]
  }

  /// The arrays of a payload that lies on an 8-byte boundary.
  static func read(
    _ payload: UnsafeRawBufferPointer
  ) throws(WireError) -> (slices: UnsafeBufferPointer<mh_slice>, output: OutputView, isLast: Bool) {
    guard payload.count >= headSize else { throw WireError(message: "a frame of decoded values is cut off") }
    let counts = (0..<6).map { Int(UInt32(littleEndian: payload.load(fromByteOffset: 4 * $0, as: UInt32.self))) }
    guard counts[5] <= 1 else { throw WireError(message: "a frame of decoded values has unknown flags") }
    var offset = headSize
    let slices = try array(mh_slice.self, counts[0], payload, &offset)
    let records = try array(mh_record.self, counts[1], payload, &offset)
    let values = try array(mh_value.self, counts[2], payload, &offset)
    let texts = try array(mh_text.self, counts[3], payload, &offset)
    let arena = try array(UInt8.self, counts[4], payload, &offset)
    guard offset == payload.count else { throw WireError(message: "bytes follow the decoded values") }
    return (slices, OutputView(records: records, values: values, texts: texts, arena: arena), counts[5] == 1)
  }

  private static func array<Element: BitwiseCopyable>(
    _ type: Element.Type, _ count: Int, _ payload: UnsafeRawBufferPointer, _ offset: inout Int
  ) throws(WireError) -> UnsafeBufferPointer<Element> {
    let size = count * MemoryLayout<Element>.stride
    guard size <= payload.count - offset else { throw WireError(message: "the decoded values do not fit their frame") }
    defer { offset += size }
    guard count > 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: payload[offset..<offset + size]).bindMemory(to: Element.self)
  }
}
