package import GatewayAPI
import MeterCore

extension ConsoleLinkRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `console_off`.
  package func perform(on owner: GatewayOwner) async throws -> Answer { try await owner.console.link() }
}

extension ConsolePasswordRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `console_password`.
  package func perform(on owner: GatewayOwner) throws -> Bool {
    let kept = ConsolePassword(stateFolder: owner.store.folder)
    try kept.set(password)
    // Who was let in by the password before is let in no more.
    owner.console.closeVisits()
    return kept.isSet
  }
}
