import GatewayAPI
import Synchronization
import TestSupport
import Testing

@testable import GatewayConsole

/// The page of drivers: one table, with what was found against one above it.
@Suite("Page of drivers") struct DriversPageTests {
  private static func page(_ offences: [OffenceDescription] = []) -> DriversPage {
    let catalogue =
      (1...5).map { Samples.entry($0, name: "Meter \($0)") }
      + [
        Samples.entry(1, kind: "ocr", name: "A display"),
        Samples.entry(9, name: "Another's", driver: "org.example.other"),
      ]
    return DriversPage(
      [Samples.driver(), Samples.driver("org.example.none")], catalogue: catalogue, offences: offences, updates: nil,
      times: Samples.times)
  }

  @Test func metersStandByNameAndPicture() throws {
    let driver = try #require(Self.page().drivers.first)
    #expect(driver.meters.map(\.name) == ["Meter 1", "Meter 2", "Meter 3"] && driver.more == "3 more")
    #expect(driver.moreMeters.map(\.name) == ["Meter 4", "Meter 5", "A display"])
    #expect(driver.meters.first?.picture == "/pictures/bluetooth-1")
    // The same number is another meter in the catalogue of displays.
    #expect(driver.moreMeters.last?.picture == "/pictures/ocr-1")
    #expect(Self.page().drivers.last?.meters.isEmpty == true && Self.page().drivers.last?.more == nil)
    let document = try HTMLDocument(try Samples.html(Self.page()))
    #expect(document.all("table").count == 1 && document.all("img").count { $0.attributes["src"] != "/icon.svg" } == 6)
    #expect(!document.text.contains("found against"))
  }

  @Test func whatWasFoundStandsAboveTheTable() throws {
    let html = try Samples.html(Self.page([Samples.offence()]))
    let found = try #require(html.firstRange(of: "found against"))
    let updates = try #require(html.firstRange(of: "Look for updates"))
    let table = try #require(html.firstRange(of: "<table"))
    #expect(found.lowerBound < updates.lowerBound && updates.lowerBound < table.lowerBound)
    #expect(html.contains("/drivers/org.example.meter/release"))
    #expect(!html.contains("/drivers/org.example.none/release"))
  }

  /// A desk whose host has looked for updates.
  private static func desk(_ host: ScriptedHost) async throws -> ConsoleDesk {
    host.set(DriverUpdateCheckRequest.self) { _ in Samples.updates("org.example.meter") }
    host.set(QuarantineListRequest.self) { _ in [] }
    let desk = ConsoleDesk(
      host: host, state: ConsoleState(clock: StoppedClock()),
      session: ConsoleSession(cookie: "c", formToken: "form-token"))
    _ = try await desk.actOnDriver("updates", "look", try #require(FormFields("".utf8)))
    return desk
  }

  private static func install(_ desk: ConsoleDesk, _ fields: String) async throws -> DeskAnswer {
    try await desk.actOnDriver("updates", "install", try #require(FormFields(fields.utf8)))
  }

  private static func shown(_ desk: ConsoleDesk) async throws -> DriversPage? {
    guard case .page(let page) = try await desk.drivers() else { return nil }
    return page as? DriversPage
  }

  @Test func anUpdateIsInstalledAfterItsChangesWereShown() async throws {
    let host = ScriptedHost()
    let desk = try await Self.desk(host)
    #expect(try await Self.shown(desk)?.offers.first?.version == "1.1.0")
    let wanted = "package=org.example.meter&version=1.1.0"
    guard case .page(let page) = try await Self.install(desk, wanted), let question = page as? QuestionPage else {
      Issue.record("no question")
      return
    }
    #expect(question.lines.last == "org.example.meter", "the changes in the publisher's words")
    #expect(!host.requests.contains { $0.hasPrefix("update") })
    _ = try await Self.install(desk, wanted + "&sure=yes")
    await desk.state.conversations.settle()
    #expect(host.requests.last == "update org.example.meter 1.1.0")
    let after = try #require(try await Self.shown(desk))
    #expect(after.end == "org.example.meter is of version 1.1.0 now." && !after.isRunning)
    #expect(after.lines == ["is fetched", "one thing more"] && after.offers.first?.version == nil)
    _ = try HTMLDocument(try Samples.html(after))
  }

  @Test(arguments: ["version=1.1.0", "package=org.example.meter", "package=org.example.meter&version=1.2.0&sure=yes"])
  func whatIsNotOfferedIsNotInstalled(fields: String) async throws {
    let host = ScriptedHost()
    let desk = try await Self.desk(host)
    do {
      guard case .redirect("/drivers") = try await Self.install(desk, fields) else {
        Issue.record("it goes on")
        return
      }
      #expect(desk.state.takeNotice(desk.session)?.kind == "problem")
    } catch { #expect(error is BadForm) }
    #expect(!host.requests.contains { $0.hasPrefix("update") })
  }

  @Test func whyNothingWasInstalledIsSaid() async throws {
    let host = ScriptedHost()
    let desk = try await Self.desk(host)
    host.refusal.withLock { $0 = GatewayError(.failed, code: "offer_changed", "not offered now", hint: "look again") }
    _ = try await Self.install(desk, "package=org.example.meter&version=1.1.0&sure=yes")
    await desk.state.conversations.settle()
    let page = try #require(try await Self.shown(desk))
    #expect(page.end == "not offered now" && page.endHint == "look again" && page.offers.first?.version == "1.1.0")
  }

  @Test(arguments: ["bluetooth-1000", "ocr-7"])
  func aPictureHasAPath(name: String) throws {
    let picture = try #require(MeterPictureName(path: name))
    #expect(picture.path == "/pictures/\(name)")
    #expect(ConsoleRoute(path: picture.path) == .drawing(picture))
  }

  @Test(arguments: ["", "bluetooth", "import-1", "ocr--1", "ocr-+1", "ocr-4294967296", "bluetooth-1-2", "ocr-1.svg"])
  func whatNamesNoEntryIsNoPicture(name: String) {
    #expect(MeterPictureName(path: name) == nil && ConsoleRoute(path: "/pictures/\(name)") == nil)
  }
}
