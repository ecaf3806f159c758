public import HostErrors
package import HTTPServing
package import HostPrimitives
import Hummingbird
public import Logging
import NIOCore

/// The view: a local page that reads a meter's display with a camera.
///
/// It serves one person at one browser of this machine. The link that it hands out opens once:
///
/// ```swift
/// let console = ReadingConsole(desk: desk)
/// try await console.run { link in print("open \(link)") }
/// ```
public struct ReadingConsole: Sendable {
  /// By which clients' times are kept.
  package var clock: any HostClock = .system

  private let configuration: ReadingConsoleConfiguration
  private let responder: ConsoleResponder
  private let logger: Logger

  /// A view of a desk.
  ///
  /// - Parameters:
  ///   - onClosed: Told when the live view closes, and when a result is handed over or let go.
  ///   - logger: Gets one line a request: method and status, never a path, an id or a health value.
  public init(
    desk: any ReadingDesk, configuration: ReadingConsoleConfiguration = ReadingConsoleConfiguration(),
    onClosed: @escaping @Sendable (ViewClosing) async -> Void = { _ in },
    logger: Logger = Logger(label: "meterhost.view")
  ) {
    self.configuration = configuration
    self.logger = logger
    responder = ConsoleResponder(
      desk: desk, room: ReadingRoom(desk: desk, patience: configuration.patience, onClosed: onClosed),
      access: ConsoleAccess(), logger: logger)
  }

  /// Serves until the task is cancelled, and returns when the port and the camera are free again.
  ///
  /// - Parameter onReady: Called once with the link, when connections are accepted. Whoever has the link first has the
  ///   view: it belongs on the person's screen and nowhere else.
  /// - Throws: ``ConsoleError``.
  public func run(onReady: @escaping @Sendable (_ link: String) async -> Void) async throws(ConsoleError) {
    var quiet = logger
    // Below notice the server's lines quote paths, and with them the token of the link.
    quiet.logLevel = max(.notice, logger.logLevel)
    let (serverLogger, responder, address) = (quiet, responder, configuration.address)
    let registry = ConnectionRegistry(limits: configuration.limits, clock: clock)
    var failure: ServingError?
    do throws(ServingError) {
      try await serveUntilCancelled(registry, logger: serverLogger) {
        // Ends the streams, for which a shutdown would wait.
        Task { await responder.room.close() }
      } onReady: { channel in
        guard let port = channel.localAddress?.port, let token = responder.access.linkToken else { return }
        await onReady("http://\(address.written):\(port)/open/\(token)")
      } _: { onServerRunning in
        application(registry, logger: serverLogger, onServerRunning: onServerRunning)
      }
    } catch {
      failure = error
    }
    await responder.room.close()
    switch failure {
    case nil: return
    case .cannotListen(let cause):
      throw ConsoleError(
        .cannotListen,
        "The view cannot listen on port \(configuration.port) of \(address.written); choose another port, or 0 for any",
        cause: cause)
    case .stopped(let cause):
      throw ConsoleError(.stopped, "The view has stopped by itself; start it again", cause: cause)
    }
  }

  private func application(
    _ registry: ConnectionRegistry, logger: Logger, onServerRunning: @escaping @Sendable (any Channel) async -> Void
  ) -> some ApplicationProtocol {
    Application(
      responder: responder,
      server: GuardedChannel.server(registry, form: Self.form) { [AnswerFields(SecurityHeaders.fields)] },
      configuration: ApplicationConfiguration(
        address: .hostname(configuration.address.rawValue, port: configuration.port)),
      onServerRunning: onServerRunning, logger: logger)
  }

  /// What is no HTTP is answered with a sentence, and with what keeps a browser from making anything else of it.
  private static let form = RefusalForm(mediaType: "text/plain; charset=utf-8", fields: SecurityHeaders.fields) {
    Array("\($1).\n".utf8)
  }
}

/// Where the view listens.
public struct ReadingConsoleConfiguration: Sendable, Hashable {
  /// This machine's own addresses: nobody else reaches them.
  public enum Address: String, Sendable, Hashable {
    /// IPv4's.
    case v4 = "127.0.0.1"
    /// IPv6's.
    case v6 = "::1"

    /// As it stands in a link.
    var written: String { self == .v4 ? rawValue : "[\(rawValue)]" }
  }

  /// Which of them.
  public var address: Address
  /// The port; 0 takes any that is free.
  public var port: Int
  /// How long a reading that was started waits for the page to listen before the camera is given back.
  public var patience: Duration
  /// What clients may take of the view.
  package var limits = ConnectionLimits(connections: 64, lingerBytes: ConsoleResponder.patienceWithBodies)

  /// A configuration; by default any free port.
  public init(address: Address = .v4, port: Int = 0, patience: Duration = .seconds(10)) {
    self.address = address
    self.port = port
    self.patience = patience
  }
}

/// Why the view does not serve.
public struct ConsoleError: HostError {
  /// What kind of failure it is; the raw value is stable and meant for programs.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// Its port is in use, or not this user's to take.
    case cannotListen = "view_cannot_listen"
    /// It served and then failed.
    case stopped = "view_stopped"
  }

  /// What kind of failure it is.
  public let code: Code
  /// What happened and what to do about it.
  public let message: String
  /// The error that this one reports.
  public let cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    (self.code, self.message, self.cause) = (code, message, cause)
  }

  /// Decides the exit status.
  public var kind: HostErrorKind { code == .cannotListen ? .unavailable : .failed }
}
