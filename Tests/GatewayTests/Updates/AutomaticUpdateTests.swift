import Dispatch
import DriverContract
import Foundation
import GatewayAPI
import MeterBluetooth
import MeterCore
import MeterDrivers
import TestSupport
import Testing

@testable import GatewayEngine
@testable import GatewayTools

@Suite("Updates that the host installs by itself", .timeLimit(.minutes(60))) struct AutomaticUpdateTests {
  private func withGateway(
    failing: Bool = false, _ wishes: (inout GatewayIndex.Wishes) -> Void = { _ in },
    _ body: (UpdateFixture, GatewayOwner, AutomaticUpdates) async throws -> Void
  ) async throws {
    try await Sandbox.with { sandbox in
      let fixture = try UpdateFixture(in: sandbox)
      try await fixture.install()
      _ = try await fixture.pack("1.1.0", failing ? .failingSelfTest : .none)
      try fixture.index(wishes)
      let owner = try fixture.owner()
      try owner.updates.add(fixture.folder, takesBeta: false)
      try await body(fixture, owner, AutomaticUpdates(owner: owner))
    }
  }

  private func retreats(_ owner: GatewayOwner) throws -> [HostEvent.DriverRetreat] {
    try owner.store.events(after: 0).events.compactMap {
      if case .driverRolledBack(let retreat) = $0.event { retreat } else { nil }
    }
  }

  @Test("a good version comes into use, is told of and watched") func good() async throws {
    try await withGateway { fixture, owner, updates in
      #expect(try await updates.update(now: fixture.now) == .done)
      #expect(try fixture.version() == "1.1.0")
      #expect(try owner.updates.state().trials["org.example.scale"]?.phase == .watched)
      let told = try owner.store.events(after: 0).events.map(\.event)
      let update = HostEvent.DriverUpdate(
        package: "org.example.scale", version: "1.1.0", before: "1.0.0", isAutomatic: true)
      #expect(told == [.driverUpdated(update)])
      #expect(try await updates.update(now: fixture.now) == .done)
      #expect(try owner.store.events(after: 0).events.count == 1)
    }
  }

  @Test("one whose self-test fails goes, is told of, and does not come again") func failing() async throws {
    try await withGateway(failing: true) { fixture, owner, updates in
      for _ in 1...2 {
        #expect(try await updates.update(now: fixture.now) == .done)
        #expect(try fixture.version() == "1.0.0")
        #expect(try owner.updates.state().trials.isEmpty)
        let told = try #require(try retreats(owner).first)
        #expect(try retreats(owner).count == 1 && told.before == "1.1.0" && told.version == "1.0.0")
        #expect(told.reason.contains("self-test"))
      }
      let listed = try Gateway(locations: fixture.locations).installedDriver("org.example.scale")
      #expect(listed.note?.contains("back from 1.1.0") == true && listed.isEnabled)
      let found = try await owner.updates.check(fixture.locations.registrySources, now: fixture.now)
      #expect(found.offers.first?.standing == "gone_back")
    }
  }

  @Test("there is no way back below a floor: then the driver is disabled, with the reason") func floor() async throws {
    try await withGateway(failing: true) { fixture, owner, updates in
      _ = try GatewayTrust(locations: fixture.locations).setFloor(SemanticVersion(1, 1, 0), drivers: "org.example.")
      #expect(try await updates.update(now: fixture.now) == .done)
      #expect(try fixture.version() == nil)
      let told = try #require(try retreats(owner).first)
      #expect(told.version == nil && told.reason.contains("no way back"))
      let listed = try Gateway(locations: fixture.locations).installedDriver("org.example.scale")
      #expect(listed.note?.hasPrefix("disabled") == true && !listed.isEnabled)
    }
  }

  @Test("what is revoked is disabled, and is neither enabled, gone back to nor installed") func revoked() async throws {
    let revoke: (inout GatewayIndex.Wishes) -> Void = { wishes in
      wishes.revoked["org.example.scale@1.0.0"] = "It loses readings."
      wishes.revoked["org.example.scale@1.1.0"] = "So does this."
    }
    try await withGateway(revoke) { fixture, owner, updates in
      _ = try await updates.update(now: fixture.now)
      #expect(try fixture.version() == nil)
      #expect(try retreats(owner).first?.reason.contains("It loses readings.") == true)
      let enabling = await #expect(throws: PackageError.self) {
        _ = try await fixture.packages.setEnabled(true, "org.example.scale")
      }
      #expect(enabling?.code == .versionRevoked)
      let installing = await #expect(throws: PackageError.self) {
        _ = try await fixture.packages.install(
          "\(fixture.folder)/org.example.scale-1.1.0.mhdriver", options: .init())
      }
      #expect(installing?.code == .versionRevoked)
    }
  }

  private static let revocation: @Sendable (inout GatewayIndex.Wishes) -> Void = {
    $0.revoked["org.example.scale@1.0.0"] = "It loses readings."
  }

  @Test("what is revoked is out of use before its successor is fetched, which then comes into use") func successor()
    async throws
  {
    try await withGateway(Self.revocation) { fixture, owner, updates in
      let file = "\(fixture.folder)/org.example.scale-1.1.0.mhdriver"
      try FileManager.default.moveItem(atPath: file, toPath: "\(file).away")
      #expect(try await updates.update(now: fixture.now) == .done)
      #expect(try fixture.version() == nil)
      #expect(try owner.updates.state().withdrawn == ["org.example.scale": "1.0.0"])
      try FileManager.default.moveItem(atPath: "\(file).away", toPath: file)
      #expect(try await updates.update(now: fixture.now) == .done)
      #expect(try fixture.version() == "1.1.0")
      let told = try owner.store.events(after: 0).events.map(\.event)
      let reason = "it was revoked by its publisher: It loses readings."
      #expect(
        told == [
          .driverRolledBack(.init(package: "org.example.scale", before: "1.0.0", version: nil, reason: reason)),
          .driverUpdated(.init(package: "org.example.scale", version: "1.1.0", before: "1.0.0", isAutomatic: true)),
        ])
      _ = try await updates.update(now: fixture.now)
      #expect(try owner.updates.state().withdrawn == nil)
    }
  }

  @Test("what a person has disabled stays so when it is revoked") func disabledByAPerson() async throws {
    try await withGateway(Self.revocation) { fixture, owner, updates in
      _ = try await fixture.packages.setEnabled(false, "org.example.scale")
      #expect(try await updates.update(now: fixture.now) == .done)
      #expect(try fixture.version() == nil && retreats(owner).isEmpty)
      #expect(try owner.updates.state().withdrawn == nil)
    }
  }

  @Test("faults of strangers' meters do not bring the version before back") func strangers() async throws {
    try await withGateway { fixture, owner, updates in
      _ = try await updates.update(now: fixture.now)
      let entry = try #require(owner.gateway.registry.driver(id: "org.example.scale"))
      let bundle = try owner.gateway.bundles.bundle(for: entry)
      let quarantine = Quarantine(store: owner.store)
      for number in 1...5 {
        let meter = OffendedMeter(key: "\(number)", name: "stranger \(number)", isKnown: true)
        let fault = DriverFault(.crashed, driver: entry.id, message: "the worker died")
        _ = try quarantine.note(fault, bundle: bundle.hash, meter: meter)
      }
      #expect(try quarantine.verdict(on: bundle) != .free)
      #expect(try await updates.judge(now: MeterStore.wallClockMicroseconds) == .done)
      #expect(try fixture.version() == "1.1.0" && retreats(owner).isEmpty)
      let trial = try #require(try owner.updates.state().trials[entry.id])
      #expect(trial.judgedMicroseconds > 0)
    }
  }

  @Test("a host that was killed after it had installed tries the version out at its next start") func killed()
    async throws
  {
    try await withGateway(failing: true) { fixture, owner, updates in
      _ = try await fixture.packages.install("\(fixture.folder)/org.example.scale-1.1.0.mhdriver", options: .init())
      let trial = UpdateTrial(
        package: "org.example.scale", version: "1.1.0", before: "1.0.0", sinceMicroseconds: fixture.now)
      try owner.updates.change { $0.trials[trial.package] = trial }
      #expect(try await updates.judge(now: fixture.now) == .done)
      #expect(try fixture.version() == "1.0.0" && retreats(owner).count == 1)
    }
  }

  @Test("one that was killed before it had installed begins anew") func killedBefore() async throws {
    try await withGateway { fixture, owner, updates in
      let trial = UpdateTrial(
        package: "org.example.scale", version: "1.1.0", before: "1.0.0", sinceMicroseconds: fixture.now)
      try owner.updates.change { $0.trials[trial.package] = trial }
      #expect(try await updates.judge(now: fixture.now) == .done)
      #expect(try fixture.version() == "1.0.0" && owner.updates.state().trials.isEmpty)
      _ = try await updates.update(now: fixture.now)
      #expect(try fixture.version() == "1.1.0")
    }
  }

  /// What a person does while a package is being fetched, and the version that is in use then.
  enum Meanwhile: CaseIterable, Sendable {
    /// Takes the package away: it is not brought back.
    case removes
    /// Goes back to the version before the one for which the update was offered.
    case goesBack

    var version: String? { self == .removes ? nil : "0.9.0" }
  }

  @Test("what a person does while it fetches stays, and is no trial of the host's", arguments: Meanwhile.allCases)
  func meanwhile(_ change: Meanwhile) async throws {
    try await Sandbox.with { sandbox in
      let fixture = try UpdateFixture(in: sandbox)
      let oldest = try await fixture.pack("0.9.0")
      _ = try await fixture.packages.install(oldest, options: .init())
      try FileManager.default.removeItem(atPath: oldest)
      try await fixture.install()
      _ = try await fixture.pack("1.1.0")
      try fixture.index()
      let server = try FolderServer(fixture.folder)
      let owner = try fixture.owner()
      try owner.updates.add(server.base, takesBeta: false)
      let packages = fixture.packages
      server.set(
        .meanwhile {
          let done = DispatchSemaphore(value: 0)
          Task.detached {
            switch change {
            case .removes: _ = try? packages.remove(ScaleFolder.id)
            case .goesBack: _ = try? await packages.rollBack(ScaleFolder.id)
            }
            done.signal()
          }
          done.wait()
        }, "org.example.scale-1.1.0.mhdriver")
      #expect(try await AutomaticUpdates(owner: owner).update(now: fixture.now) == .done)
      #expect(server.paths.contains("org.example.scale-1.1.0.mhdriver"))
      #expect(try fixture.version() == change.version)
      #expect(try owner.updates.state().trials.isEmpty)
      #expect(try owner.store.events(after: 0).events.isEmpty)
    }
  }

  @Test("a person goes back from the version that they have seen, and from no other") func seen() async throws {
    try await withGateway { fixture, _, _ in
      let file = "\(fixture.folder)/org.example.scale-1.1.0.mhdriver"
      _ = try await fixture.packages.install(file, options: .init())
      let other = await #expect(throws: PackageError.self) {
        _ = try await fixture.packages.rollBack(ScaleFolder.id, from: SemanticVersion(1, 0, 0))
      }
      #expect(try other?.code == .changedMeanwhile && fixture.version() == "1.1.0")
      // Twice, as a form that is sent twice: the second does not lead forward again.
      let seen = SemanticVersion(1, 1, 0)
      #expect(try await fixture.packages.rollBack(ScaleFolder.id, from: seen).version == "1.0.0")
      let again = await #expect(throws: PackageError.self) {
        _ = try await fixture.packages.rollBack(ScaleFolder.id, from: seen)
      }
      #expect(try again?.code == .changedMeanwhile && fixture.version() == "1.0.0")
    }
  }

  @Test("a version that is for no gateway yet waits, and a person who names it has it") func staged() async throws {
    try await withGateway({ $0.percentages = ["org.example.scale@1.1.0": 0] }) { fixture, owner, updates in
      #expect(try await updates.update(now: fixture.now) == .done)
      #expect(try fixture.version() == "1.0.0")
      let found = try await owner.updates.check(fixture.locations.registrySources, now: fixture.now)
      #expect(try GatewayUpdates.chosen([], of: found).isEmpty)
      let chosen = try GatewayUpdates.chosen(["org.example.scale"], of: found)
      #expect(try await GatewayUpdates(locations: fixture.locations).install(#require(chosen.first)).version == "1.1.0")
    }
  }
}
