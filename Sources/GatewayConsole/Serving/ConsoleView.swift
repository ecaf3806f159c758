package import HTTPServing
package import HummingbirdCore

/// A part of the console that another module makes: the view by which displays are read. It is asked when the console has judged who
/// asks, and from where.
package protocol ConsoleView: Sendable {
  /// Answers a request.
  ///
  /// - Parameters:
  ///   - path: Below the view, beginning with `/`.
  ///   - formToken: What a request that changes something has to show: the token of the session's pages.
  func respond(to request: Request, path: String, context: ConnectionContext, formToken: String) async -> Response

  /// Ends what is under way.
  func interrupt() async

  /// Ends it, and lets nothing begin any more.
  func close() async
}
