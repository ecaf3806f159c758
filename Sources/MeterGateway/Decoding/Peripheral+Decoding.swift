import DriverRuntime
import MeterDrivers

extension Peripheral {
  /// The code by which `decode` names a characteristic: its 16-bit id, or 0x8000 plus its place among the vendor's own
  /// characteristics in the registry's order. Nil when the text is neither.
  func decodeCode(of text: String) -> UInt16? {
    guard let uuid = UUIDString(text) else { return nil }
    if let short = uuid.uuid16 { return short }
    let vendors = services.flatMap(\.characteristics).map(\.uuid).filter { $0.uuid16 == nil }
    return vendors.firstIndex(of: uuid).map { 0x8000 + UInt16($0) }
  }
}
