import BluetoothWire
import Foundation
import MeterBluetooth
import MeterCore
import GatewayAPI
import TestSupport
import Testing
import VirtualMeter

@testable import MeterService

/// Passive reading by a running service, chosen by other commands.
@Suite(.timeLimit(.minutes(60))) struct PassiveServiceTests {
  /// Runs a shipped meter on the service's air until a body is through.
  private func appearing(_ script: String, in sandbox: Sandbox, _ body: () async throws -> Void) async throws {
    let file = try Installation.shared().meters.appending(path: script).path
    let (meter, air) = (VirtualMeter(script: try MeterScript.load(file: file)), VirtualAir(folder: sandbox.path("air")))
    let running = Task { try await meter.run(in: air) }
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    running.cancel()
    _ = await running.result
    try result.get()
  }

  /// Waits until the service tells of an event of this name.
  private func hear(_ name: String, of client: ControlClient) async throws {
    let (patience, signals) = (Patience(), AsyncStream<String>.makeStream())
    let partner = ControlPartner<EventDescription>(patience: patience) { signals.continuation.yield($0.name) }
    let listening = Task { try await client.converse(EventsRequest(after: 0, follows: true), with: partner) }
    _ = await signals.stream.first { $0 == name }
    patience.end()
    #expect(try await listening.value)
  }

  private func start(_ store: MeterStore) throws {
    _ = try store.startSession(SessionUser(userID: "a", organizationID: "o"), token: AccessToken("secret-token-1"))
  }

  @Test func whatIsChosenOverTheSocketIsReadAndOutlastsTheService() async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox, clock: .vouched) { store, client in
        try start(store)
        let set = try #require(try await client.perform(PassiveSetRequest([4000])))
        #expect(set.isRunning && set.problem == nil && set.peripherals.map(\.peripheral) == [4000])
        try await appearing("pyle-thermometer.json", in: sandbox) { try await hear("meter_read", of: client) }
        #expect(try store.queueSnapshot().count > 0)
        let known = try #require(try await client.perform(MetersListRequest()))
        #expect(known.map(\.peripheral) == [4000])
      }
      try await ServiceFixture.with(sandbox, clock: .vouched) { _, client in
        #expect(try await client.perform(PassiveShowRequest())?.peripherals.map(\.peripheral) == [4000])
        let off = try #require(try await client.perform(PassiveSetRequest([])))
        #expect(off.peripherals.isEmpty && off.problem == nil)
      }
    }
  }

  @Test func withoutASessionTheReasonIsShown() async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox) { store, client in
        let set = try #require(try await client.perform(PassiveSetRequest([1000])))
        #expect(set.problem?.contains("session") == true)
        try start(store)
        #expect(try await client.perform(PassiveShowRequest())?.problem == nil)
      }
    }
  }

  @Test func whatCannotBeReadByItselfIsRefusedAndChangesNothing() async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox) { store, client in
        _ = try await client.perform(PassiveSetRequest([1000]))
        await #expect { try await client.perform(PassiveSetRequest([999_999])) } throws: {
          ($0 as? GatewayError)?.code == "unknown_peripheral"
        }
        #expect(try store.passivePeripherals() == [1000])
      }
    }
  }
}
