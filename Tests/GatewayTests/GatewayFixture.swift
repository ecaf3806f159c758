import BluetoothWire
import Foundation
import Logging
import MeterBluetooth
import MeterCore
import MeterDrivers
import GatewayEngine
import InformSink
import MeterReceiver
import ReceiverSupport
import TestSupport
import VirtualMeter

/// Gateways over the test's installation.
enum GatewayFixture {
  static let organization = "clinic"
  static let uid = "patient-1"
  static let token = "patient-token-0123456789abcdef"

  static func locations(
    state: String = "/nonexistent/state", of installation: Installation? = nil
  ) throws -> GatewayLocations {
    let installation = try installation ?? Installation.shared()
    var settings = GatewayLocations.Settings()
    settings.registry = installation.registry.path
    settings.fragments = installation.fragments.path
    settings.worker = installation.worker.path
    settings.state = state
    return GatewayLocations(settings: settings)
  }

  static func gateway(
    _ isolation: DriverHostConfiguration.Isolation = .worker, state: String = "/nonexistent/state"
  ) throws -> Gateway {
    try Gateway(locations: locations(state: state), isolation: isolation)
  }

  static func account(port: Int, token: String = token, uid: String = uid) -> GatewayAccount {
    GatewayAccount(
      user: SessionUser(userID: uid, organizationID: organization), token: AccessToken(token),
      receiver: "http://127.0.0.1:\(port)")
  }

  /// How the session's own receiver is reached.
  static func receiver(of store: MeterStore) throws -> ReceiverSetting? {
    try GatewaySink.own(in: store)?.setting as? ReceiverSetting
  }

  /// Reads a shipped virtual meter into a store.
  static func read(
    _ script: String, as peripheral: UInt32, into store: MeterStore, sandbox: Sandbox
  ) async throws -> ReadSummary? {
    let air = VirtualAir(folder: sandbox.path("air"))
    let file = try Installation.shared().meters.appending(path: script).path
    let meter = VirtualMeter(script: try MeterScript.load(file: file))
    let running = Task { try await meter.run(in: air) }
    var options = ReadOptions()
    options.takesHistory = true
    options.clockTrust = .vouched
    let controller = try gateway(.inProcess).controller(store: store, radio: VirtualRadio(air: air))
    var result: ReadSummary?
    for await event in try controller.read(peripheral: peripheral, options: options) {
      if case .completed(let summary) = event { result = summary }
    }
    running.cancel()
    _ = await running.result
    return result
  }

  /// Runs a receiver with one user while a body runs.
  static func withReceiver<Value: Sendable>(
    _ sandbox: Sandbox, port: Int = 0, faults: ReceiverFaults = ReceiverFaults(),
    _ body: (Receiver, Int) async throws -> Value
  ) async throws -> Value {
    var configuration = ReceiverConfiguration(database: sandbox.path("receiver.sqlite"))
    configuration.port = port
    configuration.accounts = [.init(organization: organization, uid: uid, token: token)]
    let receiver = try Receiver(
      configuration: configuration, faults: faults, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return try await receiver.running { port in try await body(receiver, port) }
  }
}
