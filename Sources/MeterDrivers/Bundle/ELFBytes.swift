import HostPrimitives

/// A file is not the ELF object that its own numbers describe.
struct ELFError: Error, Sendable, Hashable {
  let message: String
}

/// Bounds-checked little-endian reads; no offset that the file names is believed.
struct ELFBytes {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }

  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ offset: UInt64, _ what: String, as type: Number.Type = Number.self
  ) throws(ELFError) -> Number {
    guard let offset = Int(exactly: offset), let number = bytes[...].number(at: offset, as: type) else {
      throw ELFError(message: "\(what) lies outside the file")
    }
    return number
  }

  /// A terminated string of at most 4096 bytes that ends before `limit`.
  func string(_ offset: UInt64, limit: UInt64, _ what: String) throws(ELFError) -> String {
    guard offset < UInt64(bytes.count), offset < limit else { throw ELFError(message: "\(what) lies outside the file") }
    let end = min(Int(min(limit, UInt64(bytes.count))), Int(offset) + 4096)
    guard let stop = bytes[Int(offset)..<end].firstIndex(of: 0) else {
      throw ELFError(message: "\(what) has no end")
    }
    guard let text = String(validating: bytes[Int(offset)..<stop], as: UTF8.self) else {
      throw ELFError(message: "\(what) is not UTF-8")
    }
    return text
  }

  /// Whether the bytes at an offset are these.
  func matches(_ offset: UInt64, _ expected: [UInt8]) -> Bool {
    guard offset <= UInt64(bytes.count), expected.count <= bytes.count - Int(offset) else { return false }
    return bytes[Int(offset)..<Int(offset) + expected.count].elementsEqual(expected)
  }
}
