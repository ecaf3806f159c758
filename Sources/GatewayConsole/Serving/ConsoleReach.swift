package import GatewayAPI

/// What can be done from outside with a console that listens.
package struct ConsoleReach: Sendable {
  /// Makes a link that opens it once.
  package let makeLink: @Sendable () -> ConsoleLinkRequest.Answer
  /// Closes it in every browser; who has a link or the password opens it again.
  package let closeVisits: @Sendable () -> Void
}
