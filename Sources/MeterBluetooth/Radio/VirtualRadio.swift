public import BluetoothWire
import Dispatch
import Glibc
import LinuxSockets

/// The radio of the virtual air: meters are sockets in a folder. Everything above the bearer is the code that the kernel's
/// radio uses.
public struct VirtualRadio: Radio {
  /// How often the folder is looked at for meters that have come.
  static let scanInterval = Duration.milliseconds(20)

  private let air: VirtualAir

  /// A radio in this air.
  public init(air: VirtualAir) { self.air = air }

  /// Advertisements of every meter in the air.
  public func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    let queue = AdvertisementQueue()
    let task = Task { await listen(queue) }
    return queue.stream { task.cancel() }
  }

  /// Opens the meter's ATT link.
  ///
  /// - Throws: ``BluetoothError`` with code `connectionFailure`.
  public func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    do {
      return VirtualBearer(socket: try PacketSocket.connect(to: try air.attPath(of: address)))
    } catch {
      throw BluetoothError(.connectionFailure, "cannot connect to \(address): \(error)", cause: error)
    }
  }

  /// A local socket has no pairing: every meter of the virtual air counts as paired.
  public func isPaired(with address: BluetoothAddress) async -> Bool { true }

  /// A local socket is as trusted as the host itself; there is nothing to raise.
  public func pair(with address: BluetoothAddress) async throws(BluetoothError) {}

  private func listen(_ queue: AdvertisementQueue) async {
    let heard = ListeningSet()
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        for name in socketNames() where await heard.insert(name) {
          group.addTask {
            await follow(name, queue)
            await heard.remove(name)
          }
        }
        try? await Task.sleep(for: Self.scanInterval)
      }
      group.cancelAll()
    }
    queue.finish()
  }

  private func follow(_ name: String, _ queue: AdvertisementQueue) async {
    guard let socket = try? PacketSocket.connect(to: "\(air.folder)/\(name)") else { return }
    defer { socket.close() }
    // A broken socket is a meter that has left the air; the next look at the folder finds it again.
    while let packet = try? await socket.receive() {
      guard let report = AdvertisingReport(decoding: packet) else { return }
      queue.put(report)
    }
  }

  private func socketNames() -> [String] {
    guard let folder = opendir(air.folder) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if VirtualAir.address(ofAdvertisingSocket: name) != nil { names.append(name) }
    }
    return names
  }
}

/// Which meters are being listened to.
private actor ListeningSet {
  private var names: Set<String> = []

  func insert(_ name: String) -> Bool { names.insert(name).inserted }
  func remove(_ name: String) { names.remove(name) }
}

/// The virtual air's ATT channel: one packet is one PDU.
struct VirtualBearer: ATTBearer {
  let socket: PacketSocket

  func send(_ pdu: [UInt8]) async throws(GATTError) {
    do {
      try await socket.send(pdu)
    } catch {
      throw GATTError(.disconnected, "the link broke while sending: \(error)")
    }
  }

  func receive() async throws(GATTError) -> [UInt8]? {
    do {
      return try await socket.receive()
    } catch {
      throw GATTError(.disconnected, "the link broke: \(error)")
    }
  }

  func close() { socket.close() }
}
