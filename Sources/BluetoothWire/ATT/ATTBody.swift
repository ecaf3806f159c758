import HostPrimitives

/// The bytes behind an opcode, with the length checks that decoding needs.
///
/// Offsets count from the byte after the opcode; whoever uses one has checked the length before.
struct ATTBody {
  let opcode: ATTOpcode
  let bytes: ArraySlice<UInt8>

  func byte(_ offset: Int) -> UInt8 { bytes[bytes.startIndex + offset] }

  func uint16(_ offset: Int) -> UInt16 { bytes.number(at: offset) ?? 0 }

  func range(_ offset: Int) -> ATTHandleRange {
    ATTHandleRange(first: uint16(offset), last: uint16(offset + 2))
  }

  func slice(_ offsets: Range<Int>) -> [UInt8] {
    Array(bytes[(bytes.startIndex + offsets.lowerBound)..<(bytes.startIndex + offsets.upperBound)])
  }

  func rest(_ offset: Int) -> [UInt8] { Array(bytes.dropFirst(offset)) }

  func expect(_ count: Int) throws(ATTDecodingError) {
    guard bytes.count == count else { throw wrongLength("exactly \(count + 1)") }
  }

  func expect(atLeast count: Int) throws(ATTDecodingError) {
    guard bytes.count >= count else { throw wrongLength("at least \(count + 1)") }
  }

  /// The range of a request that ends with a type of 2 or 16 bytes.
  func typedRange() throws(ATTDecodingError) -> ATTHandleRange {
    guard bytes.count == 6 || bytes.count == 20 else { throw wrongLength("7 (16-bit type) or 21 (128-bit type)") }
    return range(0)
  }

  func type() throws(ATTDecodingError) -> BluetoothUUID {
    guard let type = BluetoothUUID(littleEndian: bytes.dropFirst(4)) else {
      throw wrongLength("7 (16-bit type) or 21 (128-bit type)")
    }
    return type
  }

  /// The offsets of entries of one size that fill the body from an offset on; at least one.
  func entries(of size: Int, from start: Int) throws(ATTDecodingError) -> StrideTo<Int> {
    let count = bytes.count - start
    guard count >= size, count % size == 0 else {
      throw ATTDecodingError(
        .wrongListLength, opcode: opcode,
        message: "the list has \(max(0, count)) bytes; it must be one or more entries of \(size) bytes")
    }
    return stride(from: start, to: bytes.count, by: size)
  }

  /// The entries of a response whose first byte declares their size.
  func declaredEntries(atLeast minimum: Int) throws(ATTDecodingError) -> [Range<Int>] {
    try expect(atLeast: 1)
    let size = Int(byte(0))
    guard size >= minimum else {
      throw ATTDecodingError(
        .wrongListLength, opcode: opcode,
        message: "the declared entry length is \(size); an entry has at least \(minimum) bytes")
    }
    return try entries(of: size, from: 1).map { $0..<($0 + size) }
  }

  func information() throws(ATTDecodingError) -> [ATTHandleInformation] {
    try expect(atLeast: 1)
    let typeLength: Int
    switch byte(0) {
    case 1: typeLength = 2
    case 2: typeLength = 16
    default:
      throw ATTDecodingError(
        .invalidField, opcode: opcode, message: "the format is \(byte(0)); only 1 and 2 are defined")
    }
    var list: [ATTHandleInformation] = []
    for offset in try entries(of: 2 + typeLength, from: 1) {
      let first = bytes.startIndex + offset
      if let type = BluetoothUUID(littleEndian: bytes[(first + 2)..<(first + 2 + typeLength)]) {
        list.append(ATTHandleInformation(handle: uint16(offset), type: type))
      }
    }
    return list
  }

  private func wrongLength(_ allowed: String) -> ATTDecodingError {
    ATTDecodingError(
      .wrongLength, opcode: opcode, message: "the PDU has \(bytes.count + 1) bytes; \(allowed) are allowed")
  }
}
