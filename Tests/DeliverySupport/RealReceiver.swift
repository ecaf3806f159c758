import Foundation
import Logging
package import MeterReceiver
import ReceiverSupport
import TestSupport

/// The real receiver on a real socket, with users of the organisation `clinic`.
package enum RealReceiver {
  package static let organization = "clinic"

  /// Runs a receiver while a body runs.
  ///
  /// - Parameter users: Names; each one's token is ``token(of:)``.
  package static func with<Value: Sendable>(
    users: [String], faults: ReceiverFaults = ReceiverFaults(), _ body: (Receiver, Int) async throws -> Value
  ) async throws -> Value {
    let folder = try TemporaryFolder()
    var configuration = ReceiverConfiguration(database: folder.url.appending(path: "receiver.sqlite").path)
    configuration.accounts = users.map { .init(organization: organization, uid: $0, token: token(of: $0)) }
    let receiver = try Receiver(
      configuration: configuration, faults: faults, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return try await receiver.running { port in try await body(receiver, port) }
  }

  package static func token(of user: String) -> String { "token-of-\(user)-0123456789abcdef" }
}
