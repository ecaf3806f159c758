/// The reasons against one record, by field: `metrics[0].unit` to one or more sentences.
struct FieldErrors: Error, Sendable, Equatable {
  /// A hostile record can offend in thousands of places; its sender needs the first ones only.
  static let limit = 50

  private(set) var reasons: [(field: String, reasons: [String])] = []
  private var count = 0

  var isEmpty: Bool { reasons.isEmpty }

  mutating func add(_ field: String, _ reason: String) {
    guard count < Self.limit else { return }
    let index = reasons.firstIndex { $0.field == field }
    // What holds everywhere and for this member says it once.
    if let index, reasons[index].reasons.contains(reason) { return }
    count += 1
    if let index {
      reasons[index].reasons.append(reason)
    } else {
      reasons.append((field, [reason]))
    }
  }

  /// `{"field": ["reason"]}`, the error shape of Inform v2.
  var json: JSONValue {
    .object(
      JSONObject(
        members: reasons.map { .init(name: $0.field, value: .array($0.reasons.map { .string($0) })) }))
  }

  static func == (left: FieldErrors, right: FieldErrors) -> Bool { left.json == right.json }
}
