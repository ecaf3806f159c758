package import GatewayAPI
import Foundation

extension ServiceShowRequest: HandledRequest {
  /// Performs it.
  package func perform(on owner: GatewayOwner) -> Answer {
    Answer(pid: ProcessInfo.processInfo.processIdentifier, version: GatewayVersion.host)
  }
}
