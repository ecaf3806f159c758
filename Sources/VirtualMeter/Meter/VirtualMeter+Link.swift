import LinuxSockets
import Synchronization

extension VirtualMeter {
  /// Serves a link that was taken with ``hold()`` until it is gone, and gives it back.
  func serve(_ socket: PacketSocket) async {
    let watchdog = IdleWatchdog(socket: socket, milliseconds: script.idleMilliseconds)
    let timer = Task { await watchdog.run() }
    var reason = MeterEvent.Reason.client
    do {
      reason = try await converse(over: socket, watchdog: watchdog) ?? (watchdog.hasFired ? .idle : .client)
    } catch is CancellationError {
      reason = .off
    } catch {
      // The client went while the meter was sending: nothing that a meter could do about it.
    }
    timer.cancel()
    socket.close()
    withMachine { $0.disconnect() }
    release()
    emit(.disconnected(reason))
  }

  /// Returns why the meter closes the link; nil if it did not.
  private func converse(over socket: PacketSocket, watchdog: IdleWatchdog) async throws -> MeterEvent.Reason? {
    var actions = withMachine { $0.connect() }
    while true {
      if let reason = try await perform(actions, over: socket, watchdog: watchdog) { return reason }
      // What the client has sent comes before what the meter sends of its own, so that an abort finds its procedure.
      switch try socket.tryReceive() {
      case .packet(let packet):
        watchdog.sawPDU()
        actions = withMachine { $0.receive(packet) }
        continue
      case .closed: return nil
      case .nothingYet: actions = withMachine { $0.next() }
      }
      if actions.isEmpty {
        guard let packet = try await socket.receive() else { return nil }
        watchdog.sawPDU()
        actions = withMachine { $0.receive(packet) }
      }
    }
  }

  private func perform(
    _ actions: [MeterAction], over socket: PacketSocket, watchdog: IdleWatchdog
  ) async throws -> MeterEvent.Reason? {
    for action in actions {
      switch action {
      case .send(let packet, let milliseconds):
        if milliseconds > 0 { try await Task.sleep(for: .milliseconds(milliseconds)) }
        try await socket.send(packet)
        watchdog.sawPDU()
      case .event(let event): emit(event)
      case .disconnect(let reason): return reason
      }
    }
    return nil
  }
}

/// Closes a link on which nothing happens.
private final class IdleWatchdog: Sendable {
  private let socket: PacketSocket
  private let limit: Duration?
  private let state: Mutex<(lastPDU: ContinuousClock.Instant, fired: Bool)>

  init(socket: PacketSocket, milliseconds: Int?) {
    self.socket = socket
    limit = milliseconds.map { .milliseconds($0) }
    state = Mutex((.now, false))
  }

  var hasFired: Bool { state.withLock { $0.fired } }

  func sawPDU() {
    if limit != nil { state.withLock { $0.lastPDU = .now } }
  }

  /// Returns when the link was closed for idleness, or when the task is cancelled.
  func run() async {
    guard let limit else { return }
    while true {
      let deadline = state.withLock { $0.lastPDU } + limit
      guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
      let isDue = state.withLock { state in
        state.fired = ContinuousClock.now >= state.lastPDU + limit
        return state.fired
      }
      if isDue { return socket.close() }
    }
  }
}
