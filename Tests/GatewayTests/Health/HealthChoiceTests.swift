import DriverContract
import Foundation
import MeterCore
import MeterDrivers
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine
@testable import MeterHealth

/// What the session's user chooses for health exports: what is delivered, and which sources count.
@Suite("What is chosen for health exports", .timeLimit(.minutes(60))) struct HealthChoiceTests {
  private static let apple = HealthFamily.apple.rawValue
  private static let connect = HealthFamily.healthConnect.rawValue

  private func with(session: Bool = true, _ body: (GatewayOwner) throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      if session {
        let user = SessionUser(userID: "ada", organizationID: "clinic")
        let generation = try store.startSession(user, token: AccessToken("token-1")).session.generation
        let sources = [
          StoredHealthSource(key: "Riley's iPhone", name: "Riley\u{2019}s iPhone", kind: "phone"),
          StoredHealthSource(key: "Riley's Watch", name: "Riley\u{2019}s\u{A0}Watch", kind: "watch"),
          StoredHealthSource(key: "Scale", name: "Scale", kind: "other"),
        ]
        try store.setHealthSources(sources, family: Self.apple, of: generation)
        let packages = ["com.example.steps", "Scale"].map { StoredHealthSource(key: $0, name: $0, kind: "other") }
        try store.setHealthSources(packages, family: Self.connect, of: generation)
      }
      try body(GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store))
    }
  }

  private func code(_ body: () throws -> Void) throws -> String? {
    do {
      try body()
      return nil
    } catch {
      return GatewayError(describing: error)?.code
    }
  }

  // MARK: Subscription

  @Test("A session begins with nothing, and keeps what is chosen") func subscription() async throws {
    try await with { owner throws in
      #expect(try HealthSubscriptionRequest().perform(on: owner).isOff)
      let chosen = try HealthSubscribeRequest(["sleep", "bloodPressure"]).perform(on: owner)
      #expect(chosen.sets.filter(\.isChosen).map(\.name) == ["sleep"] && !chosen.processesIntraday)
      #expect(chosen.types == ["HKCorrelationTypeIdentifierBloodPressure"])
      #expect(chosen.sets.first { $0.name == "sleep" }?.types == ["HKCategoryTypeIdentifierSleepAnalysis"])
      #expect(try HealthSubscriptionRequest().perform(on: owner) == chosen)
      let stored = try HealthSubscription(stored: owner.store.healthSubscription())
      #expect(stored.quantities == [.sleep, .bloodPressure, .systolic, .diastolic])
      // In place of what was chosen before.
      let routine = try HealthSubscribeRequest(["routine"], processesIntraday: true).perform(on: owner)
      #expect(routine.processesIntraday && routine.types.isEmpty)
      #expect(try HealthSubscribeRequest([]).perform(on: owner).isOff)
      #expect(try owner.store.healthSubscription() == nil)
    }
  }

  @Test("A wrong name changes nothing, and parts of five minutes alone are off") func wrongName() async throws {
    try await with { owner throws in
      let before = try HealthSubscribeRequest(["weight"]).perform(on: owner)
      #expect(try code { _ = try HealthSubscribeRequest(["sleep", "Sleep"]).perform(on: owner) } == "unknown_type")
      #expect(try HealthSubscriptionRequest().perform(on: owner) == before)
      let none = try HealthSubscribeRequest([], processesIntraday: true).perform(on: owner)
      #expect(none.isOff && !none.processesIntraday)
    }
  }

  @Test("What was kept and cannot be read is told, and can be chosen again") func unreadable() async throws {
    try await with { owner throws in
      let generation = try owner.store.currentSession().generation
      try owner.store.setHealthSubscription("{", of: generation)
      #expect(try code { _ = try HealthSubscriptionRequest().perform(on: owner) } == "stored_subscription")
      #expect(try !HealthSubscribeRequest(["sleep"]).perform(on: owner).isOff)
      #expect(try !HealthSubscriptionRequest().perform(on: owner).isOff)
    }
  }

  @Test("Without a session there is nothing to choose for") func noSession() async throws {
    try await with(session: false) { owner throws in
      let codes = [
        try code { _ = try HealthSubscriptionRequest().perform(on: owner) },
        try code { _ = try HealthSubscribeRequest(["sleep"]).perform(on: owner) },
        try code { _ = try HealthSourcesRequest().perform(on: owner) },
        try code { _ = try HealthOrderRequest([]).perform(on: owner) },
        try code { _ = try HealthSourceRequest("Scale", off: true).perform(on: owner) },
      ]
      #expect(codes == Array(repeating: "no_session", count: 5))
    }
  }

  // MARK: Sources

  private func ranks(_ sources: [HealthSourceDescription]) -> [String] {
    sources.map { "\($0.rank.map(String.init) ?? "-") \($0.key)" }
  }

  @Test("Sources are listed as they count; those of Health Connect have the export's order") func list() async throws {
    try await with { owner throws in
      let apple = try HealthSourcesRequest(in: .apple).perform(on: owner)
      #expect(ranks(apple) == ["1 Riley's Watch", "2 Riley's iPhone", "3 Scale"])
      #expect(apple.allSatisfy { $0.store.known == .apple && !$0.isChosen && !$0.isOff })
      #expect(apple.first?.name == "Riley\u{2019}s\u{A0}Watch")
      let connect = try HealthSourcesRequest(in: .healthConnect).perform(on: owner)
      #expect(ranks(connect) == ["- com.example.steps", "- Scale"])
      #expect(try HealthSourcesRequest().perform(on: owner) == apple + connect)
      #expect(try HealthSourcesRequest(in: .samsung).perform(on: owner).isEmpty)
    }
  }

  @Test("A chosen order goes before all others, and is what imports have") func order() async throws {
    try await with { owner throws in
      // As the name is written, with its own quote and blank.
      let chosen = try HealthOrderRequest(["Riley\u{2019}s\u{A0}iPhone", "Scale"], in: .apple).perform(on: owner)
      #expect(ranks(chosen) == ["1 Riley's iPhone", "2 Scale", "3 Riley's Watch"])
      #expect(chosen.map(\.isChosen) == [true, true, false])
      let generation = try owner.store.currentSession().generation
      let order = try HealthSubmission(owner.store, of: generation).orders()[.apple]
      #expect(order?.configured == [.init("Riley's iPhone"), .init("Scale")])
      // The order in which they were first seen stays.
      #expect(order?.known.map(\.key) == ["Riley's iPhone", "Riley's Watch", "Scale"])
      let other = try HealthOrderRequest(["Riley's Watch", "Riley's Watch"]).perform(on: owner)
      #expect(other.map(\.isChosen) == [true, false, false])
      let connect = try HealthOrderRequest(["com.example.steps"]).perform(on: owner)
      #expect(ranks(connect) == ["1 com.example.steps", "- Scale"])
      #expect(try HealthOrderRequest([]).perform(on: owner).allSatisfy { !$0.isChosen })
    }
  }

  @Test("A source that is off has no rank until it is on again") func off() async throws {
    try await with { owner throws in
      let off = try HealthSourceRequest("Riley's Watch", off: true).perform(on: owner)
      #expect(ranks(off) == ["1 Riley's iPhone", "2 Scale", "- Riley's Watch"])
      #expect(off.map(\.isOff) == [false, false, true])
      let generation = try owner.store.currentSession().generation
      let order = try HealthSubmission(owner.store, of: generation).orders()[.apple]
      #expect(order?.configured == [.init("Riley's Watch", isOff: true)])
      let on = try HealthSourceRequest("Riley's Watch", off: false).perform(on: owner)
      #expect(ranks(on) == ["1 Riley's Watch", "2 Riley's iPhone", "3 Scale"])
    }
  }

  @Test("A source that several stores have is asked for, and an unknown one lists those there are")
  func names() async throws {
    try await with { owner throws in
      #expect(try code { _ = try HealthSourceRequest("Scale", off: true).perform(on: owner) } == "ambiguous_source")
      #expect(try HealthSourceRequest("Scale", off: true, in: .healthConnect).perform(on: owner).last?.isOff == true)
      #expect(try HealthSourcesRequest(in: .apple).perform(on: owner).allSatisfy { !$0.isOff })
      let error = #expect(throws: GatewayError.self) {
        try HealthOrderRequest(["Scale", "Fridge"]).perform(on: owner)
      }
      #expect(error?.code == "unknown_source" && error?.message.contains("Fridge") == true)
      #expect(error?.hint?.contains("apple: Riley's iPhone, Riley's Watch, Scale; health-connect: ") == true)
      // Each is known, and no store has both.
      let both = try code { _ = try HealthOrderRequest(["Riley's Watch", "com.example.steps"]).perform(on: owner) }
      #expect(both == "unknown_source")
      let elsewhere = try code { _ = try HealthSourceRequest("Scale", off: true, in: .samsung).perform(on: owner) }
      #expect(elsewhere == "unknown_source")
    }
  }
}
