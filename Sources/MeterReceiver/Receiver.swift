import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore

/// The embedded receiver: an HTTP server that takes measurements in the Inform v2 shape and stores each of them once.
///
/// It answers a write only when the record is on disk. Tests and the demonstration run it in their own process:
///
/// ```swift
/// let receiver = try Receiver(configuration: ReceiverConfiguration(database: path))
/// try await receiver.run { port in print("listening on port \(port)") }
/// ```
public struct Receiver: Sendable {
  /// The store behind the server: provision users and read measurements through it, before, during and after `run`.
  public let store: ReceiverStore

  private let configuration: ReceiverConfiguration
  private let faults: ReceiverFaults
  private let logger: Logger

  /// Opens the database and makes the configured users.
  ///
  /// - Parameters:
  ///   - configuration: Address, database and limits.
  ///   - faults: Faults to play to clients; by default none.
  ///   - logger: Gets one line a request: method, route and status, never a token, an id or a health value.
  /// - Throws: `invalidConfiguration`, what `ReceiverStore.init(path:now:)` throws, or what making the users throws.
  public init(
    configuration: ReceiverConfiguration, faults: ReceiverFaults = ReceiverFaults(),
    logger: Logger = Logger(label: "receiver")
  ) throws(ReceiverError) {
    try configuration.validate()
    let store = try ReceiverStore(path: configuration.database)
    for organization in configuration.organizations { try store.provision(organization) }
    for account in configuration.accounts { try store.provision(account) }
    self.init(configuration: configuration, store: store, faults: faults, logger: logger)
  }

  private init(
    configuration: ReceiverConfiguration, store: ReceiverStore, faults: ReceiverFaults, logger: Logger
  ) {
    self.configuration = configuration
    self.store = store
    self.faults = faults
    self.logger = logger
  }

  /// Serves until the task is cancelled or a surrounding service group shuts down, and returns when the port is free again.
  ///
  /// - Parameter onReady: Called once with the port, when connections are accepted.
  /// - Throws: `cannotListen` when the address is in use or not this machine's, `stopped` when serving fails later.
  public func run(onReady: @escaping @Sendable (_ port: Int) async -> Void = { _ in }) async throws(ReceiverError) {
    do throws(ServingError) {
      try await serveUntilCancelled(logger: quietLogger) { [configuration] channel in
        await onReady(channel.localAddress?.port ?? configuration.port)
      } _: { onServerRunning in
        application(onServerRunning: onServerRunning)
      }
    } catch {
      switch error {
      case .cannotListen(let cause):
        throw ReceiverError(
          .cannotListen,
          "The receiver cannot listen on \(configuration.host):\(configuration.port); choose another port, or an address "
            + "of this machine", cause: cause)
      case .stopped(let cause):
        throw ReceiverError(.stopped, "The receiver stopped by itself; start it again", cause: cause)
      }
    }
  }

  /// The logger for the server itself: below notice its lines quote paths and errors, and with them ids and tokens.
  private var quietLogger: Logger {
    var quiet = logger
    quiet.logLevel = max(.notice, logger.logLevel)
    return quiet
  }

  /// Method and path of every call that the receiver answers; parameters of a path are `{}`.
  var routes: [String] {
    router().routes.map { route in
      let parts = route.path.description.split(separator: "/").map { part in
        part.hasPrefix(":") ? "{}" : part.replacing(/\{[^}]*\}/, with: "{}")
      }
      return "\(route.method.rawValue) /\(parts.joined(separator: "/"))"
    }
  }

  private func router() -> Router<ConnectionContext> {
    let router = Router(context: ConnectionContext.self)
    router.add(middleware: RefusalMiddleware(logger: logger))
    router.get("healthz") { _, _ in Response(status: .ok, json: ["status": .string("ok")]) }
    UploadRoutes(configuration: configuration, store: store, faults: faults, logger: logger).add(to: router)
    UserRoutes(configuration: configuration, store: store, faults: faults).add(to: router)
    LegacyRoutes(configuration: configuration, store: store, faults: faults, logger: logger).add(to: router)
    MediaRoutes(configuration: configuration, store: store, faults: faults, logger: logger).add(to: router)
    ReadRoutes(configuration: configuration, store: store, faults: faults).add(to: router)
    return router
  }

  private func application(
    onServerRunning: @escaping @Sendable (any Channel) async -> Void
  ) -> some ApplicationProtocol {
    Application(
      router: router(),
      // A client that stalls inside a request would hold its connection for ever.
      server: .http1(configuration: .init(idleTimeout: .seconds(60))),
      configuration: ApplicationConfiguration(
        address: .hostname(configuration.host, port: configuration.port),
        availableConnectionsDelegate: .maximum(512, logger: quietLogger)),
      onServerRunning: onServerRunning,
      logger: quietLogger)
  }
}
