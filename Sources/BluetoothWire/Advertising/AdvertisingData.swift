import HostPrimitives

/// The advertising structures of an advertisement (Core Vol 3 Part C 11; Core Specification Supplement Part A).
///
/// Parsing takes what is well formed and stops at the first structure that is not: a meter's advertisement is a hint,
/// and a damaged tail must not hide the services in front of it.
public struct AdvertisingData: Hashable, Sendable {
  /// One structure: its type (Assigned Numbers 2.3) and its value.
  public struct Structure: Hashable, Sendable {
    /// The AD type.
    public var type: UInt8
    /// The bytes after the type; at most 254.
    public var value: [UInt8]

    /// A structure of this type.
    public init(type: UInt8, value: [UInt8]) {
      self.type = type
      self.value = value
    }
  }

  /// The most bytes that are parsed: the longest extended advertisement (Core Vol 6 Part B 2.3.4.9).
  public static let maximumLength = 1650

  /// The structures in their order.
  public var structures: [Structure]
  /// Whether parsing stopped before the end because a structure claimed more bytes than there were.
  public private(set) var isTruncated = false

  /// Advertising data of these structures.
  public init(_ structures: [Structure] = []) { self.structures = structures }

  /// Parses the bytes of an advertisement; never fails, see ``isTruncated``.
  public init(parsing bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes.prefix(Self.maximumLength))
    var places = AdvertisingStructures(bytes)
    structures = []
    while let place = places.next(in: bytes) {
      structures.append(Structure(type: place.type, value: Array(bytes[place.value])))
    }
    isTruncated = places.isTruncated
  }

  /// The bytes of the structures; values over 254 bytes are cut, as the length is one byte.
  public var encoded: [UInt8] {
    structures.flatMap { structure in
      let value = structure.value.prefix(254)
      return [UInt8(value.count + 1), structure.type] + value
    }
  }
}

extension AdvertisingData {
  /// AD types (Assigned Numbers 2.3).
  enum Kind {
    static let flags: UInt8 = 0x01
    static let services16: ClosedRange<UInt8> = 0x02...0x03
    static let services32: ClosedRange<UInt8> = 0x04...0x05
    static let services128: ClosedRange<UInt8> = 0x06...0x07
    static let shortenedName: UInt8 = 0x08
    static let completeName: UInt8 = 0x09
    static let transmitPower: UInt8 = 0x0A
    static let serviceData16: UInt8 = 0x16
    static let serviceData32: UInt8 = 0x20
    static let serviceData128: UInt8 = 0x21
    static let manufacturer: UInt8 = 0xFF
  }

  /// The flags, if present: bit 0 limited, bit 1 general discoverable, bit 2 no classic Bluetooth.
  public var flags: UInt8? { first(Kind.flags)?.value.first }

  /// The services of all lists, in their order; an incomplete tail of a list is left out.
  public var serviceUUIDs: [BluetoothUUID] {
    structures.flatMap { structure -> [BluetoothUUID] in
      let size: Int
      switch structure.type {
      case Kind.services16: size = 2
      case Kind.services32: size = 4
      case Kind.services128: size = 16
      default: return []
      }
      return stride(from: 0, to: structure.value.count - size + 1, by: size).compactMap {
        BluetoothUUID(littleEndian: structure.value[$0..<($0 + size)])
      }
    }
  }

  /// The complete name, or else the shortened one; ill-formed UTF-8 is repaired, trailing zero bytes are dropped.
  public var localName: String? {
    guard let structure = first(Kind.completeName) ?? first(Kind.shortenedName) else { return nil }
    let end = structure.value.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    return String(decoding: structure.value[..<end], as: UTF8.self)
  }

  /// Whether the name is the complete one.
  public var hasCompleteName: Bool { first(Kind.completeName) != nil }

  /// The transmit power in dBm.
  public var transmitPower: Int8? { first(Kind.transmitPower)?.value.first.map { Int8(bitPattern: $0) } }

  /// The manufacturers' data: company identifier (Assigned Numbers 7.1) and bytes.
  public var manufacturerData: [(company: UInt16, data: [UInt8])] {
    structures.compactMap { structure in
      var reader = ByteReader(structure.value)
      guard structure.type == Kind.manufacturer, let company = reader.uint16() else { return nil }
      return (company, Array(reader.rest))
    }
  }

  /// The services' data: service and bytes.
  public var serviceData: [(service: BluetoothUUID, data: [UInt8])] {
    structures.compactMap { structure in
      let size: Int
      switch structure.type {
      case Kind.serviceData16: size = 2
      case Kind.serviceData32: size = 4
      case Kind.serviceData128: size = 16
      default: return nil
      }
      guard let service = BluetoothUUID(littleEndian: structure.value.prefix(size)) else { return nil }
      return (service, Array(structure.value.dropFirst(size)))
    }
  }

  private func first(_ type: UInt8) -> Structure? { structures.first { $0.type == type } }
}

extension AdvertisingData.Structure {
  /// What the device is to those who discover it (Core Specification Supplement Part A 1.3), bit by bit as in
  /// ``AdvertisingData/flags``.
  public static func flags(_ flags: UInt8) -> Self { Self(type: AdvertisingData.Kind.flags, value: [flags]) }

  /// The complete local name.
  public static func completeName(_ name: String) -> Self {
    Self(type: AdvertisingData.Kind.completeName, value: Array(name.utf8.prefix(248)))
  }

  /// A manufacturer's data under its company identifier.
  public static func manufacturerData(company: UInt16, _ data: [UInt8]) -> Self {
    let company = company.littleEndianBytes
    return Self(type: AdvertisingData.Kind.manufacturer, value: company + data)
  }

  /// A service's UUID, in 16 bits where it has so few and else in 128, and its bytes (Core Specification Supplement
  /// Part A 1.11).
  public static func serviceData(_ service: BluetoothUUID, _ data: [UInt8]) -> Self {
    let type = service.uint16 == nil ? AdvertisingData.Kind.serviceData128 : AdvertisingData.Kind.serviceData16
    return Self(type: type, value: service.littleEndianBytes + data)
  }

  /// The complete lists of services: one for the 16-bit forms, one for the others; empty lists are left out.
  public static func services(_ services: [BluetoothUUID]) -> [Self] {
    let short = services.filter { $0.uint16 != nil }.flatMap(\.littleEndianBytes)
    let full = services.filter { $0.uint16 == nil }.flatMap(\.littleEndianBytes)
    return [
      Self(type: AdvertisingData.Kind.services16.upperBound, value: short),
      Self(type: AdvertisingData.Kind.services128.upperBound, value: full),
    ].filter { !$0.value.isEmpty }
  }
}
