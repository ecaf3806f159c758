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

  /// How long after its last look at a meter that is there and cannot be listened to the folder is looked at again: at first, as when
  /// its socket is about to listen, and at last, when what is left of a meter that has gone lies there.
  static let (firstRetry, longestRetry) = (Duration.milliseconds(10), Duration.seconds(2))
  /// How often a folder is looked at that is not there yet, or that the kernel does not watch for this process.
  static let pollInterval = Duration.milliseconds(500)
  /// Most links of which it is remembered what became of them, beside those that are up.
  static let mostLinks = 256

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
        links.withLock { links in
          if links.count >= Self.mostLinks { links = links.filter { $0.value.isOpen } }
          links[address] = link
        }
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

  /// Looks at the folder whenever something has come into it.
  private func listen(_ queue: AdvertisementQueue) async {
    let audience = ListeningSet()
    await withDiscardingTaskGroup { group in
      var watch: FolderWatch?
      while !Task.isCancelled {
        // Watched before it is looked at: what comes between the two is told.
        if watch == nil { watch = try? FolderWatch(air.folder) }
        let names = socketNames()
        audience.keep(names)
        for name in names where audience.insert(name, at: clock.now) {
          group.addTask {
            let hasHeard = await self.follow(name, queue)
            audience.leave(name, at: self.clock.now, hasHeard: hasHeard)
          }
        }
        switch await reason(to: watch, audience) {
        case .change: audience.retryAll()
        case .gone: watch = nil
        case .time: break
        }
      }
      watch?.close()
      group.cancelAll()
    }
    queue.finish()
  }

  /// Why the folder has to be looked at again.
  private enum Reason {
    /// Something has come into it.
    case change
    /// It is not watched, or not any more.
    case gone
    /// A meter has left, or is to be tried again.
    case time
  }

  /// Returns when there may be somebody new in the folder.
  private func reason(to watch: FolderWatch?, _ audience: ListeningSet) async -> Reason {
    let (reasons, reason) = AsyncStream.makeStream(of: Reason.self, bufferingPolicy: .bufferingOldest(1))
    audience.whenSomebodyLeaves { reason.yield(.time) }
    let limit = watch == nil ? clock.now + Self.pollInterval : nil
    let due = [audience.nextTry, limit].compactMap(\.self).min()
    let waiting = Task { [clock] in
      guard let due, await clock.elapsed(until: due) else { return }
      reason.yield(watch == nil ? .gone : .time)
    }
    let watching = Task {
      guard let watch else { return }
      let isThere = (try? await watch.waitForChange()) ?? false
      reason.yield(isThere ? .change : .gone)
    }
    defer {
      audience.whenSomebodyLeaves(nil)
      waiting.cancel()
      watching.cancel()
    }
    for await reason in reasons { return reason }
    return .time
  }

  /// - Returns: Whether anything was heard.
  private func follow(_ name: String, _ queue: AdvertisementQueue) async -> Bool {
    guard let socket = try? PacketSocket.connect(to: "\(air.folder)/\(name)") else { return false }
    defer { socket.close() }
    var hasHeard = false
    // A broken socket is a meter that has left the air; a later look at the folder finds it again.
    while let packet = try? await socket.receive() {
      guard let report = AdvertisingReport(decoding: packet) else { return hasHeard }
      hasHeard = true
      queue.put(report)
    }
    return hasHeard
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
