/// What a page shows, as values: its template reads the stored properties by their names, and escapes every one.
///
/// A page is made of what the host has answered and of nothing else, so that it can be looked at without a server.
protocol ConsolePage: Sendable {
  /// Which template draws it.
  static var template: PageTemplate { get }
  /// Where it belongs.
  static var area: PageArea? { get }
  /// Its heading.
  var title: String { get }
}

/// What is around every page.
struct PageFrame: Sendable {
  struct Link: Sendable {
    let path: String
    let label: String
    let isCurrent: Bool
  }

  let title: String
  let links: [Link]
  /// For the forms; empty where nobody has been let in.
  let formToken: String
  let isInside: Bool
  let zone: String
  let now: String
  let version: String
  let notice: PageNotice?

  init(
    title: String, area: PageArea?, session: ConsoleSession?, notice: PageNotice?, times: LocalTimes, version: String
  ) {
    self.title = title
    links =
      session == nil
      ? [] : PageArea.allCases.map { Link(path: $0.path, label: $0.label, isCurrent: $0 == area) }
    formToken = session?.formToken ?? ""
    isInside = session != nil
    zone = times.zoneText
    now = times.text(microseconds: times.now)
    self.version = version
    self.notice = notice
  }
}
