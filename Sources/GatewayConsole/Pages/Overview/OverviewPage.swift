import GatewayAPI

/// What needs a person first, and how everything is.
struct OverviewPage: ConsolePage {
  static let template = PageTemplate.overview
  static let area: PageArea? = .overview

  struct Fact: Sendable {
    let label: String
    let text: String
    /// `works`, `waits` or nothing, for the style.
    let mark: String
  }

  let title = "Overview"
  let attention: [Attention]
  let isFine: Bool
  let rows: [ReadingRow]
  let isEmpty: Bool
  let sinks: [SinkRow]
  let hasSinks: Bool
  let radios: [RadioRow]
  let hasRadios: Bool
  let facts: [Fact]
  /// Whether the doctor has looked, so that his findings are among the facts.
  let isExamined: Bool

  init(_ facts: OverviewFacts, times: LocalTimes) {
    attention = Attention.all(facts)
    isFine = attention.isEmpty
    rows = facts.newest.map { ReadingRow($0, times: times) }
    isEmpty = facts.newest.isEmpty
    sinks = facts.sinks.map { SinkRow($0, times: times) }
    hasSinks = !facts.sinks.isEmpty
    radios = RadioRow.all(facts.radios, meters: facts.meters)
    hasRadios = !radios.isEmpty
    isExamined = !facts.findings.isEmpty
    self.facts = Self.facts(facts, times)
  }

  private static func facts(_ facts: OverviewFacts, _ times: LocalTimes) -> [Fact] {
    var shown: [Fact] = []
    if let session = facts.session {
      let whose = session.user.map { "user \($0) of \(session.organization ?? "no organisation")".clipped }
      shown.append(Fact(label: "Session", text: whose ?? "none", mark: whose == nil ? "waits" : "works"))
      if let zone = session.zone { shown.append(Fact(label: "Zone of the user", text: zone.clipped, mark: "")) }
    }
    if let passive = facts.passive {
      let names = passive.peripherals.map { $0.name.clipped(to: 80) }.prefix(8).joined(separator: ", ")
      shown.append(
        Fact(
          label: "Read by themselves", text: names.isEmpty ? "no meters" : names,
          mark: passive.peripherals.isEmpty || passive.isRunning ? "" : "waits"))
    }
    shown.append(Fact(label: "Known meters", text: "\(facts.meters.count)", mark: ""))
    if let last = facts.meters.compactMap(\.lastRead).max() {
      let age = times.age(last).map { " (\($0))" } ?? ""
      shown.append(Fact(label: "A meter was last read", text: times.text(last) + age, mark: ""))
    }
    if let limits = facts.limits { shown.append(Fact(label: "Queue", text: limits.text, mark: "")) }
    for (check, label) in [("clock", "Clock of the gateway"), ("bluetooth", "Radios")] {
      guard let finding = facts.findings.first(where: { $0.check == check }) else { continue }
      shown.append(
        Fact(label: label, text: finding.message.clipped(to: 400), mark: finding.status == .passed ? "works" : "waits"))
    }
    return shown
  }
}
