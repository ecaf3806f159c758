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
    guard WorkerSandbox.enter() == 0, clinux_live_with_peer(socket) == 0 else { return Self.notConfined }
    let bundle = clinux_receive_descriptor(socket)
    guard bundle >= 0 else { return bundle == -EPIPE ? 0 : Self.notUnderstood }
    let channel = FrameChannel(socket: socket)
    do {
      guard case .load(let name, let limits) = try receive(channel) else { return Self.notUnderstood }
      guard WorkerSandbox.beginLoading(limits) == 0 else { return Self.notConfined }
      let budget = CPUBudget(limits)
      let library: DriverLibrary
      do {
        library = try budget.spend { () throws(DriverFault) in
          try DriverLibrary(descriptor: bundle, name: name)
        }.result
      } catch {
        try channel.send(.fault(error))
        return 65
      }
      guard WorkerSandbox.beginServing() == 0 else { return Self.notConfined }
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
    do { return try HostMessage(type: type, payload: Array(payload)) } catch { throw .garbage(error.message) }
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
    try send(type: message.type, message.payload, deadline: nil)
  }
}

/// The CPU time that one call into the driver may use; past it, the system ends this process with SIGPROF.
private struct CPUBudget {
  private let microseconds: Int64

  init(_ limits: DriverLimits) { microseconds = Int64(limits.eventCPUMilliseconds) * 1000 }

  func begin() { _ = clinux_cpu_budget(microseconds) }
  func end() { _ = clinux_cpu_budget(0) }

  /// Runs driver code, and says how many nanoseconds it used.
  func spend<Result>(
    _ body: () throws(DriverFault) -> Result
  ) throws(DriverFault) -> (result: Result, used: Int64) {
    begin()
    defer { end() }
    let before = clinux_cpu_time()
    let result = try body()
    return (result, clinux_cpu_time() - before)
  }
}

/// What a worker has open: one session or one decoder.
struct WorkerDesk {
  private let library: DriverLibrary
  private let services: any SessionServices
  private let limits: DriverLimits
  private var opened: LocalSession?
  private var prepared: LocalDecoder?

  init(library: DriverLibrary, services: any SessionServices, limits: DriverLimits) {
    self.library = library
    self.services = services
    self.limits = limits
  }

  mutating func open(_ driver: String, _ opening: DriverOpening) throws(DriverFault) {
    guard opened == nil else {
      throw DriverFault(.refused, driver: driver, message: "a worker serves one session, and this one has had its own")
    }
    opened = try LocalSession(library: library, driver: driver, opening: opening, services: services, limits: limits)
  }

  mutating func prepare(_ driver: String, _ opening: DriverOpening) throws(DriverFault) {
    prepared = try LocalDecoder(library: library, driver: driver, opening: opening, room: .decodeMessage)
  }

  func call(_ driver: String, _ call: FunctionCall) throws(DriverFault) -> RawAnswer {
    try LocalCall(library: library, driver: driver).raw(call)
  }

  func session() throws(DriverFault) -> LocalSession {
    guard let opened else { throw DriverFault(.closed, driver: library.name, message: "no session is open") }
    return opened
  }

  func decoder() throws(DriverFault) -> LocalDecoder {
    guard let prepared else { throw DriverFault(.closed, driver: library.name, message: "no decoder is prepared") }
    return prepared
  }

  func close() { opened?.close() }
}
