import GatewayAPI
import MeterCore

/// One reading with everything that is known of it, and what a person may decide.
struct ReadingPage: ConsolePage {
  static let template = PageTemplate.reading
  static let area: PageArea? = .readings

  struct Value: Sendable {
    let label: String
    /// With the digits that were reported, or in words.
    let number: String
    let qualifier: String?
    let unit: String
    /// Whether it is a number, which stands under other numbers.
    let isFigure: Bool
  }

  struct Delivery: Sendable {
    let sink: String
    let state: String
    let reason: String?
    let attempts: Int
    let lastError: String?
    let receiverID: String?
  }

  let title = "Reading"
  let id: String
  /// What was shown: a decision holds for this content only.
  let revision: Int
  /// Told when the content is another one than a person was shown before.
  let changed: String?
  let type: String
  let time: String
  let end: String?
  let civilTime: String?
  let meter: String
  let values: [Value]
  /// The values that the form can correct: those of metrics that stand there once.
  let corrections: [CorrectionField]
  /// Where the picture is that it was taken from; nil where none is kept.
  let picture: String?
  /// Everything that has no table: parts, series, texts and marks.
  let details: [String]
  let deliveries: [Delivery]
  let reasons: [String]
  let isHeld: Bool
  let isDead: Bool
  let mayBeCorrected: Bool
  let isGone: Bool
  let confirmPath: String
  let correctPath: String
  let discardPath: String
  let resendPath: String

  /// - Parameters:
  ///   - items: What the host says of the reading, a receiver each; not empty.
  ///   - hasPicture: Whether a picture of it is kept.
  ///   - seen: The revision that a person has decided about, where it is another one by now.
  init(_ items: [QueueItem], hasPicture: Bool = false, seen: Int? = nil, times: LocalTimes) {
    let first = items.first { $0.reading != nil } ?? items.first
    let reading = first?.reading
    id = first?.name.clipped ?? ""
    revision = first?.revision ?? 0
    changed =
      seen == nil
      ? nil : "This reading has changed since it was shown. Nothing was done with it: this is what it says now."
    type = reading?.type.clipped ?? "no longer kept here"
    time = times.text(reading?.time, else: "unknown")
    end = reading?.end.map { times.text($0) }
    civilTime = reading?.civilTime.map { $0.replacing("T", with: " ").clipped }
    meter = reading?.model?.clipped ?? reading.map { "peripheral \($0.peripheral)" } ?? "unknown"
    values = (reading?.values ?? []).map(Self.value)
    let all = reading?.values ?? []
    corrections = all.filter { value in all.count { $0.metric == value.metric } == 1 }
      .compactMap { CorrectionField($0) }
    details = reading.map(Self.details) ?? []
    deliveries = items.map(Self.delivery)
    let states = Set(items.map(\.state))
    reasons = Array(
      Set(items.filter { $0.state == "held" || $0.state == "dead" }.map { ReadingWords.reason($0.reason) })
    )
    .filter { !$0.isEmpty }.sorted()
    isHeld = states.contains("held")
    isDead = states.contains("dead")
    mayBeCorrected = (isHeld || isDead) && !states.contains("in_flight")
    isGone = reading == nil
    let path = ReadingRow.path(first?.name ?? "")
    picture = hasPicture ? "\(path)/picture" : nil
    (confirmPath, correctPath) = ("\(path)/confirm", "\(path)/correct")
    (discardPath, resendPath) = ("\(path)/discard", "\(path)/resend")
  }

  private static func value(_ value: ReadingDescription.Value) -> Value {
    let number = ReadingWords.number(value)
    return Value(
      label: ReadingWords.metric(value.metric), number: number, qualifier: value.qualifier?.clipped,
      unit: value.word == nil ? ReadingWords.unit(value.unit) : "", isFigure: number == value.reported)
  }

  /// So many lines stand on a page at most.
  private static let mostDetails = 200

  private static func details(_ reading: ReadingDescription) -> [String] {
    let shown = Set(reading.values.map(\.text))
    // The first line is the type and the time, which have places of their own.
    let lines = reading.lines.dropFirst().filter { !shown.contains($0) }
    let left = lines.count - mostDetails
    // Who confirms has to know that it is not all.
    return lines.prefix(mostDetails).map { $0.clipped(to: 600) }
      + (left > 0 ? ["\(left) more lines are not shown here: `meterhost queue show` shows all of them."] : [])
  }

  private static func delivery(_ item: QueueItem) -> Delivery {
    let why = ReadingWords.reason(item.reason)
    let isDelivered = item.state == DeliveryState.delivered.word
    let kind = isDelivered ? item.acknowledgement.flatMap(Acknowledgement.init(rawValue:)) : nil
    return Delivery(
      sink: item.sink.clipped, state: ReadingWords.state(item.state) + (kind.map { ": \($0.text)" } ?? ""),
      reason: why.isEmpty ? nil : why,
      attempts: item.attempts, lastError: item.lastError?.clipped, receiverID: item.receiverID?.clipped)
  }
}
