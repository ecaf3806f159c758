import DriverContract
import CLinux
import CMeterDriver
import Glibc

/// The worker's side: loads one bundle, serves one session or one decoder, and goes when its host goes (rule R24).
public struct WorkerServer {
  private let socket: Int32

  /// CPU time of one call into the driver after which it is warned (rule R16).
  static let warnedNanoseconds: Int64 = 10_000_000

  /// The exit status of a worker that the kernel does not confine: it runs no driver.
  package static let notConfined: Int32 = 71
  /// The exit status of a worker whose host talks nonsense.
  package static let notUnderstood: Int32 = 76

  /// - Parameter socket: Descriptor of the socket to the host, which sends the bundle over it when it has one to run.
  public init(socket: Int32) { self.socket = socket }

  /// Waits for a bundle, loads it, and serves until the host closes the socket.
  /// - Returns: The exit status.
  public func run() -> Int32 {
    guard let sandbox = WorkerSandbox(), clinux_live_with_peer(socket) == 0 else { return Self.notConfined }
    let bundle = clinux_receive_descriptor(socket)
    guard bundle >= 0 else { return bundle == -EPIPE ? 0 : Self.notUnderstood }
    let channel = FrameChannel(socket: socket)
    channel.longest = max(WireFrame.longest, ExtensionServers.longestMessage)
    do {
      guard case .load(let name, let limits) = try receive(channel) else { return Self.notUnderstood }
      let budget = CPUBudget(limits)
      let library: DriverLibrary
      do {
        try sandbox.loadLibraries(of: bundle, name: name)
        guard sandbox.beginLoading(bundle, limits) == 0 else { return Self.notConfined }
        try channel.send(.confined(.host))
        library = try budget.spend { () throws(DriverFault) in
          try DriverLibrary(descriptor: bundle, name: name)
        }.result
      } catch let fault as DriverFault {
        try channel.send(.fault(fault))
        return 65
      }
      guard sandbox.beginServing() == 0 else { return Self.notConfined }
      try channel.send(.hello(.host, library.drivers))
      let services = WorkerServices(channel: channel)
      var desk = WorkerDesk(library: library, services: services, limits: limits)
      while true {
        try answer(try receive(channel), &desk, budget, channel)
        if let failure = services.failure { throw failure }
      }
    } catch ChannelError.ended {
      return 0
    } catch {
      return Self.notUnderstood
    }
  }

  private func receive(_ channel: FrameChannel) throws(ChannelError) -> HostMessage {
    let (type, payload) = try channel.receive(deadline: nil)
    do {
      let message = try HostMessage(type: type, payload: Array(payload))
      channel.forgetPayload()
      return message
    } catch { throw .garbage(error.message) }
  }

  private func answer(
    _ message: HostMessage, _ desk: inout WorkerDesk, _ budget: CPUBudget, _ channel: FrameChannel
  ) throws(ChannelError) {
    do {
      switch message {
      case .open(let driver, let opening):
        _ = try budget.spend { () throws(DriverFault) in try desk.open(driver, opening) }
        try channel.send(.ready)
      case .event(let event):
        var (unit, used) = try budget.spend { () throws(DriverFault) in try desk.session().rawUnit(event) }
        if let warning = Self.warning(used, "an event") { unit.logs.append(warning) }
        try channel.send(.unit(unit))
      case .prepare(let driver, let opening):
        _ = try budget.spend { () throws(DriverFault) in try desk.prepare(driver, opening) }
        try channel.send(.ready)
      case .decode(var slices, let arena):
        try decode(&slices, arena, try desk.decoder(), budget, channel)
      case .call(let driver, let call):
        var (answer, used) = try budget.spend { () throws(DriverFault) in try desk.call(driver, call) }
        if let warning = Self.warning(used, "a call") { answer.logs.append(warning) }
        try channel.send(.returned(answer))
      case .answer: throw ChannelError.garbage("the host answers what was not asked")
      case .load: throw ChannelError.garbage("the host sends a second bundle")
      case .close:
        _ = try budget.spend { () throws(DriverFault) in desk.close() }
        try channel.send(.ready)
      case .extension(let message): try channel.send(try desk.answer(message, budget))
      }
    } catch let fault as DriverFault {
      try channel.send(.fault(fault))
    } catch let error as ChannelError {
      throw error
    } catch {
      throw .garbage("\(error)")
    }
  }

  private func decode(
    _ slices: inout [mh_slice], _ arena: [UInt8], _ decoder: LocalDecoder, _ budget: CPUBudget,
    _ channel: FrameChannel
  ) throws {
    let count = slices.count
    guard count > 0 else { throw ChannelError.garbage("nothing to decode") }
    var broken: ChannelError?
    budget.begin()
    defer { budget.end() }
    try slices.withUnsafeMutableBufferPointer { slices throws(DriverFault) in
      try arena.withUnsafeBufferPointer { arena throws(DriverFault) in
        try decoder.unchecked(slices, arena) { done, output, first throws(DriverFault) in
          guard broken == nil else { return }
          let head = DecodedFrame.head(done, output, isLast: first + done.count == count)
          head.withUnsafeBytes { head in
            do throws(ChannelError) {
              try channel.send(
                type: WorkerMessage.decodedType, [head] + DecodedFrame.pieces(done, output), deadline: nil)
            } catch { broken = error }
          }
        }
      }
    }
    if let broken { throw broken }
  }

  private static func warning(_ used: Int64, _ what: String) -> DriverLogLine? {
    guard used > warnedNanoseconds else { return nil }
    return DriverLogLine(
      level: .warning, message: "\(what) took \(used / 1_000_000) ms of CPU time [rule R16]", isHosts: true)
  }
}

extension FrameChannel {
  fileprivate func send(_ message: WorkerMessage) throws(ChannelError) {
    guard case .extension(let payload) = message else {
      return try send(type: message.type, message.payload, deadline: nil)
    }
    try send(type: message.type, payload, deadline: nil)
  }
}
