import BluetoothWire
import HostPrimitives
import KernelBluetooth

/// Encrypts a link with the key that the kernel has of a bond.
///
/// The socket alone does not tell enough: of a meter that has lost its key it says "aborted", as of any link that this host
/// drops, and of a key that is too weak it says nothing at all. The kernel's events tell.
struct LinkEncryption: Sendable {
  private enum Happening: Sendable {
    case raised
    case failed(any Error)
    /// The meter does not know the key.
    case refused
    /// The kernel has paired, having no key, and the meter has refused.
    case unpaired
    case dropped
    /// The kernel has no key, and pairs.
    case keyMissing
    case time
  }

  /// The Security Manager and the link layer give each step 30 seconds (Core Specification, Vol 3 Part H 3.4).
  static let patience = Duration.seconds(32)
  /// How long the kernel's word may come behind the socket's.
  static let grace = Duration.milliseconds(500)

  let radio: KernelRadio
  let socket: ATTSocket
  let peer: BluetoothAddress

  /// - Returns: Whether the link is encrypted; false when the meter does not know the bond, and the link is gone.
  /// - Throws: ``BluetoothError`` with code `connectionFailure` when the link broke for another reason.
  func raise(to level: ATTSocket.Security) async throws(BluetoothError) -> Bool {
    let (happenings, post) = AsyncStream<Happening>.makeStream()
    let stopWatching = radio.watch { [peer] event in
      switch event {
      case .disconnected(peer, .authentication): post.yield(.refused)
      case .authenticationFailed(peer, _): post.yield(.unpaired)
      case .disconnected(peer, _): post.yield(.dropped)
      case .passkeyRequest(peer), .confirmationRequest(peer, _): post.yield(.keyMissing)
      case .longTermKey(let key, _) where key.peer == peer: post.yield(.keyMissing)
      default: break
      }
    }
    let raising = Task {
      do {
        let reached = try await socket.raise(to: level)
        guard reached >= level else {
          throw KernelBluetoothError(.link, "the link to \(peer) is protected less than its bond")
        }
        post.yield(.raised)
      } catch {
        post.yield(.failed(error))
      }
    }
    var alarms = [alarm(after: Self.patience, post)]
    defer {
      stopWatching()
      raising.cancel()
      for alarm in alarms { alarm.cancel() }
    }
    var failure: (any Error)?
    var isRefused = false
    for await happening in happenings {
      switch happening {
      case .raised: return true
      case .refused:
        // The kernel may tell only now of the link before this one: it counts when this one has broken.
        isRefused = true
        if failure != nil { return false }
      case .unpaired:
        socket.close()
        try await radio.loadBonds()
        throw BluetoothError(pairing: .refused, detail: "the kernel had lost the key, and has it again")
      case .failed(let error):
        failure = error
        // At once: see ``ATTSocket``.
        socket.close()
        if isRefused { return false }
        alarms.append(alarm(after: Self.grace, post))
      case .keyMissing:
        socket.close()
        // The kernel's list was replaced, or has lost the key: the next connection finds it there.
        try await radio.loadBonds()
        throw BluetoothError(
          .connectionFailure,
          "the kernel had lost the key of \(peer) and has it again; measure again, or keep the meter on")
      case .dropped where failure == nil: continue
      case .time where isRefused:
        socket.close()
        return false
      case .dropped, .time:
        socket.close()
        throw BluetoothError(
          .connectionFailure, "the link to \(peer) broke while it was encrypted; keep the meter close by",
          cause: failure)
      }
    }
    // The task was cancelled: a half-encrypted link is of no use to anybody.
    socket.close()
    throw BluetoothError(.cancelled, "it was given up")
  }

  private func alarm(after time: Duration, _ post: AsyncStream<Happening>.Continuation) -> Task<Void, Never> {
    Task { [clock = radio.clock] in
      if await clock.elapsed(time) { post.yield(.time) }
    }
  }
}
