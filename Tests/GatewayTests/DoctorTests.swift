import GatewayAPI
import Foundation
import MeterCore
import MeterDrivers
import GatewayEngine
import GatewayTools
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct DoctorTests {
  private func examine(_ locations: GatewayLocations) async -> [String: DoctorFinding] {
    let findings = await Doctor(locations: locations).examine()
    return Dictionary(findings.map { ($0.check, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private static let drivers = ["driver org.meterhost.glucose", "driver org.meterhost.thermometer"]

  @Test func aGoodInstallationPasses() async throws {
    try await Sandbox.with { sandbox in
      let findings = await examine(try GatewayFixture.locations(state: sandbox.path("state")))
      for check in ["registry", "state"] + Self.drivers {
        #expect(findings[check]?.status == .passed, "\(check): \(findings[check]?.message ?? "absent")")
      }
      #expect(!findings.values.contains { $0.status == .failed })
      // Looking changes nothing.
      #expect(!FileManager.default.fileExists(atPath: sandbox.path("state")))
    }
  }

  @Test(arguments: ["", "1\n", "999999999\n", "not a number\n", String(repeating: "1", count: 100)])
  func aMachineWithoutGroupsOfWorkersIsToldWhatWouldMakeThem(lock: String) async throws {
    try await Sandbox.with { sandbox in
      let locations = try GatewayFixture.locations(state: sandbox.path("state"))
      try FileManager.default.createDirectory(atPath: locations.state, withIntermediateDirectories: true)
      try Data(lock.utf8).write(to: URL(filePath: "\(locations.state)/lock"))
      let finding = await examine(locations)["worker groups"]
      #expect(finding?.status == .passed && finding?.message.contains("`Delegate=memory pids`") == true)
    }
  }

  @Test func whoMayNotLookAtTheLockIsNotToldThatNoHostRuns() async throws {
    try await Sandbox.with { sandbox in
      let locations = try GatewayFixture.locations(state: sandbox.path("state"))
      try FileManager.default.createDirectory(
        atPath: "\(locations.state)/lock", withIntermediateDirectories: true)
      let finding = await examine(locations)["worker groups"]
      #expect(
        finding?.status == .passed && finding?.message.contains("is told to the user of its state folder") == true)
    }
  }

  @Test func aMissingRegistryFailsWithItsPathAndACure() async throws {
    var locations = try GatewayFixture.locations()
    locations.registry = "/nonexistent/registry.json"
    let finding = await examine(locations)["registry"]
    #expect(finding?.status == .failed)
    #expect(finding?.message.contains("/nonexistent/registry.json") == true)
    #expect(finding?.cure?.contains("METERHOST_REGISTRY") == true)
  }

  @Test func aChangedBundleFailsAndTheOtherPasses() async throws {
    let installation = try Installation()
    defer { installation.remove() }
    var bytes = try Data(contentsOf: installation.library("glucose"))
    bytes.append(0)
    try bytes.write(to: installation.library("glucose"))
    let findings = await examine(try GatewayFixture.locations(of: installation))
    #expect(findings[Self.drivers[0]]?.status == .failed)
    #expect(findings[Self.drivers[0]]?.message.contains("SHA-256") == true)
    #expect(findings[Self.drivers[0]]?.message.contains("libmh-glucose.so") == true)
    #expect(findings[Self.drivers[1]]?.status == .passed)
  }

  @Test func aMissingBundleFails() async throws {
    let installation = try Installation()
    defer { installation.remove() }
    try FileManager.default.removeItem(at: installation.library("thermometer"))
    let findings = await examine(try GatewayFixture.locations(of: installation))
    #expect(findings[Self.drivers[1]]?.status == .failed)
    #expect(findings[Self.drivers[1]]?.message.contains("libmh-thermometer.so") == true)
  }

  @Test func aDriverThatTheTrustListRefusesFailsWithTheRightCure() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try WhyFixture(in: sandbox)
      try fixture.write("50-frozen.json", try fixture.text())
      try TrustList(requiresSignatures: true).write(to: sandbox.path("trust.json"))
      let finding = await examine(try fixture.locations())["driver \(WhyFixture.driver)"]
      #expect(finding?.status == .failed)
      #expect(finding?.message.contains("no signature") == true && finding?.message.contains("[rule R20]") == true)
      #expect(finding?.cure?.contains("driver trust policy --signatures optional") == true)
    }
  }

  @Test func aMissingWorkerFailsWithTheRightCure() async throws {
    var locations = try GatewayFixture.locations()
    locations.worker = "/nonexistent/worker"
    let findings = await examine(locations)
    for check in Self.drivers {
      #expect(findings[check]?.status == .failed)
      #expect(findings[check]?.message.contains("/nonexistent/worker") == true)
      #expect(findings[check]?.cure?.contains("--worker") == true)
    }
  }

  @Test func aBusyStateFolderIsAWarningThatNamesTheOwner() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let finding = await examine(try GatewayFixture.locations(state: sandbox.path("state")))["state"]
      #expect(finding?.status == .warning)
      #expect(finding?.message.contains("process \(getpid())") == true)
      #expect(try store.currentSession().user == nil)
    }
  }

  @Test func aDamagedStateFolderFails() async throws {
    try await Sandbox.with { sandbox in
      _ = try sandbox.file("state", "no folder")
      let finding = await examine(try GatewayFixture.locations(state: sandbox.path("state")))["state"]
      #expect(finding?.status == .failed)
    }
  }

  @Test func missingCommitsAreToldUntilARepairNotesThem() async throws {
    try await Sandbox.with { sandbox in
      let state = URL(filePath: sandbox.path("state"))
      let user = SessionUser(userID: "ada", organizationID: "clinic")
      do { _ = try MeterStore(folder: state).startSession(user, token: AccessToken("sesame-opens-0815")) }
      // Without its file nothing tells whether commits are missing.
      waitUntilFree(stateFolder: state)
      try FileManager.default.removeItem(at: state.appending(path: "commits"))
      let locations = try GatewayFixture.locations(state: state.path)
      for _ in 1...2 {
        let finding = await examine(locations)["state"]
        #expect(finding?.status == .failed && finding?.message.contains("commits") == true)
        #expect(finding?.cure?.contains("doctor --repair") == true)
      }
      let repair = Doctor(locations: locations).repair()
      #expect(repair.status == .warning && repair.cure?.contains("read the meters again") == true)
      #expect(Doctor(locations: locations).repair().status == .passed)
      #expect(await examine(locations)["state"]?.status == .warning, "a session without a receiver is all that is left")
    }
  }

  @Test func aJournalOfAnotherDatabaseIsLeftOutAndKept() async throws {
    try await Sandbox.with { sandbox in
      let (state, other) = (URL(filePath: sandbox.path("state")), URL(filePath: sandbox.path("other")))
      let user = SessionUser(userID: "ada", organizationID: "clinic")
      do { _ = try MeterStore(folder: state).startSession(user, token: AccessToken("sesame-opens-0815")) }
      waitUntilFree(stateFolder: state)
      let journal: Data
      do {
        let store = try MeterStore(folder: other)
        _ = try store.startSession(
          SessionUser(userID: "bob", organizationID: "clinic"), token: AccessToken("sesame-opens-0816"))
        journal = try Data(contentsOf: other.appending(path: "state.sqlite-wal"))
      }
      try journal.write(to: state.appending(path: "state.sqlite-wal"))
      let locations = try GatewayFixture.locations(state: state.path)
      for _ in 1...2 {
        let finding = await examine(locations)["state"]
        #expect(finding?.status == .failed && finding?.message.contains("another database's") == true)
        #expect(finding?.message.contains("doctor --repair") == true)
      }
      let repair = Doctor(locations: locations).repair()
      #expect(repair.status == .warning && repair.message.contains("was another database's"), "\(repair)")
      #expect(repair.cure?.contains("damaged-1") == true)
      #expect(try Data(contentsOf: state.appending(path: "damaged-1/state.sqlite-wal")) == journal)
      #expect(try MeterStore(folder: state).currentSession().user == user)
    }
  }

  @Test func copiesOfDamagedDatabasesAreTold() async throws {
    try await Sandbox.with { sandbox in
      let locations = try GatewayFixture.locations(state: sandbox.path("state"))
      do { _ = try MeterStore(folder: URL(filePath: locations.state)) }
      #expect(await examine(locations)["damaged copies"] == nil)
      for number in [2, 11] {
        let copy = URL(filePath: sandbox.path("state/damaged-\(number)"))
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
        try Data(repeating: 1, count: 3 << 19).write(to: copy.appending(path: "state.sqlite"))
      }
      let finding = await examine(locations)["damaged copies"]
      #expect(finding?.status == .warning && finding?.cure?.contains("move them elsewhere") == true)
      #expect(
        finding?.message.hasSuffix(
          "2 of at most 8 copies of damaged databases, 3 of at most 2048 MiB: damaged-2, damaged-11") == true)
    }
  }

  @Test func verifyTellsWhatItWasGiven() async throws {
    let gateway = try GatewayFixture.gateway()
    #expect(gateway.verify("org.meterhost.glucose").passed)
    #expect(gateway.verify(try Installation.shared().library("glucose").path).passed)
    #expect(gateway.verify("org.meterhost.nothing").code == "unknown_target")
    #expect(gateway.verify("/nonexistent.so").code == "unreadable")
    #expect(gateway.verify(CompiledBundle.root.appending(path: "README.md").path).passed == false)
    let noNote = try CompiledBundle.make(defines: ["NO_NOTE"])
    #expect(gateway.verify(noNote.path).code == "missing_note")
    // Loading takes it: what it asks libc for is judged as the suite judges it.
    let asking = try CompiledBundle.make(["scale.c"], in: "Nonconforming", defines: ["R8_CLOCK"])
    #expect(gateway.verify(asking.path).code == "forbidden_import")
    #expect(gateway.verify(asking.path).message?.contains("[rule R8]") == true)
    #expect(
      try BundleVerifier.verify(path: asking.path, expectedHash: nil, rules: BundleRules(allowsMissingHash: true)).path
        == asking.path)
    // e_machine stands at offset 18: 183 is AArch64, 62 is x86-64.
    let foreign = try CompiledBundle.patched(Installation.shared().library("glucose")) {
      $0[18] = $0[18] == 62 ? 183 : 62
    }
    #expect(gateway.verify(foreign.path).code == "wrong_architecture")
  }
}
