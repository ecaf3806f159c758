package import GatewayAPI
import Foundation

extension ServiceShowRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) -> Answer {
    Answer(pid: ProcessInfo.processInfo.processIdentifier, version: GatewayVersion.host)
  }
}
