package import GatewayAPI
package import HTTPServing
package import HostPrimitives
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import Synchronization

/// The console: pages of a running host.
///
/// ```swift
/// let console = GatewayConsole(host: host, settings: settings)
/// try await console.run { reach in print("open \(reach.makeLink().link)") }
/// ```
package struct GatewayConsole: Sendable {
  private let host: any ConsoleHost
  private let settings: ConsoleSettings
  private let encryption: ConsoleEncryption?
  private let view: (any ConsoleView)?
  private let clock: any HostClock
  private let logger: Logger
  /// What clients may take of it.
  package var limits = ConnectionLimits(
    // An export has its time on a slow link, too.
    connections: 64, requestTime: .seconds(1800), lingerBytes: ConsoleResponder.patienceWithBodies)

  /// A console of a host.
  ///
  /// - Parameters:
  ///   - encryption: How it speaks TLS itself; nil: it speaks plain HTTP.
  ///   - view: By which displays are read, below `/displays`; nil: by a command only.
  ///   - logger: Gets one line a request: method and status, never a path, an id or a health value.
  package init(
    host: any ConsoleHost, settings: ConsoleSettings, encryption: ConsoleEncryption? = nil,
    view: (any ConsoleView)? = nil, clock: any HostClock = .system, logger: Logger
  ) {
    (self.host, self.settings, self.encryption, self.view) = (host, settings, encryption, view)
    (self.clock, self.logger) = (clock, logger)
  }

  /// Serves until the task is cancelled.
  ///
  /// - Parameter onReady: Called once when connections are accepted, with what can be done with it then.
  /// - Throws: ``ServingError``.
  package func run(
    onReady: @escaping @Sendable (ConsoleReach) async -> Void
  ) async throws(ServingError) {
    let renderer: PageRenderer
    do { renderer = try PageRenderer() } catch { throw .cannotListen(error) }
    let socket = try socketPath()
    defer { socket?.remove() }
    var quiet = logger
    // Below notice the server's lines quote paths, and with them the token of a link.
    quiet.logLevel = max(.notice, logger.logLevel)
    let serverLogger = quiet
    let registry = ConnectionRegistry(limits: limits, clock: clock)
    let (late, streams) = (LateResponder(), ChangeStreams())
    let outcome: Result<Void, ServingError>
    do throws(ServingError) {
      try await serve(late, streams, renderer, socket, registry, serverLogger, onReady)
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    await late.responder.withLock(\.self)?.state.conversations.settle()
    await view?.close()
    try outcome.get()
  }

  private func serve(
    _ late: LateResponder, _ streams: ChangeStreams, _ renderer: PageRenderer, _ socket: SocketPath?,
    _ registry: ConnectionRegistry, _ serverLogger: Logger,
    _ onReady: @escaping @Sendable (ConsoleReach) async -> Void
  ) async throws(ServingError) {
    try await serveUntilCancelled(registry, logger: serverLogger) {
      streams.closeAll()
      // Its streams, too, for which a shutdown would wait.
      Task { await view?.close() }
    } onReady: { channel in
      if let socket {
        do throws(SocketPath.Failure) { try socket.publish() } catch { return channel.close(promise: nil) }
      }
      let responder = responder(channel.localAddress?.port, renderer, streams)
      late.responder.withLock { $0 = responder }
      let access = responder.access
      let port = channel.localAddress?.port
      await onReady(
        ConsoleReach {
          link(access.links.make(), port: port)
        } closeVisits: {
          access.sessions.endAll()
          streams.endListening()
          Task { await view?.interrupt() }
        })
    } _: { onServerRunning in
      Application(
        responder: late,
        server: GuardedChannel.server(registry, form: Self.form, encryption: encryption?.connections) {
          [AnswerFields(ConsoleHeaders.fields, addingTo: [ConsoleHeaders.policyName])]
        },
        configuration: ApplicationConfiguration(address: address(socket)), onServerRunning: onServerRunning,
        logger: serverLogger)
    }
  }

  private func socketPath() throws(ServingError) -> SocketPath? {
    guard case .socket(let path) = settings.address else { return nil }
    // A proxy is another user's mostly, and is let in by the group.
    do { return try SocketPath(path, access: settings.publicOrigin == nil ? .user : .group) } catch {
      throw .cannotListen(error)
    }
  }

  private func address(_ socket: SocketPath?) -> BindAddress {
    switch settings.address {
    case .network(let address): .hostname(address.host, port: address.port)
    case .socket(let path): .unixDomainSocket(path: socket?.bindPath ?? path)
    }
  }

  private func responder(_ port: Int?, _ renderer: PageRenderer, _ streams: ChangeStreams) -> ConsoleResponder {
    let rule: OriginRule =
      if let origin = settings.publicOrigin {
        .proxy(origin: origin)
      } else if let encryption {
        // A certificate goes with an address and a port.
        .certificate(port: port ?? 443, names: encryption.names)
      } else if let port {
        .loopback(port: port)
      } else {
        .socket
      }
    let access = ConsoleAccess(port: settings.publicOrigin == nil ? port : nil, isSecure: rule.isSecure, clock: clock)
    return ConsoleResponder(
      host: host, access: access, rule: rule, state: ConsoleState(clock: clock, hasView: view != nil), streams: streams,
      renderer: renderer, view: view, logger: logger)
  }

  private func link(_ token: String, port: Int?) -> ConsoleLinkRequest.Answer {
    let seconds = Int(LinkBook.life.components.seconds)
    if let origin = settings.publicOrigin {
      return ConsoleLinkRequest.Answer(link: "\(origin)/open/\(token)", seconds: seconds)
    }
    switch settings.address {
    case .network(let address):
      let own = address.host.contains(":") ? "[\(address.host)]" : address.host
      let (host, port) = (encryption?.names.first ?? own, port ?? address.port)
      let origin =
        encryption == nil ? "http://\(host):\(port)" : "https://\(host)" + (port == 443 ? "" : ":\(port)")
      return ConsoleLinkRequest.Answer(link: "\(origin)/open/\(token)", seconds: seconds)
    case .socket(let path):
      return ConsoleLinkRequest.Answer(link: "http://localhost/open/\(token)", seconds: seconds, socket: path)
    }
  }

  /// What is no HTTP is answered with a sentence, and with what keeps a browser from making anything else of it.
  private static let form = RefusalForm(mediaType: "text/plain; charset=utf-8", fields: ConsoleHeaders.fields) {
    Array("\($1).\n".utf8)
  }
}

/// Answers once the port is known, which the names that are answered have in them.
private final class LateResponder: HTTPResponder {
  let responder = Mutex<ConsoleResponder?>(nil)

  func respond(to request: Request, context: ConnectionContext) async throws -> Response {
    guard let responder = responder.withLock(\.self) else { throw HTTPError(.serviceUnavailable) }
    return try await responder.respond(to: request, context: context)
  }
}
