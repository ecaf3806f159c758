import BluetoothWire
import Foundation
import GatewayEngine
import MeterBluetooth
import MeterCore
import MeterDrivers
import TestSupport
import Testing
import VirtualMeter

@testable import GatewayTools

@Suite("A version is tried out with recordings of own meters", .timeLimit(.minutes(60))) struct UpdateTryoutTests {
  enum Meter: Sendable {
    /// It came by: a session has assigned it, and that is all.
    case stranger
    /// A person has set something for it.
    case own
    /// A person keeps the recording.
    case kept
  }

  private func read(_ fixture: UpdateFixture, _ owner: GatewayOwner) async throws -> ReadSummary? {
    let air = VirtualAir(folder: fixture.sandbox.path("air"))
    let file = CompiledBundle.root.appending(path: "docs/examples/scale/meter.json").path
    let meter = VirtualMeter(script: try MeterScript.load(file: file))
    let running = Task { try await meter.run(in: air) }
    var options = ReadOptions()
    options.clockTrust = .vouched
    options.records = true
    let controller = owner.gateway.controller(store: owner.store, radio: VirtualRadio(air: air))
    var summary: ReadSummary?
    for await event in try controller.read(peripheral: UInt32(ScaleFolder.peripheral), options: options) {
      if case .completed(let found) = event { summary = found }
    }
    running.cancel()
    _ = await running.result
    return summary
  }

  @Test(
    "the same records keep it, and others do not where the meter is one's own",
    arguments: [
      (.none, .own, true), (.otherWeight, .own, false), (.otherWeight, .kept, false), (.otherWeight, .stranger, true),
    ] as [(UpdateFixture.Trait, Meter, Bool)])
  func recordings(trait: UpdateFixture.Trait, meter: Meter, stays: Bool) async throws {
    try await Sandbox.with { sandbox in
      let fixture = try UpdateFixture(in: sandbox)
      try await fixture.install()
      let owner = try fixture.owner()
      _ = try owner.store.startSession(
        SessionUser(userID: "u", organizationID: "o"), token: AccessToken("token-0123456789"))
      let summary = try #require(try await read(fixture, owner))
      let recording = try #require(summary.recordings.first)
      let known = try #require(try owner.store.meters().first)
      switch meter {
      case .stranger: break
      case .own: _ = try owner.store.changeMeterSettings(of: known.uuid) { $0.holdOffSeconds = 3 }
      case .kept: try RecordingDesk(locations: fixture.locations).keep(recording)
      }
      _ = try await fixture.packages.install(try await fixture.pack("1.1.0", trait), options: .init())
      let proof = try await UpdateTryout(gateway: owner.gateway, store: owner.store).prove(ScaleFolder.id)
      switch proof.verdict {
      case .stays(let count): #expect(stays && count == (meter == .stranger ? 0 : 1))
      case .goes(let reason): #expect(!stays && reason.contains(recording), "\(reason)")
      }
    }
  }
}
