/// Words that Inform's public examples write for units, beside the UCUM ones: one unit in two spellings is one unit.
enum UnitSpelling {
  private static let ucum = ["mmHg": "mm[Hg]", "bpm": "/min", "count": "{count}"]

  /// The UCUM unit that a text means.
  static func canonical(_ unit: String) -> String { ucum[unit] ?? unit }

  /// A record in which every metric's unit is the UCUM one: what its content is compared by.
  static func canonical(_ record: JSONObject) -> JSONObject {
    var result = record
    changeMetrics(of: &result)
    changeElements(of: "segments", in: &result) { segment in
      changeMetrics(of: &segment)
      changeElements(of: "food", in: &segment, changeMetrics)
    }
    return result
  }

  private static func changeMetrics(of object: inout JSONObject) {
    changeElements(of: "metrics", in: &object) { metric in
      if case .string(let unit)? = metric["unit"] { metric["unit"] = .string(canonical(unit)) }
    }
  }

  private static func changeElements(
    of name: String, in object: inout JSONObject, _ change: (inout JSONObject) -> Void
  ) {
    guard case .array(let values)? = object[name] else { return }
    object[name] = .array(
      values.map { value in
        guard case .object(var element) = value else { return value }
        change(&element)
        return .object(element)
      })
  }
}
