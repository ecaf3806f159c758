import GatewayAPI
import MeterCore

extension ConsoleDesk {
  /// Everything that the overview is made of. What the host does not answer is said, and keeps nothing else back.
  func overview() async -> DeskAnswer {
    var facts = OverviewFacts()
    facts.session = await ask(SessionShowRequest(), &facts.problems)
    if let page = await ask(QueueListRequest(before: .max, limit: 8), &facts.problems) {
      facts.newest = page.items
      (facts.isPaused, facts.limits) = (page.paused, page.limits)
    }
    facts.held = await count(.held, &facts.problems)
    facts.dead = await count(.dead, &facts.problems)
    facts.sinks = await sinkReports(&facts.problems)
    facts.passive = await ask(PassiveShowRequest(), &facts.problems)
    facts.meters = await ask(MetersListRequest(), &facts.problems) ?? []
    facts.radios = await ask(RadioShowRequest(), &facts.problems)
    facts.offences = await ask(QuarantineListRequest(), &facts.problems) ?? []
    facts.findings = state.findings
    return .page(OverviewPage(facts, times: times))
  }

  /// The receivers with all that is known of them.
  func sinkReports(_ problems: inout [String]) async -> [SinkReport] {
    var reports: [SinkReport] = []
    for sink in await ask(SinkListRequest(), &problems) ?? [] {
      if let report = await ask(SinkShowRequest(sink.name), &problems) { reports.append(report) }
    }
    return reports
  }

  /// Lets the doctor look.
  func examine(_ fields: FormFields) async -> DeskAnswer {
    state.findings = await host.examine()
    return .redirect(fields["back"] == "overview" ? PageArea.overview.path : PageArea.log.path)
  }

  /// How many readings are in a state, 1000 at most.
  private func count(_ wanted: DeliveryState, _ problems: inout [String]) async -> Int {
    let page = await ask(QueueListRequest(states: [wanted], limit: QueueListRequest.longest), &problems)
    return Set((page?.items ?? []).map(\.name)).count
  }
}
