import BluetoothWire
import KernelBluetooth

/// Encrypts a link with the key that the kernel has of a bond.
///
/// The socket alone does not tell enough: of a meter that has lost its key it says "aborted", as of any link that this host
/// drops, and of a key that is too weak it says nothing at all. The kernel's events tell.
struct LinkEncryption: Sendable {
  private enum Happening: Sendable {
    case raised
    case failed(any Error)
    /// The meter does not know the key, or the two could not prove themselves to each other.
    case refused
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
      case .disconnected(peer, .authentication), .authenticationFailed(peer, _): post.yield(.refused)
      case .disconnected(peer, _): post.yield(.dropped)
      case .passkeyRequest(peer), .confirmationRequest(peer, _): post.yield(.keyMissing)
      case .longTermKey(let key, _) where key.peer == peer: post.yield(.keyMissing)
      default: break
      }
    }
    let raising = Task {
      do {
        _ = try await socket.raise(to: level)
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
    for await happening in happenings {
      switch happening {
      case .raised: return true
      case .refused:
        socket.close()
        return false
      case .failed(let error):
        failure = error
        // At once: see the kernel's bearer.
        socket.close()
        alarms.append(alarm(after: Self.grace, post))
      case .keyMissing:
        socket.close()
        // The kernel's list was replaced, or has lost the key: the next connection finds it there.
        try await radio.loadBonds()
        throw BluetoothError(
          .connectionFailure,
          "the kernel had lost the key of \(peer) and has it again; measure again, or keep the meter on")
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
    Task {
      if (try? await Task.sleep(for: time)) != nil { post.yield(.time) }
    }
  }
}
