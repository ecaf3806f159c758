import BluetoothWire
import KernelBluetooth

/// What the kernel's Bluetooth is like, for a person who asks why nothing is read. Looking changes nothing.
public struct AdapterSurvey: Sendable {
  /// A Bluetooth controller of this machine, such as `hci0`.
  public struct Adapter: Sendable {
    /// The kernel's name for it.
    public let name: String
    /// Its identity address; nil when the kernel does not tell.
    public let address: String?
    /// Why it cannot be used as it is; nil when it can.
    public let problem: BluetoothError?
  }

  /// Why there is no Bluetooth at all; nil when there is.
  public let problem: BluetoothError?
  /// The adapters, by the kernel's numbers.
  public let adapters: [Adapter]
  /// Whether bluetoothd runs the adapters, and keeps their bonds.
  public let hasDaemon: Bool

  private init(problem: BluetoothError?, adapters: [Adapter], hasDaemon: Bool) {
    (self.problem, self.adapters, self.hasDaemon) = (problem, adapters, hasDaemon)
  }

  /// Looks at the machine.
  public static func look() async -> AdapterSurvey {
    let hasDaemon = await BluetoothDaemon().isRunning()
    do throws(KernelBluetoothError) {
      let client = try ManagementClient(onEvent: { _, _ in }, onEnd: { _ in })
      client.start()
      let list = try await client.perform(
        .readIndexList, index: ManagementPacket.noAdapter, adapter: "the kernel", patience: .seconds(3))
      var adapters: [Adapter] = []
      for index in ManagementAnswer.indices(list).sorted() { adapters.append(await look(at: index, client, hasDaemon)) }
      return AdapterSurvey(problem: nil, adapters: adapters, hasDaemon: hasDaemon)
    } catch {
      return AdapterSurvey(
        problem: BluetoothError(kernel: error, otherwise: .bluetoothOff), adapters: [], hasDaemon: hasDaemon)
    }
  }

  private static func look(
    at index: UInt16, _ client: ManagementClient, _ hasDaemon: Bool
  ) async -> Adapter {
    let name = KernelRadio.name(of: index)
    var address: String?
    do throws(KernelBluetoothError) {
      let bytes = try await client.perform(.readInformation, index: index, adapter: name, patience: .seconds(3))
      let information = AdapterInformation(decoding: bytes)
      address = information?.address.description
      guard information?.supported.contains(.lowEnergy) == true else {
        throw KernelBluetoothError(
          .noLowEnergy, "\(name) cannot do Bluetooth LE; use an adapter of Bluetooth 4.0 or later")
      }
      if information?.current.contains(.powered) != true, RadioSwitch.isBlocked() {
        throw KernelBluetoothError(ManagementStatus.blocked, trying: "be switched on", adapter: name)
      }
      // Beside bluetoothd nobody here switches it on.
      if hasDaemon, information?.current.contains(.powered) != true { throw KernelBluetoothError.offBesideDaemon(name) }
      do throws(KernelBluetoothError) {
        // Of the questions that need the rights of a radio's owner, one that changes nothing.
        try await client.perform(.readConnections, index: index, adapter: name, patience: .seconds(3))
      } catch {
        // It is switched on when it is used.
        guard error.status == .notPowered else { throw error }
      }
      return Adapter(name: name, address: address, problem: nil)
    } catch {
      return Adapter(name: name, address: address, problem: BluetoothError(kernel: error, otherwise: .bluetoothOff))
    }
  }
}
