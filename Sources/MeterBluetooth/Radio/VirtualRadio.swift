public import BluetoothWire
import Dispatch
import Glibc
package import HostPrimitives
package import LinuxSockets
import Synchronization

/// The radio of the virtual air: meters are sockets in a folder. Everything above the bearer is the code that the kernel's
/// radio uses.
public final class VirtualRadio: NamedRadio {
  /// The folder's.
  public var name: String { air.folder }

  /// How often the folder is looked at for meters that have come.
  static let scanInterval = Duration.milliseconds(20)

  private let air: VirtualAir
  private let bonds: any BondKeeper
  private let clock: any HostClock
  private let links = Mutex<[BluetoothAddress: VirtualLink]>([:])

  /// A radio in this air; without a keeper its bonds go with it.
  public convenience init(air: VirtualAir, bonds: (any BondKeeper)? = nil) {
    self.init(air: air, bonds: bonds, clock: .system)
  }

  /// The same by another clock.
  package init(air: VirtualAir, bonds: (any BondKeeper)? = nil, clock: any HostClock) {
    self.air = air
    self.clock = clock
    self.bonds = bonds ?? PassingBonds()
  }

  /// Advertisements of every meter in the air.
  public func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    let queue = AdvertisementQueue()
    let task = Task { await listen(queue) }
    return queue.stream { task.cancel() }
  }

  /// Opens the meter's ATT link, and encrypts it when there is a bond.
  ///
  /// - Throws: ``BluetoothError`` with code `connectionFailure`, or `storeFailure` when the bond cannot be read.
  public func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    let bond = try kept { () throws in try bonds.bond(with: address) }
    do {
      let socket = try PacketSocket.connect(to: try air.attPath(of: address))
      do {
        try await socket.send(VirtualSecurity.start(bond: bond).encoded)
        guard let packet = try await socket.receive() else {
          throw BluetoothError(
            .connectionFailure, "the meter took the link and closed it at once; another host may hold it")
        }
        let answer = VirtualSecurity(decoding: packet)
        let link = VirtualLink(
          socket: socket, level: Self.level(answer), hasLostBond: answer == .keyMissing, clock: clock)
        links.withLock { $0[address] = link }
        return VirtualBearer(socket: socket, link: link)
      } catch {
        socket.close()
        throw error
      }
    } catch {
      throw BluetoothError(.connectionFailure, "cannot connect to \(address): \(error)", cause: error)
    }
  }

  /// Whether the meter's link is encrypted, or the meter needs none. A bond that the meter has lost is none.
  public func isPaired(with address: BluetoothAddress) async -> Bool { level(of: address) > 1 }

  /// Whether the meter has said on its last link that it does not know the bond any more.
  public func hasLostBond(with address: BluetoothAddress) async -> Bool {
    links.withLock { $0[address] }?.hasLostBond ?? false
  }

  /// Pairs with the meter whose link is up.
  ///
  /// - Throws: ``BluetoothError`` with code `pairingFailure`, `cancelled` or `storeFailure`.
  public func pair(
    with address: BluetoothAddress, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink {
    guard let link = links.withLock({ $0[address] }) else {
      throw BluetoothError(.pairingFailure, "there is no connection to \(address) to pair on")
    }
    guard link.level == 1 else { return PairedLink(level: link.level, identity: address) }
    let (bond, level) = try await link.pair(passkey: person.passkey)
    try kept { () throws in try bonds.keep(bond, with: address) }
    link.raise(to: level)
    return PairedLink(level: level, identity: address)
  }

  /// The level of the meter's link; 1 when there is none.
  public func security(of address: BluetoothAddress) async -> UInt8 { level(of: address) }

  /// Forgets the bond with a meter; the meter keeps its own side.
  public func forget(_ address: BluetoothAddress) async throws(BluetoothError) {
    try kept { () throws in try bonds.keep(nil, with: address) }
  }

  private func level(of address: BluetoothAddress) -> UInt8 { links.withLock { $0[address] }?.level ?? 1 }

  /// What the meter says to the first message. A meter that needs no security counts as encrypted: a local socket is as
  /// trusted as the host itself.
  private static func level(_ answer: VirtualSecurity?) -> UInt8 {
    switch answer {
    case .level(let level): min(max(level, 1), 3)
    case .notNeeded: 2
    default: 1
    }
  }

  private func kept<Value>(_ body: () throws -> Value) throws(BluetoothError) -> Value {
    do { return try body() } catch {
      throw BluetoothError(.storeFailure, "the bonds in the state folder cannot be used: \(error)", cause: error)
    }
  }

  private func listen(_ queue: AdvertisementQueue) async {
    let heard = ListeningSet()
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        for name in socketNames() where await heard.insert(name) {
          group.addTask {
            await self.follow(name, queue)
            await heard.remove(name)
          }
        }
        try? await clock.sleep(for: Self.scanInterval)
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

/// Bonds that last as long as their radio.
private final class PassingBonds: BondKeeper {
  private let bonds = Mutex<[BluetoothAddress: [UInt8]]>([:])

  func bond(with address: BluetoothAddress) -> [UInt8]? { bonds.withLock { $0[address] } }
  func keep(_ bond: [UInt8]?, with address: BluetoothAddress) { bonds.withLock { $0[address] = bond } }
}

/// The virtual air's ATT channel: one packet is one PDU, or a message of security, which goes to the link.
package struct VirtualBearer: ATTBearer {
  let socket: PacketSocket
  var link: VirtualLink?

  init(socket: PacketSocket, link: VirtualLink) {
    self.socket = socket
    self.link = link
  }

  /// A link without security.
  package init(socket: PacketSocket) { self.socket = socket }

  package func send(_ pdu: [UInt8]) async throws(GATTError) {
    do {
      try await socket.send(pdu)
    } catch {
      throw GATTError(.disconnected, "the link broke while sending: \(error)")
    }
  }

  package func receive() async throws(GATTError) -> [UInt8]? {
    do {
      while let packet = try await socket.receive() {
        guard VirtualSecurity.isSecurity(packet) else { return packet }
        link?.receive(packet)
      }
      link?.end()
      return nil
    } catch {
      link?.end()
      throw GATTError(.disconnected, "the link broke: \(error)")
    }
  }

  package func close() {
    link?.end()
    socket.close()
  }
}
