import GatewayAPI

/// A line of a list of readings.
struct ReadingRow: Sendable {
  /// Where its page is.
  let path: String
  let time: String
  let age: String?
  let type: String
  /// What was measured, in one line.
  let values: String
  let meter: String
  /// The receiver that the line is about.
  let sink: String
  let state: String
  let reason: String?
  /// For the style: the word of the state.
  let mark: String

  init(_ item: QueueItem, times: LocalTimes) {
    path = Self.path(item.name)
    let reading = item.reading
    time = times.text(reading?.time, else: "unknown")
    age = reading.flatMap { times.age($0.time) }
    type = reading?.type.clipped ?? ""
    values = reading.map(Self.values) ?? "no longer kept here"
    meter = reading?.model?.clipped ?? reading.map { "peripheral \($0.peripheral)" } ?? ""
    sink = item.sink.clipped
    state = ReadingWords.state(item.state)
    let why = ReadingWords.reason(item.reason)
    reason = why.isEmpty ? nil : why
    mark = item.state.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") } ? item.state : "other"
  }

  /// Where the page of a reading is: by its id, which says nothing about anybody.
  static func path(_ name: String) -> String { "/readings/" + name.replacing("#", with: "~") }

  /// Every value in one line.
  static func values(_ reading: ReadingDescription) -> String {
    let shown = reading.values.map { value in
      let unit = value.word == nil ? ReadingWords.unit(value.unit) : ""
      let number = (value.qualifier.map { "\($0) " } ?? "") + ReadingWords.number(value)
      return "\(ReadingWords.metric(value.metric)) \(number)" + (unit.isEmpty ? "" : " \(unit)")
    }
    return shown.isEmpty ? reading.summary.clipped : shown.joined(separator: ", ").clipped(to: 400)
  }
}
