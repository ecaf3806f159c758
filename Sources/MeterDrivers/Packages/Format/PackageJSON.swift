import HostPrimitives

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
    var out: [UInt8] = []
    write(into: &out, indent: 0)
    out.append(UInt8(ascii: "\n"))
    return out
  }

  private func write(into out: inout [UInt8], indent: Int) {
    switch self {
    case .text(let text): Self.write(text, into: &out)
    case .number(let number): out += Array("\(number)".utf8)
    case .bool(let bool): out += Array("\(bool)".utf8)
    case .list(let values):
      Self.write(values.map { (nil, $0) }, "[", "]", into: &out, indent: indent)
    case .members(let members):
      Self.write(members.map { ($0.key, $0.value) }, "{", "}", into: &out, indent: indent)
    }
  }

  private static func write(
    _ members: [(String?, PackageJSON)], _ open: Character, _ close: Character, into out: inout [UInt8], indent: Int
  ) {
    out += Array(open.utf8)
    for (index, (key, value)) in members.enumerated() {
      out += Array((index == 0 ? "\n" : ",\n").utf8) + Array(repeating: UInt8(ascii: " "), count: indent + 2)
      if let key {
        write(key, into: &out)
        out += Array(": ".utf8)
      }
      value.write(into: &out, indent: indent + 2)
    }
    if !members.isEmpty { out += [UInt8(ascii: "\n")] + Array(repeating: UInt8(ascii: " "), count: indent) }
    out += Array(close.utf8)
  }

  private static func write(_ text: String, into out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5c: out += [0x5c, byte]
      case 0..<0x20: out += Array("\\u00".utf8) + Array(CollectionOfOne(byte).hexadecimal.utf8)
      default: out.append(byte)
      }
    }
    out.append(UInt8(ascii: "\""))
  }
}
