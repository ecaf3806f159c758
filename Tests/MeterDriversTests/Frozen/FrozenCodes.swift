import Foundation

/// What codes of metrics and units mean: the dictionary of registry.json, or that of a frozen version's layout.json.
struct FrozenCodes: Decodable {
  struct Unit: Decodable, Equatable {
    var code: Int
    var name: String
    var ucum: String
  }
  struct Metric: Decodable {
    var code: Int
    var name: String
    var kind: String
    /// UCUM codes that its values may have.
    var units: [String]
    /// Names of the values of a metric of kind "code".
    var codes: [String: String]

    enum CodingKeys: String, CodingKey { case code, name, kind, units, codes }

    init(from decoder: any Decoder) throws {
      struct Allowed: Decodable { let ucum: String }
      let container = try decoder.container(keyedBy: CodingKeys.self)
      code = try container.decode(Int.self, forKey: .code)
      name = try container.decode(String.self, forKey: .name)
      kind = try container.decode(String.self, forKey: .kind)
      units =
        try (try? container.decode([String].self, forKey: .units))
        ?? container.decode([Allowed].self, forKey: .units).map(\.ucum)
      codes = try container.decodeIfPresent([String: String].self, forKey: .codes) ?? [:]
    }
  }

  var units: [Unit]
  var metrics: [Metric]

  /// Codes that mean something else than they did, or less; empty when there are none. New ones may come (rule R12).
  func violations(of frozen: FrozenCodes) -> [String] {
    var found: [String] = []
    for old in frozen.units where !units.contains(old) { found.append("unit \(old.code) is no longer \(old.name)") }
    for old in frozen.metrics {
      guard let new = metrics.first(where: { $0.code == old.code }), new.name == old.name, new.kind == old.kind else {
        found.append("metric \(old.code) is no longer the \(old.kind) \(old.name)")
        continue
      }
      for unit in old.units where !new.units.contains(unit) { found.append("\(old.name) has no \(unit) any more") }
      for (code, name) in old.codes where new.codes[code] != name {
        found.append("\(code) of \(old.name) is no longer \(name)")
      }
    }
    return found.sorted()
  }
}
