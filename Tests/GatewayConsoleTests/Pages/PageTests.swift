import Foundation
import GatewayAPI
import MeterCore
import Testing

@testable import GatewayConsole

/// Pages as HTML, made of values alone.
@Suite("Pages of the console") struct PageTests {
  /// Every page, once with nothing and once full of hostile texts.
  static func pages(_ text: String?) -> [any ConsolePage] {
    let items = text.map { [Samples.item(1, text: $0), Samples.item(2, state: "dead", text: $0)] } ?? []
    var facts = OverviewFacts()
    facts.newest = items
    facts.sinks = text.map { [Samples.sink($0)] } ?? []
    facts.offences = text.map { [Samples.offence($0)] } ?? []
    facts.radios = text.map { Samples.radios($0, meters: [$0]) }
    facts.problems = text.map { [$0] } ?? []
    facts.findings = text.map { [ConsoleFinding(check: $0, status: .failed, message: $0, cure: $0)] } ?? []
    facts.session = text.map {
      SessionDescription(user: $0, organization: $0, zone: $0, unknownZone: $0, validated: true)
    }
    let conversation = Conversation(title: text ?? "Pair")
    if let text {
      conversation.say(text)
      conversation.finish(.problem(text, hint: text))
    }
    var report = HealthImportDescription(file: "/x/12-\(text ?? "export.zip")", state: "imported")
    report.new = [text ?? "routine": 3]
    let log = LogDescription(.init())
    let meters = text.map { [Samples.meter($0)] } ?? []
    let lines = text.map { [Samples.logLine($0)] } ?? []
    let all: [any ConsolePage] = [
      OverviewPage(facts, times: Samples.times),
      ReadingsPage(
        items, next: 4, isFirst: false, looked: 10, filter: ReadingFilter(), isPaused: true, isHeld: false,
        times: Samples.times),
      ChartPage(items, times: Samples.times),
      DeliveryPage(
        sinks: facts.sinks, refused: items, images: [], events: [], isPaused: false, limits: nil,
        problems: facts.problems, times: Samples.times),
      MetersPage(
        meters, search: text ?? "", order: .seen, heard: [], beside: MetersPage.Surroundings(radios: facts.radios),
        times: Samples.times),
      MeterPage(Samples.meter(text ?? "m"), entry: nil, times: Samples.times),
      PairingPage(title: text ?? "Pair", shown: conversation.shown, entry: nil),
      DriversPage(
        text.map { [Samples.driver($0)] } ?? [],
        catalogue: text.map { text in (1...5).map { Samples.entry($0, name: text, driver: text) } } ?? [],
        offences: facts.offences, updates: text.map { Samples.updates($0) },
        current: text == nil ? nil : conversation, times: Samples.times),
      LogPage(
        findings: facts.findings, log: log, lines: lines.map { LogRow($0, times: Samples.times) }, events: [],
        times: Samples.times),
      LogLinesPage(lines, at: .many, times: Samples.times),
      ImportsPage(
        text == nil ? [] : [report], current: text == nil ? nil : conversation, limit: 1 << 30, times: Samples.times),
      DisplaysPage(hasView: text != nil), LoginPage(problem: text, hasPassword: true),
      MessagePage(title: "t", text: text ?? "x", hint: text),
      QuestionPage(title: "t", lines: [text ?? "x"], action: "/a", fields: [], label: "Do", back: "/"),
    ]
    return all + (items.isEmpty ? [] : [ReadingPage(items, times: Samples.times)])
  }

  @Test(arguments: [nil, Samples.hostile])
  func everyPageIsWholeAndEscapesEverything(text: String?) throws {
    for page in Self.pages(text) {
      let html = try Samples.html(page, notice: text.map { .problem($0, hint: $0) })
      let document = try HTMLDocument(html)
      #expect(document.all("script").map { $0.attributes["src"] } == ["/console.js"], "\(type(of: page))")
      #expect(document.all("main").count == 1 && document.all("h1").count == 1)
      #expect(!html.contains("\u{202E}"), "\(type(of: page)) turns the direction of reading")
      // A text that looks like a tag stays a text.
      #expect(html.contains("{{") == (text.map { _ in html.contains("{{token}}") } ?? false))
      #expect(html.utf8.count < 64 << 10, "\(type(of: page)) has \(html.utf8.count) bytes")
      #expect(document.elements.allSatisfy { $0.attributes.keys.allSatisfy { !$0.hasPrefix("on") && $0 != "style" } })
    }
  }

  @Test func theDeliveryPageSaysWhoseWordItIsThatAReadingIsDelivered() throws {
    let page = DeliveryPage(
      sinks: [Samples.sink(acknowledgement: "broker", keepsContent: 604_800)], refused: [], images: [], events: [],
      isPaused: false, limits: nil, problems: [], times: Samples.times)
    let html = try Samples.html(page)
    #expect(html.contains("the broker has it; the reading stays here for 168 hours more"))
  }

  @Test func everyFieldHasALabelAndEveryIdIsThereOnce() throws {
    for page in Self.pages("plain") {
      let document = try HTMLDocument(try Samples.html(page))
      let ids = document.elements.compactMap { $0.attributes["id"] }
      #expect(Set(ids).count == ids.count, "\(type(of: page)): \(ids)")
      let labelled = Set(document.all("label").compactMap { $0.attributes["for"] })
      for name in ["input", "select"] {
        for field in document.all(name) where field.attributes["type"] != "hidden" {
          #expect(field.attributes["id"].map { labelled.contains($0) } == true, "\(type(of: page)): \(field)")
        }
      }
      for header in document.all("th") { #expect(header.attributes["scope"] != nil) }
      for section in document.all("section") {
        #expect(section.attributes["aria-labelledby"].map { ids.contains($0) } == true, "\(type(of: page))")
      }
    }
  }

  /// On a telephone the columns' names stand beside the values.
  @Test func everyCellOfAStackedTableHasTheNameOfAColumn() throws {
    var count = 0
    for page in Self.pages("plain") {
      let document = try HTMLDocument(try Samples.html(page))
      guard !document.all("table", where: { $0.attributes["class"] == "stacked" }).isEmpty else { continue }
      count += 1
      let columns = Set(document.all("th") { $0.attributes["scope"] == "col" }.map(\.text))
      for cell in document.all("td") {
        #expect(cell.attributes["data-label"].map { columns.contains($0) } == true, "\(type(of: page)): \(cell)")
      }
    }
    #expect(count >= 4)
  }

  @Test func everyFormHasTheToken() throws {
    for page in Self.pages("plain") where !(page is LoginPage) {
      let document = try HTMLDocument(try Samples.html(page))
      #expect(document.fields(named: "token").count == document.all("form").count, "\(type(of: page))")
      #expect(document.fields(named: "token").allSatisfy { $0 == "form-token" })
    }
  }

  /// Pages with a text between tags, and inside one.
  private static func joined(_ text: String) throws -> [String] {
    let meters = MetersPage([Samples.meter(text)], search: text, order: .seen, heard: [], times: Samples.times)
    return [
      try Samples.html(MessagePage(title: "t", text: text, hint: text)), try Samples.html(meters),
    ]
  }

  /// Of these marks some join what stands before them, others what follows: the sign is a part of another character then.
  @Test(arguments: [
    "\u{0D4E}<b\u{0D4E}>", "\u{0600}<script src=x>", "\"\u{0301} autofocus x=\u{0D4E}\"", "<\u{0301}", "'\u{FE0F}",
    "\u{0D4E}'\u{0301}", "&\u{0301}", "\u{0D4E}&lt;",
  ])
  func aSignThatAMarkJoinsIsEscapedToo(text: String) throws {
    for (page, other) in zip(try Self.joined(text), try Self.joined("x")) {
      for sign in "<>\"'".unicodeScalars {
        let counts = [page, other].map { html in html.unicodeScalars.count { $0 == sign } }
        #expect(counts[0] == counts[1], "\(sign)")
      }
    }
  }

  /// Nothing in a template may pass a value by without escaping it.
  @Test(arguments: PageTemplate.allCases)
  func noTemplateLeavesAValueUnescaped(template: PageTemplate) {
    let text = template.text
    #expect(!text.contains("{{{") && text.firstMatch(of: /\{\{\s*[&%]/) == nil)
  }

  @Test func linesOfAReadingThatAreLeftAwayAreCounted() {
    let notes = (0..<250).map { ReadingDescription.Note(field: "note", text: "\($0)") }
    let reading = ReadingDescription(
      logID: "l", revision: 1, type: "sleep", time: "2026-03-01T08:00:00Z", values: [], notes: notes, model: "m",
      peripheral: 1000, state: "held", reason: "clock_suspect")
    let item = QueueItem(
      position: 1, logID: "l", name: "l", revision: 1, sink: "inform", state: "held", reason: "clock_suspect",
      attempts: 0, lastError: "x", reading: reading)
    let details = ReadingPage([item], times: Samples.times).details
    #expect(details.count == 201 && details.last?.hasPrefix("50 more lines are not shown") == true)
  }

  @Test func readingsShowWhatMattersInTheGatewaysTime() throws {
    let document = try HTMLDocument(try Samples.html(ReadingPage([Samples.item(7)], times: Samples.times)))
    #expect(document.text.contains("2026-03-01 10:00:00"))
    #expect(
      document.text.contains("blood glucose") && document.text.contains("5.40") && document.text.contains("fasting"))
    #expect(document.text.contains("the time may be wrong"))
    #expect(document.fields(named: "revision").allSatisfy { $0 == "1" })
    // The form names the unit that is shown.
    #expect(document.fields(named: "unit-blood_glucose") == ["mmol/L"])
    #expect(document.text.contains("(UTC+02:00)"))
  }

  @Test func theOverviewSaysFirstWhatLosesReadings() {
    var facts = OverviewFacts()
    facts.session = SessionDescription(validated: false)
    facts.held = 2
    facts.findings = [ConsoleFinding(check: "clock", status: .warning, message: "m", cure: nil)]
    let all = Attention.all(facts)
    #expect(all.map(\.weight) == [.urgent, .soon, .note])
    #expect(all[0].text.contains("no session") && all[1].text.contains("2 readings are held"))
    #expect(Attention.all(OverviewFacts()).isEmpty)
  }

  @Test func theTableOfMetersIsNoFormula() {
    let csv = MeterTable.csv([Samples.meter("=HYPERLINK(\"x\")"), Samples.meter("a\"b\r\nc")])
    #expect(csv.contains(#""'=HYPERLINK(""x"")""#))
    #expect(csv.split(separator: "\r\n").count == 3)
    let joined = MeterTable.csv([Samples.meter("a\"\u{0301},=1"), Samples.meter("=\u{0301}1")])
    #expect(joined.contains("\"\"\u{0301},=1\"") && joined.contains("\"'=\u{0301}1\""))
  }
}
