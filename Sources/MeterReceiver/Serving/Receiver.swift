import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import Synchronization

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
  private let log: RequestLog

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
    log = RequestLog(logger: logger, clock: configuration.clock)
  }

  /// Serves until the task is cancelled or a surrounding service group shuts down, and returns when the port is free again.
  ///
  /// - Parameter onReady: Called once with the port, when connections are accepted; with 0 when they come over a socket.
  /// - Throws: `cannotListen` when the address is in use or not this machine's, `stopped` when serving fails later.
  public func run(onReady: @escaping @Sendable (_ port: Int) async -> Void = { _ in }) async throws(ReceiverError) {
    let socket = try socket()
    defer { socket?.remove() }
    let registry = ConnectionRegistry(limits: configuration.connectionLimits, clock: configuration.clock)
    let refused = Mutex<SocketPath.Failure?>(nil)
    do throws(ServingError) {
      try await serveUntilCancelled(registry, logger: quietLogger) { [configuration] channel in
        do throws(SocketPath.Failure) {
          try socket?.publish()
        } catch {
          refused.withLock { $0 = error }
          return channel.close(promise: nil)
        }
        await onReady(channel.localAddress?.port ?? (socket == nil ? configuration.port : 0))
      } _: { onServerRunning in
        application(registry, socket, onServerRunning: onServerRunning)
      }
    } catch {
      if let failure = refused.withLock(\.self) { throw ReceiverError(.cannotListen, failure.message) }
      throw describe(error)
    }
    if let failure = refused.withLock(\.self) { throw ReceiverError(.cannotListen, failure.message) }
  }

  private func socket() throws(ReceiverError) -> SocketPath? {
    guard let path = configuration.socket else { return nil }
    do {
      return try SocketPath(path, access: configuration.socketIsForGroup ? .group : .user)
    } catch {
      throw ReceiverError(.cannotListen, error.message)
    }
  }

  private func describe(_ error: ServingError) -> ReceiverError {
    switch error {
    case .cannotListen(let cause):
      let place = configuration.socket ?? "\(configuration.host):\(configuration.port)"
      return ReceiverError(
        .cannotListen, "The receiver cannot listen on \(place); choose another port, or an address of this machine",
        cause: cause)
    case .stopped(let cause):
      return ReceiverError(.stopped, "The receiver stopped by itself; start it again", cause: cause)
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
    let router = Router(context: ConnectionContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: RefusalMiddleware(log: log))
    router.get("healthz") { _, _ in Response(status: .ok, json: ["status": .string("ok")]) }
    UploadRoutes(configuration: configuration, store: store, faults: faults, logger: logger).add(to: router)
    UserRoutes(configuration: configuration, store: store, faults: faults).add(to: router)
    LegacyRoutes(configuration: configuration, store: store, faults: faults, log: log).add(to: router)
    MediaRoutes(configuration: configuration, store: store, faults: faults, logger: logger).add(to: router)
    ReadRoutes(configuration: configuration, store: store, faults: faults).add(to: router)
    return router
  }

  private func application(
    _ registry: ConnectionRegistry, _ socket: SocketPath?,
    onServerRunning: @escaping @Sendable (any Channel) async -> Void
  ) -> some ApplicationProtocol {
    Application(
      router: router(),
      server: GuardedChannel.server(registry, form: Self.form, encryption: configuration.encryption),
      configuration: ApplicationConfiguration(
        address: socket.map { .unixDomainSocket(path: $0.bindPath) }
          ?? .hostname(configuration.host, port: configuration.port)),
      onServerRunning: onServerRunning,
      logger: quietLogger)
  }

  /// What is no HTTP is refused in the receiver's own shape, too.
  private static let form = RefusalForm(mediaType: "application/json") { status, reason in
    Refusal(HTTPResponse.Status(code: status), reason).bytes
  }
}
