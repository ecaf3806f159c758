import GatewayAPI

/// What the doctor finds, how much is logged, and what has happened lately.
struct LogPage: ConsolePage {
  static let template = PageTemplate.log
  static let area: PageArea? = .log

  struct Finding: Sendable {
    let check: String
    let status: String
    let message: String
    let cure: String?
  }

  struct Choice: Sendable {
    let word: String
    let isChosen: Bool
  }

  struct Area: Sendable {
    let name: String
    let choices: [Choice]
  }

  let title = "Log and doctor"
  let findings: [Finding]
  let isExamined: Bool
  let areas: [Area]
  /// Told where health values may stand in the log.
  let values: String?
  /// The newest log lines.
  let rows: [LogRow]
  let hasRows: Bool
  let linesPath = LogLinesPage.Place.few.path
  let moments: [Moment]
  let hasMoments: Bool

  private static let words = ["trace", "debug", "info", "notice", "warning", "error", "critical", "off"]

  init(
    findings: [ConsoleFinding], log: LogDescription, lines: [LogRow] = [], events: [EventDescription], times: LocalTimes
  ) {
    rows = lines
    hasRows = !lines.isEmpty
    let order = [ConsoleFinding.Status.failed, .warning, .passed]
    self.findings = order.flatMap { status in findings.filter { $0.status == status } }.map { finding in
      Finding(
        check: finding.check.clipped, status: finding.status.rawValue, message: finding.message.clipped(to: 1000),
        cure: finding.cure?.clipped(to: 1000))
    }
    isExamined = !findings.isEmpty
    areas = log.areas.sorted { $0.key < $1.key }.map { area in
      Area(
        name: area.key.clipped,
        choices: Self.words.map { Choice(word: $0, isChosen: $0 == area.value.rawValue) })
    }
    values =
      log.values
      ? "Health values may stand in the log now: `meterhost log values off` ends that. Meanwhile this page gets no lines."
      : nil
    moments = events.reversed().map { Moment($0, times: times) }
    hasMoments = !events.isEmpty
  }
}
