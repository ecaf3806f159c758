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

extension Array where Element == UInt8 {
  /// Bytes from an even number of hexadecimal digits of either case; nil for anything else.
  init?(hexadecimal text: String) {
    let digits = Swift.Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    self = []
    reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Character(Unicode.Scalar(digits[index])).hexDigitValue,
        let low = Character(Unicode.Scalar(digits[index + 1])).hexDigitValue
      else { return nil }
      append(UInt8(high << 4 | low))
    }
  }
}
