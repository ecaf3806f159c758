import Foundation
public import MeterCore

/// Reads a recovery file back.
public struct RecoverRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "session.recover"
  /// The file by its whole path.
  public var file: String
  /// Deliver at once.
  public var delivers: Bool

  /// Reads a file back.
  public init(_ file: String, delivers: Bool = true) {
    self.file = file
    self.delivers = delivers
  }

  /// Performs it.
  ///
  /// - Throws: `StoreError` with code `other_user`, `recovery_file` or `queue_full`.
  public func perform(on owner: GatewayOwner) async throws -> RecoveryDescription {
    let summary = try owner.store.recover(URL(fileURLWithPath: file))
    if delivers { _ = try await owner.delivery()?.drain() }
    return RecoveryDescription(summary)
  }
}
