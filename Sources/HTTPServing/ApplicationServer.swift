import HTTPTypes
import HostPrimitives
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle

/// Runs the server of an application as the application's own `run()` does, but for the field `Date`: that one has a timer which writes
/// the date anew each second, for as long as the server runs, and so wakes a host that has nothing to do once a second for each of
/// its servers. Here an answer gets its date when it is made.
struct ApplicationServer<App: ApplicationProtocol>: Service {
  /// The client's request was broken while it was answered: there is nobody to tell.
  private struct BrokenRequest: Error {}

  let application: App

  func run() async throws {
    let responder = try await application.responder
    let configuration = application.configuration
    let server = try application.server.buildServer(
      configuration: ServerConfiguration(
        address: configuration.address, serverName: configuration.serverName, backlog: configuration.backlog,
        reuseAddress: configuration.reuseAddress,
        availableConnectionsDelegate: configuration.availableConnectionsDelegate),
      eventLoopGroup: application.eventLoopGroup, logger: application.logger
    ) { [application] request, writer, channel in
      let response = try await Self.response(to: request, on: channel, of: responder, application)
      do { try await writer.write(response: response.head, body: response.body) } catch is HTTPParserError {
        // That error itself would have a second head written.
        throw BrokenRequest()
      }
    } onServerRunning: { [application] channel in
      await application.onServerRunning(channel)
    }
    try await server.run()
  }

  private static func response(
    to request: Request, on channel: any Channel, of responder: App.Responder, _ application: App
  ) async throws -> Response {
    var logger = application.logger
    logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
    var response: Response
    do {
      response = try await responder.respond(
        to: request, context: App.Context(source: ApplicationRequestContextSource(channel: channel, logger: logger)))
    } catch let error as HTTPParserError {
      throw error
    } catch {
      logger.debug("a request has an error that nothing answers", metadata: ["error.type": "\(error)"])
      response = Response(status: .internalServerError)
    }
    response.headers[.date] = HTTPDate(unixSeconds: SystemClock().unixMicroseconds / 1_000_000).text
    if let name = application.configuration.serverName { response.headers[.server] = name }
    return response
  }
}
