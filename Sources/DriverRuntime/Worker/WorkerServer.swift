import CLinux
import CMeterDriver
import Glibc

/// The worker's side: loads one bundle, serves one session or one decoder, and goes when its host goes (rule R24).
public struct WorkerServer {
  private let bundle: Int32
  private let socket: Int32
  private let name: String

  /// CPU time of one call into the driver: warned, and the end (rule R16).
  static let warnedNanoseconds: Int64 = 10_000_000
  static let mostMicroseconds: Int64 = 1_000_000

  /// - Parameters:
  ///   - bundle: Descriptor of the sealed bundle.
  ///   - socket: Descriptor of the socket to the host.
  ///   - name: How messages call the bundle.
  public init(bundle: Int32, socket: Int32, name: String) {
    self.bundle = bundle
    self.socket = socket
    self.name = name
  }

  /// Serves until the host closes the socket.
  /// - Returns: The exit status.
  public func run() -> Int32 {
    guard clinux_live_with_peer(socket) == 0 else { return 71 }
    let channel = FrameChannel(socket: socket)
    do {
      let library: DriverLibrary
      do {
        library = try budgeted { () throws(DriverFault) in
          try DriverLibrary(descriptor: bundle, name: name)
        }.result
      } catch {
        try send(.fault(error), channel)
        return 65
      }
      try send(.hello(.host, library.drivers), channel)
      let services = WorkerServices(channel: channel)
      var desk = WorkerDesk(library: library, services: services)
      while true {
        let (type, payload) = try channel.receive(deadline: nil)
        try answer(try message(type, payload), &desk, channel)
        if let failure = services.failure { throw failure }
      }
    } catch ChannelError.ended {
      return 0
    } catch {
      return 76
    }
  }

  private func message(_ type: UInt8, _ payload: UnsafeRawBufferPointer) throws(ChannelError) -> HostMessage {
    do { return try HostMessage(type: type, payload: Array(payload)) } catch { throw .garbage(error.message) }
  }

  private func answer(
    _ message: HostMessage, _ desk: inout WorkerDesk, _ channel: FrameChannel
  ) throws(ChannelError) {
    do {
      switch message {
      case .open(let driver, let opening):
        _ = try budgeted { () throws(DriverFault) in try desk.open(driver, opening) }
        try send(.ready, channel)
      case .event(let event):
        var (unit, used) = try budgeted { () throws(DriverFault) in try desk.session().rawUnit(event) }
        if used > Self.warnedNanoseconds {
          unit.logs.append(
            DriverLogLine(level: .warning, message: "an event took \(used / 1_000_000) ms of CPU time [rule R16]"))
        }
        try send(.unit(unit), channel)
      case .prepare(let driver, let opening):
        _ = try budgeted { () throws(DriverFault) in try desk.prepare(driver, opening) }
        try send(.ready, channel)
      case .decode(var slices, let arena):
        try decode(&slices, arena, try desk.decoder(), channel)
      case .answer: throw ChannelError.garbage("the host answers what was not asked")
      case .close:
        _ = try budgeted { () throws(DriverFault) in desk.close() }
        try send(.ready, channel)
      }
    } catch let fault as DriverFault {
      try send(.fault(fault), channel)
    } catch let error as ChannelError {
      throw error
    } catch {
      throw .garbage("\(error)")
    }
  }

  private func decode(
    _ slices: inout [mh_slice], _ arena: [UInt8], _ decoder: LocalDecoder, _ channel: FrameChannel
  ) throws {
    let count = slices.count
    guard count > 0 else { throw ChannelError.garbage("nothing to decode") }
    var broken: ChannelError?
    _ = clinux_cpu_budget(Self.mostMicroseconds)
    defer { _ = clinux_cpu_budget(0) }
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

  /// Runs driver code within its budget of CPU time; past it, the system ends this process with SIGPROF.
  private func budgeted<Result>(
    _ body: () throws(DriverFault) -> Result
  ) throws(DriverFault) -> (result: Result, used: Int64) {
    _ = clinux_cpu_budget(Self.mostMicroseconds)
    defer { _ = clinux_cpu_budget(0) }
    let before = clinux_cpu_time()
    let result = try body()
    return (result, clinux_cpu_time() - before)
  }

  private func send(_ message: WorkerMessage, _ channel: FrameChannel) throws(ChannelError) {
    try channel.send(type: message.type, message.payload, deadline: nil)
  }
}

/// What a worker has open: one session or one decoder.
struct WorkerDesk {
  private let library: DriverLibrary
  private let services: any SessionServices
  private var opened: LocalSession?
  private var prepared: LocalDecoder?

  init(library: DriverLibrary, services: any SessionServices) {
    self.library = library
    self.services = services
  }

  mutating func open(_ driver: String, _ opening: DriverOpening) throws(DriverFault) {
    guard opened == nil else {
      throw DriverFault(.refused, driver: driver, message: "a worker serves one session, and this one has had its own")
    }
    opened = try LocalSession(library: library, driver: driver, opening: opening, services: services)
  }

  mutating func prepare(_ driver: String, _ opening: DriverOpening) throws(DriverFault) {
    prepared = try LocalDecoder(library: library, driver: driver, opening: opening, room: .decodeMessage)
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
