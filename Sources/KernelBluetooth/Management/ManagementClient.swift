package import HostPrimitives
import LinuxSockets
import Synchronization

/// The kernel's management interface: commands with their answers, and what the kernel tells by itself.
package final class ManagementClient: Sendable {
  private struct Key: Hashable {
    let code: UInt16
    let index: UInt16
  }

  private typealias Answer = Result<[UInt8], KernelBluetoothError>

  private struct Waiter {
    let id: UInt64
    let packet: ManagementPacket
    /// Nil when nobody waits any more for the answer of a command that was sent.
    var continuation: CheckedContinuation<Answer, Never>?
  }

  private struct State {
    /// Commands that wait. Of one kind only the first was sent: answers do not tell to which command they belong, and the
    /// kernel gives some, as those of pairings, in another order. One that nobody waits for any more keeps its place a while.
    var waiting: [Key: [Waiter]] = [:]
    var next: UInt64 = 0
    var end: KernelBluetoothError?
  }

  /// The kernel answers at once what needs no peer; powering an adapter up loads its firmware.
  private static let patience = Duration.seconds(20)

  private let socket: PacketSocket
  private let state = Mutex(State())
  private let onEvent: @Sendable (_ adapter: UInt16, ManagementEvent) -> Void
  private let onEnd: @Sendable (KernelBluetoothError) -> Void
  private let clock: any HostClock

  /// Opens the interface; nothing is told before ``start()``.
  ///
  /// - Throws: ``KernelBluetoothError`` with code `noSupport`, `noPermission` or `system`.
  package init(
    onEvent: @escaping @Sendable (_ adapter: UInt16, ManagementEvent) -> Void,
    onEnd: @escaping @Sendable (KernelBluetoothError) -> Void, clock: any HostClock = .system
  ) throws(KernelBluetoothError) {
    do {
      socket = try ControlSocket.open()
    } catch let error as KernelBluetoothError {
      throw error
    } catch {
      throw KernelBluetoothError(.system, "cannot listen to the kernel's Bluetooth: \(error)")
    }
    self.onEvent = onEvent
    self.onEnd = onEnd
    self.clock = clock
  }

  /// Begins to listen to the kernel.
  package func start() {
    Task { [socket, weak self] in
      do {
        while let bytes = try await socket.receive() {
          guard let self else { return }
          if let packet = ManagementPacket(decoding: bytes) { self.take(packet) }
        }
        self?.end(KernelBluetoothError(.system, "the kernel's Bluetooth was closed"))
      } catch {
        self?.end(KernelBluetoothError(.system, "the kernel's Bluetooth cannot be heard: \(error)"))
      }
    }
  }

  deinit { socket.close() }

  /// Carries a command out.
  ///
  /// - Parameters:
  ///   - adapter: The adapter's name for error messages.
  ///   - patience: How long to wait; nil waits as long as the kernel takes.
  /// - Returns: The return parameters.
  /// - Throws: ``KernelBluetoothError``; its status says what the kernel answered.
  @discardableResult
  package func perform(
    _ command: ManagementCommand, index: UInt16, adapter: String, patience: Duration? = ManagementClient.patience
  ) async throws(KernelBluetoothError) -> [UInt8] {
    let key = Key(code: command.code, index: index)
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    let timeout = patience.map { patience in
      Task { [clock] in
        try await clock.sleep(for: patience)
        self.abandon(
          key, id: id, KernelBluetoothError(.noAnswer, "the kernel did not \(command.words) within \(patience)"))
        // The answer may still come, and must not be taken for another's; one that never comes must not stop the others.
        try await clock.sleep(for: patience)
        self.drop(key, id: id)
      }
    }
    let answer = await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
      let problem = state.withLock { state -> KernelBluetoothError? in
        if let end = state.end { return end }
        let waiter = Waiter(id: id, packet: command.packet(index: index), continuation: continuation)
        if state.waiting[key] == nil, let problem = send(waiter.packet) { return problem }
        state.waiting[key, default: []].append(waiter)
        return nil
      }
      if let problem { continuation.resume(returning: .failure(problem)) }
    }
    do {
      let parameters = try answer.get()
      timeout?.cancel()
      return parameters
    } catch {
      if error.code != .noAnswer { timeout?.cancel() }
      guard let status = error.status else { throw error }
      throw KernelBluetoothError(status, trying: command.words, adapter: adapter)
    }
  }

  private func send(_ packet: ManagementPacket) -> KernelBluetoothError? {
    do {
      return try socket.trySend(packet.encoded)
        ? nil : KernelBluetoothError(.system, "the kernel takes no commands for its Bluetooth now; try again")
    } catch {
      return KernelBluetoothError(.system, "the kernel's Bluetooth takes no commands: \(error)", errno: error.errno)
    }
  }

  private func take(_ packet: ManagementPacket) {
    guard let event = ManagementEvent(packet) else { return }
    guard case .answer(let command, let status, let parameters) = event else {
      if event == .adapterRemoved { settleAll(of: packet.index) }
      return onEvent(packet.index, event)
    }
    let key = Key(code: command, index: packet.index)
    let answer: Answer =
      status == .success ? .success(parameters) : .failure(KernelBluetoothError(.refused, "", status: status))
    settle(key, answer)
  }

  /// The kernel has answered the oldest command of a kind.
  private func settle(_ key: Key, _ answer: Answer) {
    let (waiter, unsent) = state.withLock { state in
      let waiter = state.waiting[key]?.first
      return (waiter, advance(key, &state))
    }
    waiter?.continuation?.resume(returning: answer)
    refuse(unsent)
  }

  /// Takes the first command of a kind away and sends the next.
  ///
  /// - Returns: Those that could not be sent.
  private func advance(_ key: Key, _ state: inout State) -> [(Waiter, KernelBluetoothError)] {
    guard var waiters = state.waiting[key], !waiters.isEmpty else { return [] }
    waiters.removeFirst()
    var unsent: [(Waiter, KernelBluetoothError)] = []
    while let next = waiters.first, let problem = send(next.packet) { unsent.append((waiters.removeFirst(), problem)) }
    state.waiting[key] = waiters.isEmpty ? nil : waiters
    return unsent
  }

  private func refuse(_ waiters: [(Waiter, KernelBluetoothError)]) {
    for (waiter, problem) in waiters { waiter.continuation?.resume(returning: .failure(problem)) }
  }

  /// The kernel answers no more for an adapter that is gone.
  private func settleAll(of index: UInt16) {
    let waiters = state.withLock { state in
      let keys = state.waiting.keys.filter { $0.index == index }
      return keys.flatMap { state.waiting.removeValue(forKey: $0) ?? [] }
    }
    refuse(waiters.map { ($0, KernelBluetoothError(.adapterGone, "", status: .invalidIndex)) })
  }

  /// Nobody waits for a command any more; its answer, should it come, is not taken for another's.
  private func abandon(_ key: Key, id: UInt64, _ error: KernelBluetoothError) {
    let waiter = state.withLock { state -> CheckedContinuation<Answer, Never>? in
      guard let position = state.waiting[key]?.firstIndex(where: { $0.id == id }) else { return nil }
      let waiter = state.waiting[key]?[position].continuation
      // What was not sent yet needs no place.
      if position > 0 { state.waiting[key]?.remove(at: position) } else { state.waiting[key]?[0].continuation = nil }
      return waiter
    }
    waiter?.resume(returning: .failure(error))
  }

  /// The answer of a command that nobody waits for any more does not come.
  private func drop(_ key: Key, id: UInt64) {
    refuse(state.withLock { state in state.waiting[key]?.first?.id == id ? advance(key, &state) : [] })
  }

  private func end(_ error: KernelBluetoothError) {
    let waiting = state.withLock { state in
      state.end = error
      defer { state.waiting = [:] }
      return state.waiting.values.flatMap { $0.compactMap(\.continuation) }
    }
    for continuation in waiting { continuation.resume(returning: .failure(error)) }
    onEnd(error)
  }
}
