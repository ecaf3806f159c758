import HostPrimitives

/// What a peer sent is not what the protocol allows.
package struct WireError: Error, Sendable, Hashable {
  package let message: String

  package init(message: String) { self.message = message }
}

/// Appends little-endian fields to a frame's payload.
package struct WireWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
    bytes.append(littleEndian: number)
  }

  package mutating func put(_ number: Double) { put(number.bitPattern) }
  package mutating func put(_ flag: Bool) { put(UInt8(flag ? 1 : 0)) }

  package mutating func put(_ content: [UInt8]) {
    put(UInt32(content.count))
    bytes.append(contentsOf: content)
  }

  package mutating func put(_ text: String) { put(Array(text.utf8)) }

  /// A list, each element by its own function.
  package mutating func put<Element>(_ list: [Element], _ each: (inout WireWriter, Element) -> Void) {
    put(UInt32(list.count))
    for element in list { each(&self, element) }
  }

  /// Elements of a frozen layout without padding, as they lie in memory: both ends are processes of one machine.
  package mutating func putFrozen<Element: BitwiseCopyable>(_ list: [Element]) {
    put(UInt32(list.count))
    putRaw(list)
  }

  /// As `putFrozen`, without the count.
  package mutating func putRaw<Element: BitwiseCopyable>(_ list: [Element]) {
    list.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }
}

/// Takes little-endian fields from a payload; every count is checked against what is left before it is believed.
package struct WireReader {
  private var reader: ByteReader

  package init(_ payload: [UInt8]) { reader = ByteReader(payload) }

  init(_ payload: ArraySlice<UInt8>) { reader = ByteReader(payload) }

  package var remaining: Int { reader.count }

  package mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self
  ) throws(WireError) -> Number {
    guard let number = reader.number(as: type) else { throw WireError(message: "a field is cut off") }
    return number
  }

  package mutating func flag() throws(WireError) -> Bool {
    switch try number(UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw WireError(message: "a flag is neither 0 nor 1")
    }
  }

  package mutating func double() throws(WireError) -> Double { Double(bitPattern: try number()) }

  package mutating func content() throws(WireError) -> [UInt8] { Array(try slice()) }

  /// As `content`, without a copy.
  mutating func slice() throws(WireError) -> ArraySlice<UInt8> {
    let count = Int(try number(UInt32.self))
    guard let content = reader.take(count) else {
      throw WireError(message: "\(count) bytes are announced, \(remaining) are left")
    }
    return content
  }

  /// All that is left, without a copy.
  mutating func takeRest() -> ArraySlice<UInt8> { reader.take(reader.count) ?? [] }

  package mutating func text() throws(WireError) -> String {
    guard let text = String(validating: try content(), as: UTF8.self) else {
      throw WireError(message: "a text is not UTF-8")
    }
    return text
  }

  /// A list whose elements take at least `least` bytes each.
  package mutating func list<Element>(
    least: Int, _ each: (inout WireReader) throws(WireError) -> Element
  ) throws(WireError) -> [Element] {
    let count = Int(try number(UInt32.self))
    guard count <= remaining / max(1, least) else { throw WireError(message: "\(count) elements do not fit the frame") }
    var list: [Element] = []
    list.reserveCapacity(count)
    for _ in 0..<count { list.append(try each(&self)) }
    return list
  }

  package mutating func frozen<Element: BitwiseCopyable>(
    _ type: Element.Type = Element.self
  ) throws(WireError) -> [Element] {
    try raw(Int(try number(UInt32.self)))
  }

  /// As `frozen`, with a count that was read before.
  package mutating func raw<Element: BitwiseCopyable>(
    _ count: Int, _ type: Element.Type = Element.self
  ) throws(WireError) -> [Element] {
    let stride = MemoryLayout<Element>.stride
    guard count <= remaining / stride, let source = reader.take(count * stride) else {
      throw WireError(message: "\(count) elements do not fit the frame")
    }
    return Array(unsafeUninitializedCapacity: count) { target, initialized in
      source.withUnsafeBytes { UnsafeMutableRawBufferPointer(target).copyMemory(from: $0) }
      initialized = count
    }
  }

  /// Nothing may follow a message.
  package func end() throws(WireError) {
    guard remaining == 0 else { throw WireError(message: "\(remaining) bytes follow the message") }
  }
}
