import HostPrimitives
import LinuxSockets
import Synchronization

extension VirtualMeter {
  /// Serves a link that was taken with ``hold()`` until it is gone, and gives it back.
  func serve(_ socket: PacketSocket) async {
    let watchdog = IdleWatchdog(socket: socket, milliseconds: script.idleMilliseconds, clock: clock)
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
    let start = clock.now
    let elapsed = { [clock] in Int((clock.now - start) / .milliseconds(1)) }
    while true {
      if let reason = try await perform(actions, over: socket, watchdog: watchdog) { return reason }
      // What the client has sent comes before what the meter sends of its own, so that an abort finds its procedure.
      var arrival = try socket.tryReceive()
      if arrival == .nothingYet {
        let now = elapsed()
        actions = withMachine { $0.next(at: now) }
        if !actions.isEmpty { continue }
        // What was due by now and has not left waits for the client, and not for the time.
        let due = withMachine { $0.dueMilliseconds }.flatMap { $0 > now ? $0 : nil }
        arrival = try await socket.receive(within: due.map { $0 - elapsed() }, by: clock)
      }
      switch arrival {
      case .packet(let packet):
        watchdog.sawPDU()
        actions = withMachine { $0.receive(packet) }
      case .closed: return nil
      case .nothingYet: actions = []
      }
    }
  }

  private func perform(
    _ actions: [MeterAction], over socket: PacketSocket, watchdog: IdleWatchdog
  ) async throws -> MeterEvent.Reason? {
    for action in actions {
      switch action {
      case .send(let packet, let milliseconds):
        if milliseconds > 0 { try await clock.sleep(for: .milliseconds(milliseconds)) }
        try await socket.send(packet)
        watchdog.sawPDU()
      case .event(let event): emit(event)
      case .disconnect(let reason): return reason
      }
    }
    return nil
  }
}

extension PacketSocket {
  /// Waits for a packet; without end if there is no limit.
  fileprivate func receive(within milliseconds: Int?, by clock: any HostClock) async throws -> Arrival {
    guard let milliseconds else { return try await receive().map { .packet($0) } ?? .closed }
    guard milliseconds > 0 else { return try tryReceive() }
    let arrival = try await withThrowingTaskGroup(of: Arrival.self) { group in
      group.addTask {
        do { return try await self.receive().map { .packet($0) } ?? .closed } catch is CancellationError {
          return .nothingYet
        }
      }
      group.addTask {
        try? await clock.sleep(for: .milliseconds(milliseconds))
        return .nothingYet
      }
      var arrival = Arrival.nothingYet
      // Who comes second is heard too: it may have taken a packet.
      while let next = try await group.next() {
        group.cancelAll()
        if next != .nothingYet { arrival = next }
      }
      return arrival
    }
    if arrival == .nothingYet { try Task.checkCancellation() }
    return arrival
  }
}

/// Closes a link on which nothing happens.
private final class IdleWatchdog: Sendable {
  private let socket: PacketSocket
  private let limit: Duration?
  private let state: Mutex<(lastPDU: HostInstant, fired: Bool)>
  private let clock: any HostClock

  init(socket: PacketSocket, milliseconds: Int?, clock: any HostClock) {
    self.socket = socket
    self.clock = clock
    limit = milliseconds.map { .milliseconds($0) }
    state = Mutex((clock.now, false))
  }

  var hasFired: Bool { state.withLock { $0.fired } }

  func sawPDU() {
    if limit != nil { state.withLock { $0.lastPDU = clock.now } }
  }

  /// Returns when the link was closed for idleness, or when the task is cancelled.
  func run() async {
    guard let limit else { return }
    while true {
      let deadline = state.withLock { $0.lastPDU } + limit
      guard await clock.elapsed(until: deadline) else { return }
      let isDue = state.withLock { state in
        state.fired = clock.now >= state.lastPDU + limit
        return state.fired
      }
      if isDue { return socket.close() }
    }
  }
}
