import GatewayAPI
import Synchronization
import TestSupport
import Testing

@testable import GatewayConsole

@Suite("The form that goes back to an earlier driver") struct DriverFormTests {
  private let host = ScriptedHost()
  private let desk: ConsoleDesk
  private let driver: InstalledDriver

  init() {
    var driver = Samples.driver()
    driver.version = "1.1.0"
    driver.previous = "1.0.0"
    self.driver = driver
    desk = ConsoleDesk(
      host: host, state: ConsoleState(clock: StoppedClock()), session: ConsoleSession(cookie: "c", formToken: "t"))
    host.installed.withLock { $0 = [driver] }
  }

  private func answer(_ text: String) async throws -> DeskAnswer {
    try await desk.actOnDriver(driver.id, "rollback", try #require(FormFields(text.utf8)))
  }

  @Test("the answer says which version was in use when it was asked", arguments: ["", "sure=yes"])
  func asks(_ text: String) async throws {
    guard case .page(let page) = try await answer(text), let question = page as? QuestionPage else {
      Issue.record("nobody was asked")
      return
    }
    #expect(question.fields.map { "\($0.name)=\($0.value)" } == ["from=1.1.0"])
    #expect(host.rolledBack.withLock(\.self).isEmpty)
  }

  @Test("it goes back from the version that was seen, whatever is in use by now") func answers() async throws {
    host.installed.withLock { $0[0].version = "1.2.0" }
    guard case .redirect("/drivers") = try await answer("sure=yes&from=1.1.0") else {
      Issue.record("not answered")
      return
    }
    #expect(host.rolledBack.withLock(\.self) == ["\(driver.package ?? driver.id) from 1.1.0"])
  }
}
