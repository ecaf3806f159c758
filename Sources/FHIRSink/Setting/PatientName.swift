import HostPrimitives

/// How a patient is named to a server, in the forms in which people write it.
struct PatientName {
  /// The logical id of a resource (FHIR R4, datatype id).
  static func isID(_ text: some StringProtocol) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  /// The reference to a patient; nil for what is none.
  static func reference(_ text: String) -> String? {
    let type = "Patient/"
    guard text.beginsExactly(with: type) else { return nil }
    let id = String(decoding: text.utf8.dropFirst(type.utf8.count), as: UTF8.self)
    // Dots alone would lead elsewhere.
    return isID(id) && !id.utf8.allSatisfy { $0 == UInt8(ascii: ".") } ? type + id : nil
  }

  /// System and value of an identifier; nil for what is none. A value may have a `|`, a system has none.
  static func identifier(_ text: String) -> (system: String, value: String)? {
    guard text.utf8.count <= 512, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
      let bar = text.utf8.firstIndex(of: UInt8(ascii: "|"))
    else { return nil }
    let system = String(decoding: text.utf8[..<bar], as: UTF8.self)
    let value = String(decoding: text.utf8[text.utf8.index(after: bar)...], as: UTF8.self)
    guard !system.isEmpty, !system.utf8.contains(0x20), !value.isEmpty else { return nil }
    return (system, value)
  }
}
