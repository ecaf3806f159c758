package import BluetoothWire
import Glibc
import HostPrimitives

/// bluetoothd, on an adapter that it runs: its store of keys is the truth, and pairing is asked of it.
///
/// The links themselves are this host's own sockets (``ATTSocket``). While one holds a meter's link, bluetoothd pairs on that
/// link; without it, bluetoothd would connect by itself, read the meter's services, and keep the ATT channel, so that no socket
/// of this host could connect (EBUSY). See docs/decisions/0035-beside-bluetoothd.md.
///
/// Each question has a connection to the bus and a thread of its own, for some milliseconds.
package final class BluetoothDaemon: Sendable {
  /// How long bluetoothd may take for what needs no radio.
  static let patience = Duration.seconds(5)
  /// bluetoothd gives the link of a meter that it forgets two seconds.
  private static let patienceForForgetting = Duration.seconds(15)
  private static let patienceForName = Duration.seconds(3)
  /// Longer than ``DaemonPairing`` takes for anything.
  private static let patienceForPairing = Duration.seconds(130)

  private let address: String

  /// - Parameter bus: The address of the message bus; nil: that of `DBUS_SYSTEM_BUS_ADDRESS`, or the system's.
  package init(bus: String? = nil) {
    let named = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
    address = bus ?? named.flatMap { $0.isEmpty ? nil : $0 } ?? BusConnection.systemBus
  }

  /// Whether bluetoothd runs.
  ///
  /// Without libdbus, or a bus, it does not. A bus that is there and does not answer within seconds, or does not tell, counts
  /// as one where it does: to leave an adapter alone harms nobody, and keys that are loaded beside bluetoothd drive out its own.
  package func isRunning() async -> Bool { await runs() ?? true }

  /// Whether bluetoothd runs; nil when that cannot be known now.
  package func runs() async -> Bool? {
    let address = address
    do {
      return try await BusThread.run(patience: Self.patienceForName) { () throws(KernelBluetoothError) in
        let deadline = SystemClock().now + Self.patienceForName
        return try BusConnection.open(address, until: deadline)?.owner(until: deadline) != nil
      }
    } catch {
      return nil
    }
  }

  /// The protection that bluetoothd's bond with a meter gives a link.
  ///
  /// - Parameter adapter: The kernel's name of the adapter, as `hci0`.
  /// - Returns: Nil when bluetoothd does not know the meter or keeps no bond with it. It does not tell whether a person has
  ///   confirmed the pairing, so a bond counts as ``ATTSocket/Security/encrypted``; the link's own level tells more.
  /// - Throws: ``KernelBluetoothError`` with code `noAnswer`, `noPermission`, `poweredOff` or `refused`.
  package func protection(
    of peer: BluetoothAddress, at adapter: String
  ) async throws(KernelBluetoothError) -> ATTSocket.Security? {
    let address = address
    return try await BusThread.run(patience: Self.patience) { () throws(KernelBluetoothError) in
      let deadline = SystemClock().now + Self.patience
      let (connection, owner) = try Self.connect(address, until: deadline)
      let device = try connection.device(peer, at: adapter, owner: owner, until: deadline)
      return device?.isBonded == true ? .encrypted : nil
    }
  }

  /// The meters with which bluetoothd keeps bonds, by the addresses by which it knows them.
  ///
  /// - Parameter adapter: The kernel's name of the adapter, as `hci0`.
  /// - Throws: As ``protection(of:at:)``.
  package func bonded(at adapter: String) async throws(KernelBluetoothError) -> Set<BluetoothAddress> {
    let address = address
    return try await BusThread.run(patience: Self.patience) { () throws(KernelBluetoothError) in
      let deadline = SystemClock().now + Self.patience
      let (connection, owner) = try Self.connect(address, until: deadline)
      let devices = try connection.devices(at: adapter, owner: owner, until: deadline)
      return Set(devices.filter(\.isBonded).map(\.address))
    }
  }

  /// Pairs with a meter whose link one of this host's ATT sockets holds.
  ///
  /// The socket stays usable: during the pairing, after it succeeded (the link is then encrypted), and after the person has
  /// refused or the caller has given up. A meter that refuses drops the link. A meter that has forgotten its bond, and one that
  /// bluetoothd has paired before (`alreadyPaired`), has to be forgotten and connected anew first. The task's cancellation gives
  /// up, with outcome `cancelled`.
  ///
  /// bluetoothd is neither told to trust the meter nor to connect to it, so it does not do so by itself.
  ///
  /// - Parameter adapter: The kernel's name of the adapter, as `hci0`.
  /// - Throws: ``KernelBluetoothError`` with code `noAnswer`, `noPermission`, `poweredOff`, `noAdapter` or `refused`, when it is
  ///   not the pairing that fails.
  package func pair(
    with peer: BluetoothAddress, at adapter: String, asking person: DaemonPairingPerson
  ) async throws(KernelBluetoothError) -> DaemonPairingOutcome {
    let (run, address) = (try DaemonPairingRun(with: peer, at: adapter, asking: person), address)
    let outcome = await withTaskCancellationHandler {
      await Self.outcome { () async throws(KernelBluetoothError) in
        try await BusThread.run(patience: Self.patienceForPairing) { () throws(KernelBluetoothError) in
          try run.perform(bus: address)
        }
      }
    } onCancel: {
      run.cancel()
    }
    return try outcome.get()
  }

  /// Has bluetoothd forget a meter, with its bond; a link to the meter ends. One that it does not know is forgotten already.
  ///
  /// - Parameter adapter: The kernel's name of the adapter, as `hci0`.
  /// - Throws: ``KernelBluetoothError`` with code `noAnswer`, `noPermission`, `poweredOff` or `refused`.
  package func forget(_ peer: BluetoothAddress, at adapter: String) async throws(KernelBluetoothError) {
    let address = address
    try await BusThread.run(patience: Self.patienceForForgetting) { () throws(KernelBluetoothError) in
      let deadline = SystemClock().now + Self.patienceForForgetting
      let (connection, owner) = try Self.connect(address, until: deadline)
      guard let device = try connection.device(peer, at: adapter, owner: owner, until: deadline),
        let path = DaemonDevice.path(of: adapter)
      else { return }
      let call = BusCall(
        destination: owner, path: path, interface: "org.bluez.Adapter1", member: "RemoveDevice",
        arguments: [.path(device.path)])
      guard case .failure(let refusal) = try connection.ask(call, until: deadline), !refusal.isUnknownObject else {
        return
      }
      throw KernelBluetoothError(refusal, trying: "forget \(peer)")
    }
  }

  private static func connect(
    _ address: String, until deadline: HostInstant
  ) throws(KernelBluetoothError) -> (BusConnection, owner: String) {
    guard let connection = try BusConnection.open(address, until: deadline),
      let owner = try connection.owner(until: deadline)
    else { throw .daemonGone }
    return (connection, owner)
  }

  /// `withTaskCancellationHandler` does not throw typed errors.
  private static func outcome<Value: Sendable>(
    _ body: () async throws(KernelBluetoothError) -> Value
  ) async -> Result<Value, KernelBluetoothError> {
    do throws(KernelBluetoothError) { return .success(try await body()) } catch { return .failure(error) }
  }
}
