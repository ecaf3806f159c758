import StrictJSON

extension JSONValue {
  /// The value as JSON text without white space, members in the order that they have, numbers as they were written.
  var text: String { text(sorted: false, asWritten: true) }

  /// The same with members sorted by the bytes of their names: what is stored.
  var storedText: String { text(sorted: true, asWritten: true) }

  /// The one text of all JSON texts with this content: members sorted by the bytes of their names, numbers in their
  /// shortest form (5.0 is 5), strings with only the escapes that JSON demands. Checksums are made over it.
  var canonicalText: String { text(sorted: true, asWritten: false) }

  private func text(sorted: Bool, asWritten: Bool) -> String {
    var json = JSONWriter()
    write(nil, to: &json, sorted: sorted, asWritten: asWritten)
    return json.text
  }

  private func write(_ name: String?, to json: inout JSONWriter, sorted: Bool, asWritten: Bool) {
    switch self {
    case .null: json.null(name)
    case .bool(let value): json.member(name, flag: value)
    case .number(let value, let numeral):
      let written = asWritten && value.isFinite ? numeral.text : nil
      json.member(name, literal: written ?? Self.text(of: value))
    case .string(let value): json.member(name, value)
    case .array(let values):
      json.array(name) { json in
        for value in values { value.write(nil, to: &json, sorted: sorted, asWritten: asWritten) }
      }
    case .object(let object):
      let members =
        sorted
        ? object.members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        : object.members
      json.object(name) { json in
        for member in members { member.value.write(member.name, to: &json, sorted: sorted, asWritten: asWritten) }
      }
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
}
