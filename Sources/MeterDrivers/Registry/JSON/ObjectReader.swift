import HostPrimitives
import StrictJSON

/// The keys of one kind of object: every case is a key, and the schema in docs/ lists the same ones.
protocol RegistryKey: CaseIterable, RawRepresentable<String>, Hashable {
  /// Keys that must be present.
  static var requiredKeys: Set<Self> { get }
}

/// Reads the members of one object by key and notices those that nobody asked for.
struct ObjectReader<Key: RegistryKey> {
  private var members: JSONMemberReader
  private var found = 0

  init(_ value: JSONElement) throws(RegistryError) {
    try value.requireObject()
    members = JSONMemberReader(value)
  }

  var value: JSONElement { members.object }

  /// The member, or nil; ask for each key once. Starts where the last one was found: files are mostly in order.
  mutating func optional(_ key: Key) -> JSONElement? {
    guard let member = members.member(key.rawValue) else { return nil }
    found += 1
    return member
  }

  mutating func required(_ key: Key) throws(RegistryError) -> JSONElement {
    guard let member = optional(key) else {
      throw value.error(.missingKey, "has no \"\(key.rawValue)\"", cure: "add it")
    }
    return member
  }

  /// Call after the last key: unknown ones become warnings (rule R22).
  func finish(_ warnings: inout [RegistryWarning]) throws(RegistryError) {
    guard found < value.count else { return }
    let known = Key.allCases.map(\.rawValue)
    for (key, _) in try value.members(atMost: .max) where !known.contains(key.anyText) {
      guard warnings.count < RegistryLimits.warnings else { return }
      let guess = nearest(to: key.anyText, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
      warnings.append(key.warning("the key is unknown and ignored\(guess)"))
    }
  }
}
