import Foundation
import GatewayAPI
import GatewayEngine
import MeterCore
import MeterDrivers
import RecordSupport
import TestSupport
import Testing

@testable import GatewayConsole
@testable import MeterService

/// Forms do what they say on a real engine with a real store.
@Suite("Forms on a running host", .timeLimit(.minutes(60))) struct HostFormTests {
  private struct Bench {
    let store: MeterStore
    let desk: ConsoleDesk

    /// Commits a weight that is held.
    func hold(_ id: String, kilograms: String = "70.5", picture: [UInt8]? = nil) throws -> QueueName {
      let text =
        #"{"type": "weight", "time": "2026-03-01T08:00:00Z", "log_id": "\#(id)", "#
        + #""values": [{"metric": "body_weight", "value": \#(kilograms), "unit": "kg"}]}"#
      let record = try RecordDocument(Array(text.utf8), name: "x").entries[0].record()
      _ = try store.commit([
        CommitUnit(
          generation: try store.currentSession().generation,
          records: [CommitRecord(record: record, disposition: .held(.clockSuspect))],
          images: picture.map { [CommitImage(logID: record.logID, image: try RecordImage($0))] } ?? [])
      ])
      return try #require(QueueName(id))
    }

    func fields(_ text: String) throws -> FormFields { try #require(FormFields(text.utf8)) }
  }

  private static let id = "0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b10"

  private func with(_ body: (Bench) async throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      _ = try store.startSession(
        SessionUser(userID: "patient-1", organizationID: "clinic"), token: AccessToken("patient-token-0123456789abcdef")
      )
      let installation = try Installation.shared()
      var settings = GatewayLocations.Settings()
      settings.registry = installation.registry.path
      settings.fragments = installation.fragments.path
      settings.worker = installation.worker.path
      settings.state = sandbox.path("state")
      let gateway = try Gateway(locations: GatewayLocations(settings: settings), isolation: .inProcess)
      let owner = GatewayOwner(gateway: gateway, store: store)
      let desk = ConsoleDesk(
        host: RunningHost(owner: owner), state: ConsoleState(clock: StoppedClock()),
        session: ConsoleSession(cookie: "c", formToken: "t"))
      try await body(Bench(store: store, desk: desk))
    }
  }

  @Test func whatWasShownIsConfirmed() async throws {
    try await with { bench in
      let name = try bench.hold(Self.id)
      guard case .page(let page) = try await bench.desk.reading(name), let shown = page as? ReadingPage else {
        Issue.record("no page")
        return
      }
      #expect(shown.isHeld && shown.revision == 1 && shown.values.map(\.number) == ["70.5"])
      guard case .redirect = try await bench.desk.confirm(name, bench.fields("revision=\(shown.revision)")) else {
        Issue.record("not confirmed")
        return
      }
      #expect(try bench.store.queueEntry(name.logID).map(\.state) == [.pending])
    }
  }

  @Test func whatHasChangedMeanwhileIsShownAgainAndNotConfirmed() async throws {
    try await with { bench in
      let name = try bench.hold(Self.id)
      _ = try await bench.desk.correct(name, bench.fields("revision=1&value-body_weight=71&was-body_weight=70.5"))
      #expect(try bench.store.queueEntry(name.logID).map(\.revision) == [2])
      for decision in [ReadingDecision.confirm, .correct, .discard, .resend] {
        let old = try bench.fields("revision=1&sure=yes&value-body_weight=72&was-body_weight=71")
        guard case .refused(let page, 409) = try await bench.desk.decide(decision, name, old),
          let shown = page as? ReadingPage
        else {
          Issue.record("\(decision) was done")
          return
        }
        #expect(shown.changed != nil && shown.revision == 2 && shown.values.map(\.number) == ["71"])
      }
      #expect(try bench.store.queueEntry(name.logID).map(\.state) == [.held])
    }
  }

  @Test func readingsThatCameUnderOneIdAreDecidedEachForItself() async throws {
    try await with { bench in
      let generation = try bench.store.currentSession().generation
      let first = Fixture.glucose(1)
      _ = try bench.store.commit([
        Fixture.unit(generation, [first], disposition: .held(.clockSuspect)),
        Fixture.unit(generation, [Fixture.glucose(1, mantissa: 300)]),
        Fixture.unit(generation, [Fixture.glucose(1, mantissa: 400)]),
      ])
      // With its second content the first one stands behind the others.
      _ = try bench.store.commit([
        Fixture.unit(
          generation, [Fixture.glucose(1, context: [Fixture.beforeMeal])], disposition: .held(.clockSuspect))
      ])
      let names = [nil, 1, 2].map { QueueName(first.logID, suspect: $0) }
      for (name, revision) in zip(names, [2, 1, 2]) {
        guard case .page(let page) = try await bench.desk.reading(name), let shown = page as? ReadingPage else {
          Issue.record("no page of \(name)")
          return
        }
        #expect(shown.id == "\(name)" && shown.revision == revision && shown.deliveries.count == 1)
      }
      for fields in ["revision=1", "revision=1&sure=yes"] {
        guard case .refused(_, 409) = try await bench.desk.discard(names[0], bench.fields(fields)) else {
          Issue.record("what was not shown is thrown away")
          return
        }
      }
      for (name, revision) in [(names[2], 2), (names[1], 1)] {
        let fields = try bench.fields("revision=\(revision)")
        guard case .redirect("/readings/held") = try await bench.desk.confirm(name, fields) else {
          Issue.record("\(name) is not confirmed")
          return
        }
      }
      #expect(try bench.store.queueEntry(first.logID).map(\.state) == [.held])
    }
  }

  @Test func aCorrectionThatCannotBeIsSaidAndChangesNothing() async throws {
    try await with { bench in
      let name = try bench.hold(Self.id)
      for value in ["abc", "", "99999", "7 0"] {
        let text = value.replacing(" ", with: "+")
        _ = try await bench.desk.correct(
          name, bench.fields("revision=1&value-body_weight=\(text)&was-body_weight=70.5"))
        #expect(bench.desk.state.takeNotice(bench.desk.session)?.kind == "problem", "\(value)")
      }
      _ = try await bench.desk.correct(name, bench.fields("revision=1&time=soon"))
      #expect(bench.desk.state.takeNotice(bench.desk.session)?.kind == "problem")
      #expect(try bench.store.queueEntry(name.logID).map(\.revision) == [1])
    }
  }

  @Test func aReadingIsDiscardedAfterAQuestion() async throws {
    try await with { bench in
      let name = try bench.hold(Self.id)
      guard case .page(let page) = try await bench.desk.discard(name, bench.fields("revision=1")) else {
        Issue.record("no question")
        return
      }
      #expect(page is QuestionPage)
      #expect(try bench.store.queueEntry(name.logID).count == 1)
      _ = try await bench.desk.discard(name, bench.fields("revision=1&sure=yes"))
      #expect(try bench.store.queueEntry(name.logID).isEmpty)
      await #expect(throws: NoSuchPage.self) { try await bench.desk.reading(name) }
    }
  }

  @Test func aPictureIsShownBesideItsReading() async throws {
    try await with { bench in
      let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 60)
      let name = try bench.hold(Self.id, picture: bytes)
      guard case .page(let page) = try await bench.desk.reading(name), let shown = page as? ReadingPage else {
        Issue.record("no page")
        return
      }
      #expect(shown.picture == "/readings/\(Self.id)/picture")
      guard case .picture(let mediaType, let content) = try await bench.desk.picture(name) else {
        Issue.record("no picture")
        return
      }
      #expect(mediaType == "image/jpeg" && content == bytes)
      let other = try bench.hold("0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b11")
      await #expect(throws: NoSuchPage.self) { try await bench.desk.picture(other) }
    }
  }

  @Test func theListIsNewestFirstAndTheFilterHolds() async throws {
    try await with { bench in
      for number in 0..<120 {
        _ = try bench.hold("0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2\(String(number + 0x100, radix: 16))")
      }
      guard case .page(let page) = try await bench.desk.readings(before: nil, isHeld: false),
        let list = page as? ReadingsPage
      else {
        Issue.record("no list")
        return
      }
      #expect(list.rows.count == 50 && list.rows.first?.path.hasSuffix("177") == true)
      let next = try #require(list.older?.split(separator: "=").last.flatMap { Int64($0) })
      guard case .page(let second) = try await bench.desk.readings(before: next, isHeld: true),
        let more = second as? ReadingsPage
      else {
        Issue.record("no second page")
        return
      }
      #expect(more.rows.first?.path.hasSuffix("145") == true)
      _ = bench.desk.filterReadings(try bench.fields("state=dead"))
      guard case .page(let third) = try await bench.desk.readings(before: nil, isHeld: false) else { return }
      #expect((third as? ReadingsPage)?.isEmpty == true)
    }
  }

  @Test func theOverviewIsMadeOfWhatTheHostAnswers() async throws {
    try await with { bench in
      _ = try bench.hold(Self.id)
      guard case .page(let page) = await bench.desk.overview(), let overview = page as? OverviewPage else {
        Issue.record("no overview")
        return
      }
      #expect(overview.attention.contains { $0.text == "A reading is held." })
      #expect(!overview.attention.contains { $0.text.contains("has not answered") })
      #expect(overview.rows.count == 1)
      _ = try HTMLDocument(try Samples.html(overview))
    }
  }

  @Test func everyAreaHasAPageOfARunningHost() async throws {
    try await with { bench in
      for area in PageArea.allCases {
        guard case .page(let page) = try await bench.desk.show(area, query: nil) else {
          Issue.record("\(area) has no page")
          continue
        }
        _ = try HTMLDocument(try Samples.html(page))
      }
    }
  }

  @Test func whoseReadingsAreTakenIsTold() async throws {
    try await with { bench in
      let before = try await bench.desk.person()
      #expect(before == ["clinic", "patient-1"])
      _ = try bench.store.startSession(
        SessionUser(userID: "patient-2", organizationID: "clinic"), token: AccessToken("patient-token-0123456789abcdeg")
      )
      #expect(try await bench.desk.person() == ["clinic", "patient-2"])
      guard case .redirect("/import") = bench.desk.personHasChanged() else {
        Issue.record("no way back")
        return
      }
      #expect(bench.desk.state.takeNotice(bench.desk.session)?.kind == "problem")
    }
  }

  @Test func deliveriesArePausedAndGoOn() async throws {
    try await with { bench in
      _ = try await bench.desk.actOnDelivery("queue.all", "pause")
      #expect(try bench.store.isPaused())
      _ = try await bench.desk.actOnDelivery("queue.all", "resume")
      #expect(try !bench.store.isPaused())
    }
  }
}

/// The password's file.
@Suite("The console's password") struct ConsolePasswordTests {
  @Test func onlyAHashIsKept() throws {
    let folder = try TemporaryFolder()
    let password = ConsolePassword(stateFolder: folder.url)
    #expect(!password.isSet && !password.matches(""))
    #expect(throws: GatewayError.self) { try password.set("short") }
    #expect(throws: GatewayError.self) { try password.set(String(repeating: "x", count: 257)) }
    try password.set("several words of mine")
    let file = folder.url.appending(path: ConsolePassword.fileName)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(!text.contains("words"))
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(password.isSet && password.matches("several words of mine"))
    #expect(!password.matches("several words of min") && !password.matches(""))
    try password.set(nil)
    #expect(!password.isSet && !password.matches("several words of mine"))
  }

  @Test(arguments: ["", "scrypt", "scrypt 15 00 00", "scrypt 99 \(String(repeating: "0", count: 32)) x"])
  func aFileThatIsNoneOpensNothing(text: String) throws {
    let folder = try TemporaryFolder()
    try Data(text.utf8).write(to: folder.url.appending(path: ConsolePassword.fileName))
    let password = ConsolePassword(stateFolder: folder.url)
    #expect(!password.isSet && !password.matches(text))
  }

  @Test func anAddressThatOthersReachNeedsAProxy() throws {
    #expect(throws: GatewayError.self) { try ConsoleSettings(address: "192.168.1.5:8090", behindProxy: nil) }
    #expect(throws: GatewayError.self) { try ConsoleSettings(address: "8.8.8.8:80", behindProxy: "https://x.example") }
    #expect(throws: GatewayError.self) { try ConsoleSettings(address: "127.0.0.1:0", behindProxy: "http://x.example") }
    #expect(throws: GatewayError.self) { try ConsoleSettings(address: "x", behindProxy: nil) }
    let settings = try ConsoleSettings(address: "192.168.1.5:8090", behindProxy: "https://Gateway.example/")
    #expect(settings.publicOrigin == "https://gateway.example")
    for text in ["https://gateway.example:443", "https://gateway.example:443/", "https://gateway.example"] {
      #expect(try ConsoleSettings(address: "127.0.0.1:0", behindProxy: text).publicOrigin == "https://gateway.example")
    }
    let other = try ConsoleSettings(address: "127.0.0.1:0", behindProxy: "https://gateway.example:8443")
    #expect(other.publicOrigin == "https://gateway.example:8443")
    #expect(try ConsoleSettings(address: "/run/c.sock", behindProxy: nil).address == .socket("/run/c.sock"))
  }

  @Test func orACertificateOfItsOwn() throws {
    let certificate = try #require(try ConsoleSettings.Certificate(file: "/c.pem", key: "/k.pem"))
    let settings = try ConsoleSettings(address: "192.168.1.5:8443", behindProxy: nil, certificate: certificate)
    #expect(settings.isForOthers && settings.publicOrigin == nil && settings.certificate?.key == "/k.pem")
    #expect(try !ConsoleSettings(address: "127.0.0.1:0", behindProxy: nil).isForOthers)
    #expect(throws: GatewayError.self) {
      try ConsoleSettings(address: "127.0.0.1:0", behindProxy: "https://x.example", certificate: certificate)
    }
    #expect(throws: GatewayError.self) {
      try ConsoleSettings(address: "/run/c.sock", behindProxy: nil, certificate: certificate)
    }
    #expect(throws: GatewayError.self) { try ConsoleSettings.Certificate(file: "/c.pem", key: nil) }
    #expect(throws: GatewayError.self) { try ConsoleSettings.Certificate(file: nil, key: "/k.pem") }
    #expect(try ConsoleSettings.Certificate(file: nil, key: nil) == nil)
  }
}
