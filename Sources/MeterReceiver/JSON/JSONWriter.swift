extension JSONValue {
  /// The value as JSON text without white space, members in the order that they have, numbers as they were written.
  var text: String { text(sorted: false, asWritten: true) }

  /// The same with members sorted by the bytes of their names: what is stored.
  var storedText: String { text(sorted: true, asWritten: true) }

  /// The one text of all JSON texts with this content: members sorted by the bytes of their names, numbers in their
  /// shortest form (5.0 is 5), strings with only the escapes that JSON demands. Checksums are made over it.
  var canonicalText: String { text(sorted: true, asWritten: false) }

  private func text(sorted: Bool, asWritten: Bool) -> String {
    var output: [UInt8] = []
    write(to: &output, sorted: sorted, asWritten: asWritten)
    return String(decoding: output, as: UTF8.self)
  }

  private func write(to output: inout [UInt8], sorted: Bool, asWritten: Bool) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let value, let numeral):
      let written = asWritten && value.isFinite ? numeral.text : nil
      output.append(contentsOf: (written ?? Self.text(of: value)).utf8)
    case .string(let value): Self.write(string: value, to: &output)
    case .array(let values):
      output.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        value.write(to: &output, sorted: sorted, asWritten: asWritten)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object):
      output.append(UInt8(ascii: "{"))
      let members =
        sorted
        ? object.members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        : object.members
      for (index, member) in members.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        Self.write(string: member.name, to: &output)
        output.append(UInt8(ascii: ":"))
        member.value.write(to: &output, sorted: sorted, asWritten: asWritten)
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  /// JSON has no infinity and no NaN: `RecordValidator` refuses them before anything is stored, and null is what
  /// other writers put in their place.
  private static func text(of number: Double) -> String {
    guard number.isFinite else { return "null" }
    if number == 0 { return "0" }
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private static func write(string: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(contentsOf: [UInt8(ascii: "\\"), byte])
      case 0..<0x20: output.append(contentsOf: "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}
