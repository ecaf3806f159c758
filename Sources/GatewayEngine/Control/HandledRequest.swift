package import GatewayAPI

/// A request together with what the owner of the state folder does for it: a command that owns the folder itself performs it,
/// and the running service performs it for a command that comes over its socket.
package protocol HandledRequest: ControlRequest {
  /// Does it.
  ///
  /// - Throws: Anything that ``GatewayError/init(describing:)`` can put into words.
  func perform(on owner: GatewayOwner) async throws -> Answer
}

/// A conversation together with what the owner of the state folder does for it.
package protocol HandledConversation: ControlConversation {
  /// Does it until it is over or the partner has given up.
  ///
  /// - Throws: Anything that ``GatewayError/init(describing:)`` can put into words.
  func perform(on owner: GatewayOwner, with partner: ControlPartner<Event>) async throws
}
