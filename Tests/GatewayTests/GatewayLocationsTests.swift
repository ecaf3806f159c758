import Foundation
import MeterCore
import GatewayEngine
import TestSupport
import Testing

@Suite struct GatewayLocationsTests {
  private let environment = [
    "METERHOST_REGISTRY": "/env/registry.json", "METERHOST_REGISTRY_FRAGMENTS": "/env/fragments",
    "METERHOST_STATE": "/env/state", "METERHOST_WORKER": "/env/worker", "XDG_STATE_HOME": "/xdg", "HOME": "/home/u",
  ]

  private func locations(
    _ environment: [String: String], executable: String = "/nowhere/bin/meterhost", isRoot: Bool = false,
    _ change: (inout GatewayLocations.Settings) -> Void = { _ in }
  ) -> GatewayLocations {
    var settings = GatewayLocations.Settings()
    change(&settings)
    return GatewayLocations(settings: settings, environment: environment, executable: executable, isRoot: isRoot)
  }

  @Test func settingsWinOverTheEnvironment() {
    let found = locations(environment) {
      $0.registry = "/set/registry.json"
      $0.fragments = "/set/fragments"
      $0.state = "/set/state"
      $0.worker = "/set/worker"
    }
    #expect(found.registry == "/set/registry.json")
    #expect(found.fragments == "/set/fragments")
    #expect(found.state == "/set/state")
    #expect(found.worker == "/set/worker")
  }

  @Test func theEnvironmentWinsOverTheInstallation() throws {
    let program = try Installation.shared().program.path
    for isRoot in [false, true] {
      let found = locations(environment, executable: program, isRoot: isRoot)
      #expect(found.registry == "/env/registry.json")
      #expect(found.fragments == "/env/fragments")
      #expect(found.state == "/env/state")
      #expect(found.worker == "/env/worker")
    }
  }

  @Test func theInstallationWinsOverFixedPlaces() throws {
    let installation = try Installation.shared()
    let found = locations([:], executable: installation.program.path)
    #expect(found.registry == installation.registry.path)
    #expect(found.worker == installation.worker.path)
    let bare = locations([:])
    #expect(bare.registry == "/usr/lib/meterhost/registry.json")
    #expect(bare.fragments == "/etc/meterhost/registry.d")
    #expect(bare.worker == nil)
  }

  @Test func stateBelongsToTheMachineForRootAndToTheUserElse() {
    #expect(locations(["HOME": "/home/u"], isRoot: true).state == "/var/lib/meterhost")
    #expect(locations(["HOME": "/home/u", "XDG_STATE_HOME": "/xdg"]).state == "/xdg/meterhost")
    #expect(locations(["HOME": "/home/u"]).state == "/home/u/.local/state/meterhost")
    // The service's user.
    #expect(locations(["HOME": "/var/lib/meterhost"]).state == "/var/lib/meterhost")
    #expect(locations(["HOME": "/var/lib/meterhost", "XDG_STATE_HOME": "/xdg"]).state == "/xdg/meterhost")
    #expect(locations([:]).state == "/var/tmp/.local/state/meterhost")
  }

  @Test func emptyVariablesCountAsAbsent() {
    let empty = environment.mapValues { _ in "" }
    #expect(locations(empty) == locations([:]))
  }

  @Test func aNewUsersParentFoldersAreMade() async throws {
    try await Sandbox.with { sandbox in
      let state = sandbox.path("home/.local/state/meterhost")
      let store = try GatewayFixture.gateway(state: state).openStore()
      #expect(try store.currentSession().user == nil)
      let mode = try FileManager.default.attributesOfItem(atPath: sandbox.path("home"))[.posixPermissions] as? Int
      #expect(mode == 0o700)
    }
  }
}
