import TestSupport

@testable import MeterReceiver

extension HTTPReply {
  var json: JSONValue { (try? JSONValue.parse(Array(body.utf8))) ?? .null }

  /// The value behind a path of member names and array indices, such as `data/0/id`.
  func value(_ path: String) -> JSONValue? {
    var value = json
    for name in path.split(separator: "/").map(String.init) {
      switch value {
      case .object(let object):
        guard let member = object[name] else { return nil }
        value = member
      case .array(let values):
        guard let index = Int(name), values.indices.contains(index) else { return nil }
        value = values[index]
      default: return nil
      }
    }
    return value
  }

  func text(_ path: String) -> String? {
    guard case .string(let text)? = value(path) else { return nil }
    return text
  }

  /// The field names of `{"errors": {...}}`.
  var errorFields: [String] {
    guard case .object(let errors)? = value("errors") else { return [] }
    return errors.members.map(\.name)
  }
}
