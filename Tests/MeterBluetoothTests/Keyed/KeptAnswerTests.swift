import DriverContract
import MeterDrivers
import TestSupport
import Testing

@testable import MeterBluetooth
@testable import MeterCore

/// A driver may have an answer kept where the registry lists a place for it, and among its own secrets.
@Suite("Answers that are kept", .jumpingTime, .timeLimit(.minutes(10)))
struct KeptAnswerTests {
  private func keys(_ bench: ReadBench) throws -> SessionKeys {
    let staged = try StagedRegistry.shared.get()
    let peripheral = try #require(staged.registry.peripheral(id: 1000))
    let driver = try #require(staged.registry.driver(id: "org.meterhost.glucose"))
    let plan = ReadPlan(peripheral: peripheral, driver: driver, bundle: try staged.bundles.bundle(for: driver))
    let meter = MeterIdentity(serial: "B-1", model: nil, systemID: nil, address: "")
    return try SessionKeys(store: bench.store, plan: plan, meter: meter, session: bench.store.currentSession())
  }

  private func prompt(_ name: String) -> DriverPrompt {
    DriverPrompt(kind: .qr, isSecret: true, minimumLength: 1, maximumLength: 8, text: "Which?", keepAs: name)
  }

  @Test(
    "as credentials that the registry does not list are the driver's fault, before a person is asked",
    arguments: ["credential/x", "credential/\u{301}x", "credential/"])
  func unlisted(name: String) async throws {
    let bench = try ReadBench(try BenchMeter.glucose(), isolation: .inProcess)
    let keys = try keys(bench)
    let desk = QuestionDesk(isStaffed: true) { _ in Issue.record("a person was asked") }
    desk.close()
    let fault = await #expect(throws: DriverFault.self) { try await keys.answer(prompt(name), at: desk) }
    #expect(fault?.code == .brokeRule && fault?.rule == "R22" && fault?.driver == "org.meterhost.glucose")
  }

  @Test("among the driver's secrets are there", arguments: ["user/secret/x", "user/secret/\u{301}x"])
  func kept(name: String) async throws {
    let bench = try ReadBench(try BenchMeter.glucose(), isolation: .inProcess)
    let keys = try keys(bench)
    let (questions, sink) = AsyncStream<ReadQuestion>.makeStream()
    let desk = QuestionDesk(isStaffed: true) { sink.yield($0) }
    async let answer = keys.answer(prompt(name), at: desk)
    let question = try #require(await questions.first { _ in true })
    #expect(desk.answer(question.id, "open"))
    #expect(try await answer == .userInput([], status: 0))
    #expect(keys.service.answer(.value(name: name)).status == KeyService.denied, "by name only")
    let again = try self.keys(bench)
    #expect(again.service.answer(.value(name: name)).status == KeyService.denied)
  }
}
