/// One AD structure of an advertisement (Core Specification, Vol 3 Part C 11).
public struct AdvertisingStructure: ~Escapable {
  /// The AD type (Bluetooth Assigned Numbers 2.3): 0x16 is service data of a 16-bit UUID, 0xFF manufacturer data.
  public let type: UInt8
  /// What follows the type.
  public let bytes: RawSpan

  @_lifetime(copy bytes)
  init(type: UInt8, bytes: RawSpan) {
    self.type = type
    self.bytes = bytes
  }
}

/// The data of an advertisement, structure by structure. A structure that claims more bytes than there are ends it, as
/// does one of length zero.
public struct Advertisement: ~Escapable {
  let bytes: RawSpan
  var position = 0

  /// Starts at the first structure.
  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan) { self.bytes = bytes }

  /// The next structure, or nil after the last.
  @_lifetime(copy self)
  public mutating func next() -> AdvertisingStructure? {
    guard position < bytes.byteCount else { return nil }
    let length = Int(bytes.unsafeLoad(fromUncheckedByteOffset: position, as: UInt8.self))
    let start = position + 1
    guard length > 0, length <= bytes.byteCount - start else {
      position = bytes.byteCount
      return nil
    }
    position = start + length
    return AdvertisingStructure(
      type: bytes.unsafeLoad(fromUncheckedByteOffset: start, as: UInt8.self),
      bytes: bytes.extracting(start + 1..<position))
  }

  /// The service data of a 16-bit UUID without the UUID (Core Specification Supplement, Part A 1.11), or nil when the
  /// advertisement has none.
  @_lifetime(copy self)
  public func serviceData(_ service: UInt16) -> RawSpan? { data(of: 0x16, service) }

  /// The manufacturer data of a company without the company's id (Core Specification Supplement, Part A 1.4), or nil
  /// when the advertisement has none.
  @_lifetime(copy self)
  public func manufacturerData(_ company: UInt16) -> RawSpan? { data(of: 0xff, company) }

  @_lifetime(copy self)
  private func data(of type: UInt8, _ id: UInt16) -> RawSpan? {
    var rest = Advertisement(bytes)
    while let structure = rest.next() {
      let data = structure.bytes
      guard structure.type == type, data.byteCount >= 2,
        UInt16(littleEndian: data.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt16.self)) == id
      else { continue }
      return data.extracting(2..<data.byteCount)
    }
    return nil
  }
}
