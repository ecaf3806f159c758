extension Peripheral {
  /// The first number that `decode` has for a vendor's UUID.
  public static let firstDecodeCode: UInt16 = 0x8000

  /// By what number `decode` names a characteristic; nil: the entry does not have it.
  ///
  /// A UUID of the Bluetooth SIG is its own 16-bit number. A vendor's has the `decode_code` of the entry; where an entry
  /// gives none to any, its place among the vendor's own characteristics counts, from 0x8000 on.
  package func decodeCode(of characteristic: UUIDString) -> UInt16? {
    Self.code(of: characteristic, among: services.flatMap(\.characteristics).map { ($0.uuid, $0.decodeCode) })
  }

  /// By what number `decode` names a service in whose service data the bytes are; nil: the entry does not have it.
  package func decodeCode(ofServiceData service: UUIDString) -> UInt16? {
    Self.code(of: service, among: services.map { ($0.uuid, $0.decodeCode) })
  }

  /// The same among the UUIDs of a list, each with the number that it has there.
  package static func code(of uuid: UUIDString, among uses: [(uuid: UUIDString, code: UInt16?)]) -> UInt16? {
    if let short = uuid.uuid16 { return short }
    let vendors = uses.filter { $0.uuid.uuid16 == nil }
    guard vendors.allSatisfy({ $0.code == nil }) else {
      return vendors.first { $0.uuid == uuid && $0.code != nil }?.code
    }
    return vendors.firstIndex { $0.uuid == uuid }.map { firstDecodeCode + UInt16($0) }
  }
}
