package import HTTPServing
package import HummingbirdCore
package import Logging

/// The view as a part of another server, which judges who asks, and from where.
package struct EmbeddedView: Sendable {
  private let responder: ConsoleResponder
  private let base: String

  /// A view of a desk.
  ///
  /// - Parameters:
  ///   - base: What stands before its paths, such as `/displays`.
  ///   - logger: Gets what fails, never a path, an id or a health value.
  package init(desk: any ReadingDesk, base: String, logger: Logger) {
    self.base = base
    responder = ConsoleResponder(
      desk: desk,
      room: ReadingRoom(desk: desk, patience: ReadingConsoleConfiguration().patience, onClosed: { _ in }),
      access: ConsoleAccess(), logger: logger)
  }

  /// Answers a request of somebody who may use the view.
  ///
  /// - Parameters:
  ///   - path: Below the view, beginning with `/`.
  ///   - formToken: What a request that changes something has to show in `Meterhost-Page`; the page gets it.
  package func respond(
    to request: Request, path: String, context: ConnectionContext, formToken: String
  ) async -> Response {
    await responder.respond(to: request, at: path, below: base, pageToken: formToken, context: context)
  }

  /// Ends the reading that is under way.
  package func interrupt() async { await responder.room.interrupt() }

  /// Ends it, lets no other begin, and returns when the camera is free.
  package func close() async { await responder.room.close() }
}
