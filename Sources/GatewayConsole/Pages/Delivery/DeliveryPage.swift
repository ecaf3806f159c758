import GatewayAPI
import MeterCore

/// Where readings go, how that works, and what was refused.
struct DeliveryPage: ConsolePage {
  static let template = PageTemplate.delivery
  static let area: PageArea? = .delivery

  struct Sink: Sendable {
    let id: String
    let row: SinkRow
    /// Where its forms go.
    let action: String
    let isPaused: Bool
    let settings: [Setting]
  }

  struct Setting: Sendable {
    let name: String
    let value: String
  }

  struct Image: Sendable {
    let path: String
    let sink: String
    let reason: String
    let lastError: String?
  }

  let title = "Delivery"
  let sinks: [SinkRow]
  let hasSinks: Bool
  let details: [Sink]
  /// What receivers have refused.
  let rows: [ReadingRow]
  let hasRefused: Bool
  /// Told where there may be more.
  let more: String?
  let images: [Image]
  let hasImages: Bool
  let moments: [Moment]
  let hasMoments: Bool
  let isPaused: Bool
  let limits: String?
  let problems: [String]

  init(
    sinks reports: [SinkReport], refused: [QueueItem], images: [ImageItem], events: [EventDescription], isPaused: Bool,
    limits: QueueLimitsDescription?, problems: [String], times: LocalTimes
  ) {
    sinks = reports.map { SinkRow($0, times: times) }
    hasSinks = !reports.isEmpty
    details = reports.map { Self.sink($0, times) }
    rows = refused.map { ReadingRow($0, times: times) }
    hasRefused = !refused.isEmpty
    more = refused.count < Self.most ? nil : "These are the newest \(refused.count); there may be more."
    self.images = images.prefix(Self.most).map { image in
      Image(
        path: ReadingRow.path(image.logID), sink: image.sink.clipped, reason: ReadingWords.reason(image.reason),
        lastError: image.lastError?.clipped)
    }
    hasImages = !images.isEmpty
    moments = events.reversed().map { Moment($0, times: times) }
    hasMoments = !events.isEmpty
    self.isPaused = isPaused
    self.limits = limits?.text
    self.problems = problems.map { $0.clipped(to: 600) }
  }

  /// The most refused readings of a page.
  static let most = 50

  private static func sink(_ report: SinkReport, _ times: LocalTimes) -> Sink {
    Sink(
      id: "sink-\(report.sink.name.clipped)", row: SinkRow(report, times: times),
      action: "/delivery/sink.\(report.sink.name.clipped)", isPaused: report.sink.paused,
      settings: report.setting.sorted { $0.key < $1.key }.map { member in
        Setting(name: ReadingWords.metric(member.key), value: member.value.text.clipped)
      })
  }
}

/// Something that has happened, as a line; without a value that was measured.
struct Moment: Sendable {
  let time: String
  let text: String
  /// The reading's page; nil where it is about none.
  let path: String?

  init(_ event: EventDescription, times: LocalTimes) {
    time = times.text(event.time, else: "")
    let (words, reading) = Self.words(event)
    text = words.clipped(to: 400)
    path = reading.map(ReadingRow.path)
  }

  private static func words(_ event: EventDescription) -> (text: String, reading: String?) {
    switch event.happened {
    case .recordSubmitted(let record)?: ("A reading was delivered to \(record.sink).", "\(record.logID)")
    case .recordSubmissionFailed(let record)?:
      ("\(record.sink) has refused a reading: \(ReadingWords.reason(record.reason))", "\(record.logID)")
    case .recordImageSubmitted(let image)?: ("A picture was delivered to \(image.sink).", "\(image.logID)")
    case .recordImageSubmissionFailed(let image)?: ("\(image.sink) has refused a picture.", "\(image.logID)")
    case .sinkRefused(let refusal)?: ("\(refusal.sink) has refused the token.", nil)
    case .sessionStarted?: ("A session has begun.", nil)
    case .sessionEnded(let end)?: ("A session has ended; \(end.unsynced) readings were not delivered.", nil)
    case .commitsLost?: ("The state database has lost commits: read the meters again.", nil)
    default: (event.name.replacing("_", with: " "), nil)
    }
  }
}
