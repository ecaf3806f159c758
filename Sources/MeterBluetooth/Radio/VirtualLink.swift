import BluetoothWire
import HostPrimitives
import LinuxSockets
import Synchronization

/// The security of one link of the virtual air: its level, and the messages that the bearer finds among the ATT PDUs.
final class VirtualLink: Sendable {
  private let state: Mutex<(level: UInt8, hasLostBond: Bool, isOpen: Bool)>
  private let messages: AsyncStream<VirtualSecurity>
  private let sink: AsyncStream<VirtualSecurity>.Continuation
  let socket: PacketSocket
  private let clock: any HostClock

  /// The Security Manager gives a peer 30 seconds for one message (Core Specification, Vol 3 Part H 3.4).
  static let patience = Duration.seconds(30)

  init(socket: PacketSocket, level: UInt8, hasLostBond: Bool = false, clock: any HostClock) {
    self.socket = socket
    self.clock = clock
    state = Mutex((level, hasLostBond, true))
    (messages, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(8))
  }

  var isOpen: Bool { state.withLock(\.isOpen) }

  var level: UInt8 { state.withLock { $0.isOpen ? $0.level : 1 } }

  /// Whether the meter does not know the bond any more with which the link was to begin.
  var hasLostBond: Bool { state.withLock(\.hasLostBond) }

  func raise(to level: UInt8) {
    state.withLock {
      $0.level = level
      $0.hasLostBond = false
    }
  }

  /// The bearer has received a packet of security.
  func receive(_ packet: [UInt8]) {
    if let message = VirtualSecurity(decoding: packet) { sink.yield(message) }
  }

  /// The link is gone.
  func end() {
    state.withLock { $0.isOpen = false }
    sink.finish()
  }

  /// Pairs; one pairing of a link runs at a time.
  ///
  /// - Returns: The bond to keep and the link's level.
  func pair(
    passkey: @Sendable () async -> UInt32?
  ) async throws(BluetoothError) -> (bond: [UInt8], level: UInt8) {
    try await send(.pair)
    while true {
      switch try await next() {
      case .bonded(let bond, let level): return (bond, level)
      case .passkeyWanted:
        guard let number = await passkey() else {
          try await send(.failed(VirtualSecurity.Reason.passkeyEntryFailed))
          throw BluetoothError(.cancelled, "pairing was given up: the passkey was not entered")
        }
        try await send(.passkey(number))
      case .failed(let reason):
        throw BluetoothError(pairing: PairingFailure(securityManagerReason: reason), detail: "reason \(reason)")
      default: throw BluetoothError(pairing: .refused, detail: "it answered with something else")
      }
    }
  }

  private func send(_ message: VirtualSecurity) async throws(BluetoothError) {
    do {
      try await socket.send(message.encoded)
    } catch {
      throw BluetoothError(.pairingFailure, "the link broke while pairing; keep the meter close by", cause: error)
    }
  }

  private func next() async throws(BluetoothError) -> VirtualSecurity {
    let messages = messages
    let waiting = Task { () -> VirtualSecurity? in
      for await message in messages { return message }
      return nil
    }
    let timeout = Task { [clock] in
      try await clock.sleep(for: Self.patience)
      waiting.cancel()
    }
    defer { timeout.cancel() }
    guard
      let message = await withTaskCancellationHandler(
        operation: { await waiting.value }, onCancel: { waiting.cancel() })
    else {
      throw BluetoothError(pairing: .noAnswer)
    }
    return message
  }
}
