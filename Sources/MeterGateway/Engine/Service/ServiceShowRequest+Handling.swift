import Foundation

extension ServiceShowRequest: HandledRequest {
  /// Performs it.
  public func perform(on owner: GatewayOwner) -> Answer {
    Answer(pid: ProcessInfo.processInfo.processIdentifier, version: GatewayVersion.host)
  }
}
