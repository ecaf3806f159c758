package import Hummingbird
package import Logging
package import NIOCore
import ServiceLifecycle
import Synchronization

/// Why a server does not serve.
package enum ServingError: Error {
  /// It could not listen on its address.
  case cannotListen(any Error)
  /// It listened and then stopped by itself.
  case stopped(any Error)
}

/// Serves until the task is cancelled or a surrounding service group shuts down, and returns when the address is free again.
///
/// - Parameters:
///   - registry: The server's connections; the application's server is ``GuardedChannel/server(_:form:handlers:)`` with it.
///   - logger: Gets what the server itself has to say.
///   - gracePeriod: How long a shutdown waits for requests that are being served before it cuts them off.
///   - onShutdown: Called when a shutdown begins, to end what would go on for ever.
///   - onReady: Called once, when connections are accepted.
///   - makeApplication: Makes the application; it must call what it is given when its server runs.
/// - Throws: ``ServingError``.
package func serveUntilCancelled<App: ApplicationProtocol>(
  _ registry: ConnectionRegistry, logger: Logger, gracePeriod: Duration = .seconds(2),
  onShutdown: @escaping @Sendable () -> Void = {}, onReady: @escaping @Sendable (any Channel) async -> Void,
  _ makeApplication: (@escaping @Sendable (any Channel) async -> Void) -> App
) async throws(ServingError) {
  let listening = Mutex(false)
  let application = makeApplication { channel in
    listening.withLock { $0 = true }
    await guardAccepting(channel, registry, logger)
    await onReady(channel)
  }
  var configuration = ServiceGroupConfiguration(
    services: [ApplicationServer(application: application)], logger: logger)
  configuration.maximumGracefulShutdownDuration = gracePeriod
  let group = ServiceGroup(configuration: configuration)
  // Cancelling the server's own task would drop connections that are accepted but not yet served, which NIO answers by
  // ending the process. A cancellation is therefore turned into a graceful shutdown with a bound.
  let serving = Task { try await group.run() }
  let watching = Task { await registry.watch() }
  defer { watching.cancel() }
  do {
    try await withTaskCancellationHandler {
      try await serving.value
    } onCancel: {
      onShutdown()
      Task { await group.triggerGracefulShutdown() }
    }
  } catch is CancellationError {
    // A graceful shutdown that has run out of its grace period.
    return
  } catch  where Task.isCancelled {
    return
  } catch  where listening.withLock({ $0 }) {
    throw .stopped(error)
  } catch {
    throw .cannotListen(error)
  }
}

/// In front of everything that accepts. A server that is gone by now needs none.
private func guardAccepting(_ channel: any Channel, _ registry: ConnectionRegistry, _ logger: Logger) async {
  try? await channel.eventLoop.submit {
    try channel.pipeline.syncOperations.addHandler(AcceptGuard(registry, logger: logger), position: .first)
  }.get()
}
