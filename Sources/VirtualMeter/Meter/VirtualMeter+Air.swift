public import BluetoothWire
import HostPrimitives
import LinuxSockets
import Synchronization

extension VirtualMeter {
  /// Switches the meter on: it advertises in the air and serves one client at a time, until the task is cancelled.
  ///
  /// The socket files are removed before this returns.
  ///
  /// - Throws: ``VirtualMeterError`` with code `address_taken` if another meter has this address, `air` if the folder
  ///   cannot be used, `socket` if a socket fails; `CancellationError` when the task was cancelled.
  public func run(in air: VirtualAir) async throws {
    let advertising = try listen(in: air, at: { try air.advertisingPath(of: self.script.address) })
    defer { advertising.close() }
    let link = try listen(in: air, at: { try air.attPath(of: self.script.address) })
    defer { link.close() }
    let audience = Audience(report: advertisement.encoded)
    defer { audience.close() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.welcomeListeners(advertising, audience) }
      group.addTask { try await self.acceptClients(link, audience) }
      group.addTask { try await self.advertise(to: audience) }
      // Whether a meter is on does not depend on whether it has something to say: what ends it is an error, and cancellation is one.
      while try await group.next() != nil {}
    }
    try Task.checkCancellation()
  }

  private func listen(in air: VirtualAir, at path: () throws -> String) throws(VirtualMeterError) -> PacketListener {
    do {
      try SocketFolder.create(air.folder)
      return try PacketListener(path: try path())
    } catch let error as VirtualAirError {
      throw VirtualMeterError(.air, message: error.message, cause: error)
    } catch let error as SocketError where error.code == .addressInUse {
      throw VirtualMeterError(
        .addressTaken,
        message: "a meter with the address \(script.address) is in the air “\(air.folder)” already; "
          + "stop it, or change the script's address", cause: error)
    } catch {
      throw VirtualMeterError(.air, message: "the air “\(air.folder)” cannot be used: \(error)", cause: error)
    }
  }

  private func welcomeListeners(_ listener: PacketListener, _ audience: Audience) async throws {
    // A sequence of advertisements is not told out of turn.
    while let socket = try await listener.accept(patientlyBy: clock) {
      audience.add(socket, hearsNow: !isHeld && !script.isAdvertisementOnly)
    }
  }

  private func acceptClients(_ listener: PacketListener, _ audience: Audience) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      while let socket = try await listener.accept(patientlyBy: clock) {
        guard hold() else {
          socket.close()
          emit(.refusedClient)
          continue
        }
        group.addTask {
          await self.serve(socket)
          guard !Task.isCancelled else { return }
          self.emit(.advertising)
        }
      }
    }
  }

  private func advertise(to audience: Audience) async throws {
    emit(.advertising)
    // It has nothing else to say behind its sequence.
    if case .advertise(let options) = script.behaviour { return try await advertise(options, to: audience) }
    while true {
      // Nobody hears what is sent to nobody, and an idle meter is not to wake the machine.
      try await audience.waitForListener()
      try await clock.sleep(for: .milliseconds(script.advertisement.intervalMilliseconds))
      if !isHeld { audience.hear() }
    }
  }

  /// Sends the sequence from the moment at which somebody listens, so that nobody misses its beginning.
  private func advertise(_ options: MeterScript.Advertise, to audience: Audience) async throws {
    try await audience.waitForListener()
    var sequence = AdvertisingSequence(options, script.advertisement)
    while let (data, wait) = sequence.next() {
      try await clock.sleep(for: .milliseconds(wait))
      if !isHeld { audience.hear(report(of: data).encoded) }
    }
    emit(.procedureDone("advertisements"))
  }
}

/// Who listens to the meter's advertisements.
private final class Audience: Sendable {
  /// More listeners are turned away: they would only be hosts that leak sockets.
  private static let limit = 64

  private let report: [UInt8]
  private let sockets = Mutex<[PacketSocket]>([])
  private let arrivals: AsyncStream<Void>
  private let arrived: AsyncStream<Void>.Continuation

  init(report: [UInt8]) {
    self.report = report
    (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func add(_ socket: PacketSocket, hearsNow: Bool) {
    let isWelcome = sockets.withLock { sockets in
      if sockets.count >= Self.limit { sockets.removeAll { (try? $0.tryReceive()) != .nothingYet } }
      guard sockets.count < Self.limit else { return false }
      if !hearsNow || reaches(socket, report) { sockets.append(socket) }
      return true
    }
    if isWelcome { arrived.yield() } else { socket.close() }
  }

  /// Returns as soon as somebody listens.
  ///
  /// - Throws: `CancellationError`.
  func waitForListener() async throws {
    var arrivals = arrivals.makeAsyncIterator()
    while isEmpty {
      _ = await arrivals.next()
      try Task.checkCancellation()
    }
  }

  /// Sends a report to everybody; who has gone is forgotten, who does not read misses it.
  func hear(_ report: [UInt8]? = nil) {
    sockets.withLock { $0 = $0.filter { reaches($0, report ?? self.report) } }
  }

  var isEmpty: Bool { sockets.withLock { $0.isEmpty } }

  func close() {
    for socket in sockets.withLock({ $0 }) { socket.close() }
  }

  private func reaches(_ socket: PacketSocket, _ report: [UInt8]) -> Bool { (try? socket.trySend(report)) != nil }
}
