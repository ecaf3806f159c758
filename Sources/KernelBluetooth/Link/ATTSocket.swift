package import BluetoothWire
import CBluetooth
import LinuxSockets
import Synchronization

/// The kernel's socket for the ATT channel of one link: one packet is one PDU.
///
/// When the link goes, the socket is closed by the thread that the kernel wakes, before any task runs: Debian's Linux 6.1.192
/// frees a link soon after it has told its sockets, and closing a socket later may use the freed memory
/// (docs/reference/linux-bluetooth.md).
package final class ATTSocket: Sendable {
  /// How well a link is protected; the raw values are those of the kernel's BT_SECURITY and of `MH_SECURITY_*`.
  package enum Security: UInt8, Sendable, Hashable, Comparable {
    /// Not at all.
    case none = 1
    /// Encrypted with a key that nobody confirmed.
    case encrypted = 2
    /// Encrypted with a key that a person confirmed.
    case authenticated = 3

    /// The stronger protection is the greater.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  private let socket: PacketSocket
  private let peer: BluetoothAddress

  private init(socket: PacketSocket, peer: BluetoothAddress) {
    self.socket = socket
    self.peer = peer
  }

  /// Connects from an adapter to a meter; the task's cancellation gives up.
  ///
  /// - Parameter adapter: The adapter's identity address.
  /// - Throws: ``KernelBluetoothError`` with code `link`, or those of a socket that cannot be opened; `CancellationError`.
  package static func connect(from adapter: BluetoothAddress, to peer: BluetoothAddress) async throws -> ATTSocket {
    let descriptor = mh_bluetooth_att_open(adapter.littleEndianBytes, ManagementAddress.type(of: adapter))
    guard descriptor >= 0 else { throw KernelBluetoothError(opening: "open a link", errno: -descriptor) }
    let socket = try PacketSocket(descriptor: descriptor, closesAtEnd: true)
    do {
      let started = socket.withDescriptor {
        mh_bluetooth_att_connect($0, peer.littleEndianBytes, ManagementAddress.type(of: peer))
      }
      guard let started, started == 0 || started == -SystemErrorNumber.inProgress else {
        throw KernelBluetoothError(connectingTo: peer, errno: -(started ?? 0))
      }
      let link = ATTSocket(socket: socket, peer: peer)
      try await link.waitUntilWritable()
      return link
    } catch {
      socket.close()
      throw error
    }
  }

  /// The link's protection now.
  package var security: Security {
    let level = socket.withDescriptor { mh_bluetooth_security($0) } ?? 0
    return level > 0 ? Security(rawValue: UInt8(clamping: min(level, 3))) ?? .none : .none
  }

  /// Encrypts the link with the key that the kernel has; without one the kernel would begin a pairing.
  ///
  /// - Returns: The link's protection.
  /// - Throws: ``KernelBluetoothError`` with code `link`; its error number says why. `CancellationError`.
  package func raise(to level: Security) async throws -> Security {
    guard security < level else { return security }
    let result = socket.withDescriptor { mh_bluetooth_request_security($0, level.rawValue) } ?? 0
    // The kernel says "invalid" for a level that the link has by now.
    guard result == 0 || result == -SystemErrorNumber.invalidArgument && security >= level else {
      throw KernelBluetoothError(securing: peer, errno: -result)
    }
    do { try await waitUntilWritable() } catch let error as KernelBluetoothError {
      throw KernelBluetoothError(securing: peer, errno: error.errno)
    }
    return security
  }

  /// Sends a PDU.
  ///
  /// - Throws: `SocketError`, `CancellationError`.
  package func send(_ pdu: [UInt8]) async throws { try await socket.send(pdu) }

  /// The next PDU; nil when the link is gone.
  ///
  /// - Throws: `SocketError` whose error number says why the link broke; `CancellationError`.
  package func receive() async throws -> [UInt8]? { try await socket.receive() }

  /// Gives the link up; the kernel drops it when nobody else uses it.
  package func close() { socket.close() }

  private func waitUntilWritable() async throws {
    let hungUp = Int32(MH_BLUETOOTH_HUNG_UP)
    let reason = Mutex(Int32(0))
    while true {
      let state = socket.withDescriptor { descriptor -> Int32 in
        let state = mh_bluetooth_poll(descriptor)
        if state < 0 || state & hungUp != 0 { reason.withLock { $0 = mh_bluetooth_take_error(descriptor) } }
        return state
      }
      guard let state, state >= 0, state & hungUp == 0 else {
        socket.close()
        throw KernelBluetoothError(connectingTo: peer, errno: -reason.withLock(\.self))
      }
      if state & Int32(MH_BLUETOOTH_WRITABLE) != 0 { return }
      do {
        try await socket.waitUntilWritable {
          mh_bluetooth_poll($0) != 0
        } closingIf: { descriptor in
          guard mh_bluetooth_poll(descriptor) & hungUp != 0 else { return false }
          reason.withLock { $0 = mh_bluetooth_take_error(descriptor) }
          return true
        }
      } catch is SocketError {
        // It is closed: what follows says why.
        continue
      }
    }
  }
}

extension KernelBluetoothError {
  init(connectingTo peer: BluetoothAddress, errno: Int32) {
    let name = errno == 0 ? "the link was given up" : SocketError.name(of: errno)
    let why =
      switch errno {
      case SystemErrorNumber.timedOut: "it did not answer; keep it close by and switched on"
      case SystemErrorNumber.noRoute, SystemErrorNumber.noDevice:
        "the adapter is gone or cannot do Bluetooth LE; plug it in again, or use another"
      case SystemErrorNumber.hostDown, SystemErrorNumber.networkDown:
        RadioSwitch.isBlocked()
          ? "the adapter is off; run `rfkill unblock bluetooth`, or use the machine's switch"
          : "the adapter is off; switch it on, and try again"
      case SystemErrorNumber.busy, SystemErrorNumber.alreadyConnected:
        "another program holds a link to it; run `bluetoothctl disconnect \(peer)`, and try again"
      case SystemErrorNumber.refused, SystemErrorNumber.aborted: "it, or the controller, refused; try again"
      case SystemErrorNumber.reset: "it closed the link at once; try again"
      default: "the link could not be made"
      }
    let code: Code =
      switch errno {
      case SystemErrorNumber.noRoute, SystemErrorNumber.noDevice: .adapterGone
      case SystemErrorNumber.hostDown, SystemErrorNumber.networkDown: RadioSwitch.isBlocked() ? .blocked : .poweredOff
      default: .link
      }
    self.init(code, "cannot connect to \(peer) (\(name)): \(why)", errno: errno)
  }

  init(securing peer: BluetoothAddress, errno: Int32) {
    let name = errno == 0 ? "the link ended" : SocketError.name(of: errno)
    self.init(.link, "the link to \(peer) could not be encrypted (\(name))", errno: errno)
  }
}
