import StrictJSON

/// JSON as packages and their records write it: keys in the order given, two spaces, a line feed at the end, so that the
/// same content is the same bytes on every machine.
enum PackageJSON {
  /// A key and its value.
  struct Member {
    let key: String
    let value: PackageJSON
  }

  case text(String)
  case number(UInt64)
  case bool(Bool)
  case list([PackageJSON])
  case members([Member])

  /// An object with these members.
  static func object(_ members: [(key: String, value: PackageJSON)]) -> PackageJSON {
    .members(members.map { Member(key: $0.key, value: $0.value) })
  }

  /// The text in UTF-8.
  var bytes: [UInt8] {
    var json = JSONWriter(.indented)
    write(nil, to: &json)
    return json.bytes + [UInt8(ascii: "\n")]
  }

  private func write(_ name: String?, to json: inout JSONWriter) {
    switch self {
    case .text(let text): json.member(name, text)
    case .number(let number): json.member(name, unsigned: number)
    case .bool(let bool): json.member(name, flag: bool)
    case .list(let values): json.array(name) { json in for value in values { value.write(nil, to: &json) } }
    case .members(let members):
      json.object(name) { json in for member in members { member.value.write(member.key, to: &json) } }
    }
  }
}
