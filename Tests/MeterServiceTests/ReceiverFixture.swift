import Logging
import MeterCore
import GatewayAPI
import MeterReceiver
import ReceiverSupport
import TestSupport

/// A receiver with one user, beside a service.
enum ReceiverFixture {
  static let user = SessionUser(userID: "patient-1", organizationID: "clinic")
  static let token = "patient-token-0123456789abcdef"

  static func start(port: Int, requestsPerSecond: Double? = nil) -> SessionStartRequest {
    var setting: [String: SettingValue] = ["receiver": .text("http://127.0.0.1:\(port)")]
    setting["requests_per_second"] = requestsPerSecond.map { .number($0) }
    return SessionStartRequest(
      user: user.userID, organization: user.organizationID, token: token, setting: setting)
  }

  /// Runs it while a body runs; the body gets its port.
  static func with<Value: Sendable>(
    _ sandbox: Sandbox, port: Int = 0, _ body: (Int) async throws -> Value
  ) async throws -> Value {
    var configuration = ReceiverConfiguration(database: sandbox.path("receiver.sqlite"))
    configuration.port = port
    configuration.accounts = [.init(organization: user.organizationID, uid: user.userID, token: token)]
    let receiver = try Receiver(
      configuration: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return try await receiver.running(body)
  }
}
