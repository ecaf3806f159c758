import Foundation
import Logging
import MeterBluetooth
import MeterCore
import MeterDrivers
import GatewayAPI
import GatewayEngine
import MeterService
import TestSupport

/// A running service on a folder of its own.
enum ServiceFixture {
  static func gateway(_ sandbox: Sandbox, state: String = "state") throws -> Gateway {
    let installation = try Installation.shared()
    var settings = GatewayLocations.Settings()
    settings.registry = installation.registry.path
    settings.fragments = installation.fragments.path
    settings.worker = installation.worker.path
    settings.state = sandbox.path(state)
    return try Gateway(locations: GatewayLocations(settings: settings), isolation: .inProcess)
  }

  /// Runs a service while a body runs; the body gets its store and a client of its socket.
  static func with<Value: Sendable>(
    _ sandbox: Sandbox, state: String = "state", clock: HostClockTrust = .kernel,
    patience: Duration = .seconds(600), connections: Int? = nil, metrics: MetricsSetting = MetricsSetting(),
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    prepare: (MeterStore) throws -> Void = { _ in },
    _ body: (MeterStore, ControlClient) async throws -> Value
  ) async throws -> Value {
    let gateway = try gateway(sandbox, state: state)
    let folder = URL(filePath: sandbox.path(state))
    // A service before this one: its server lets go of the store when its last connection is taken down.
    try await onOwnThread { waitUntilFree(stateFolder: folder) }
    let store = try gateway.openStore()
    try prepare(store)
    var configured = GatewayService(
      gateway: gateway, store: store, radio: RadioChoice(air: sandbox.path("air")), clock: clock, patience: patience,
      logger: logger)
    if let connections { configured.connections = connections }
    configured.metrics = metrics
    let service = configured
    return try await withThrowingTaskGroup(of: Void.self) { group in
      let (ready, continuation) = AsyncStream<Void>.makeStream()
      group.addTask {
        defer { continuation.finish() }
        try await service.run { continuation.yield() }
      }
      guard await ready.first(where: { _ in true }) != nil else {
        try await group.waitForAll()
        throw CancellationError()
      }
      let value = try await body(store, try ControlClient(stateFolder: store.folder))
      group.cancelAll()
      return value
    }
  }

  static let weight = """
    {"type": "weight", "time": "2026-03-01T08:00:00Z", "log_id": "0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b10",
     "values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}
    """

  /// Records with names of their own.
  static func weights(_ count: Int) -> String {
    (0..<count).map { index in
      """
      {"type": "weight", "time": "2026-03-02T08:\(index / 10 % 6)\(index % 10):00Z",
       "values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}
      """.replacing("\n", with: "")
    }.joined(separator: "\n")
  }

  static func submission(_ text: String = weight) -> SubmitRequest {
    SubmitRequest([SubmitRequest.Document(name: "test", text: text)], zone: .gmt)
  }
}
