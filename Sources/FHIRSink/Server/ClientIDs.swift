import CCrypto
import FHIRBundles
import HostPrimitives
import StrictJSON

/// Gives the observations of a bundle their own names as ids, so that a server that does not look up and create in one step has none of
/// them twice: `PUT Observation/ID` makes it or takes its place.
struct ClientIDs {
  /// The system of the identifiers that are made into ids.
  let system: String

  /// The bundle with ids; nil for what is no bundle.
  func rewritten(_ bundle: FHIRBundle) -> [UInt8]? {
    guard let root = try? JSONDocument(bundle.json, rules: JSONRules(depth: 64)).root, root.kind == .object else {
      return nil
    }
    var json = JSONWriter(capacity: bundle.json.count + 512)
    json.object { json in
      for (key, value) in root.members {
        guard let name = key.asString else { continue }
        guard name == "entry" else {
          Self.copy(value, name, &json)
          continue
        }
        json.array(name) { json in for entry in value.walk { write(entry, &json) } }
      }
    }
    return json.bytes
  }

  private func write(_ entry: JSONElement, _ json: inout JSONWriter) {
    guard let id = id(of: entry.member("resource")) else { return Self.copy(entry, nil, &json) }
    json.object { json in
      for (key, value) in entry.members {
        guard let name = key.asString else { continue }
        switch name {
        case "resource":
          json.object(name) { json in
            for (key, member) in value.members where key.asString != "id" {
              Self.copy(member, key.asString, &json)
              if key.asString == "resourceType" { json.member("id", id) }
            }
          }
        case "request":
          json.object(name) { json in
            json.member("method", "PUT")
            json.member("url", "Observation/\(id)")
          }
        default: Self.copy(value, name, &json)
        }
      }
    }
  }

  /// The id of an observation with a name of ours.
  private func id(of resource: JSONElement?) -> String? {
    guard resource?.member("resourceType")?.asString == "Observation" else { return nil }
    let name = (resource?.member("identifier")?.elements ?? []).first {
      $0.member("system")?.asString?.isExactly(system) == true
    }?.member("value")?.asString
    return name.flatMap(Self.id)
  }

  /// A name as an id: 64 letters, digits, - and . at most. What follows the reading's own name is shortened to a part of its SHA-256 where
  /// it does not fit.
  static func id(_ name: String) -> String? {
    if LogicalID.isOne(name) { return name }
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2, LogicalID.isOne(parts[0]), parts[0].utf8.count <= 36 else { return nil }
    let rest = parts[1].replacing("_", with: "-")
    if LogicalID.isOne("\(parts[0]).\(rest)") { return "\(parts[0]).\(rest)" }
    let bytes = Array(parts[1].utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    let result = bytes.withUnsafeBufferPointer {
      ccrypto_sha256(ccrypto_bytes(p: $0.baseAddress, n: $0.count), &digest)
    }
    return result == CCRYPTO_OK ? "\(parts[0]).\(digest.prefix(13).hexadecimal)" : nil
  }

  private static func copy(_ element: JSONElement, _ name: String?, _ json: inout JSONWriter) {
    switch element.kind {
    case .object: json.object(name) { json in for (key, value) in element.members { copy(value, key.asString, &json) } }
    case .array: json.array(name) { json in for value in element.walk { copy(value, nil, &json) } }
    case .string, .key: json.member(name, element.asString ?? "")
    case .number: json.member(name, literal: element.numeral ?? "0")
    case .true: json.member(name, flag: true)
    case .false: json.member(name, flag: false)
    case .null: json.null(name)
    }
  }
}
