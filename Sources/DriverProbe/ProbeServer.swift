import DriverContract
import DriverRuntime
import CLinux
import CMeterDriver
import Glibc

/// A worker that a conformance suite drives: it runs a bundle as a worker does, confined as a worker is, in whatever
/// ``ProbeManner`` the suite asks for.
public struct ProbeServer {
  private let socket: Int32

  /// The exit status of a probe that has no memory left for what it lends: nothing is said about the driver.
  package static let noMemory: Int32 = 75
  /// The exit status of a probe whose driver has taken the memory.
  package static let memoryTaken: Int32 = 74

  /// Room for what is lent to drivers and kept from being used again.
  private static let limits = DriverLimits(
    eventCPUMilliseconds: DriverLimits.greatest.eventCPUMilliseconds,
    eventWallMilliseconds: DriverLimits.greatest.eventWallMilliseconds, memoryMebibytes: 256,
    recordsPerEvent: DriverLimits.greatest.recordsPerEvent)

  /// Addresses that malloc(3) takes for each thread but the first, and twice as many for a moment: two threads call drivers.
  private static let arenas: UInt64 = 256 << 20

  /// - Parameter socket: Descriptor of the socket to the suite, which sends the bundle over it.
  public init(socket: Int32) { self.socket = socket }

  /// Serves until the suite closes the socket.
  /// - Returns: The exit status.
  public func run() -> Int32 {
    let status = clinux_open_process_status()
    guard let sandbox = WorkerSandbox(), clinux_live_with_peer(socket) == 0, let threads = CallThreads() else {
      return WorkerServer.notConfined
    }
    let bundle = clinux_receive_descriptor(socket)
    guard bundle >= 0 else { return bundle == -EPIPE ? 0 : WorkerServer.notUnderstood }
    let channel = FrameChannel(socket: socket)
    do {
      let (type, payload) = try channel.receive(deadline: nil)
      guard case .load(let name, let manner) = try message(type, payload) else { return WorkerServer.notUnderstood }
      threads.changes = manner.contains(.changesThreads)
      let library: ProbeLibrary
      do throws(DriverFault) {
        try sandbox.loadLibraries(of: bundle, name: name)
        guard sandbox.beginLoading(bundle, Self.limits, addresses: Self.arenas) == 0 else {
          return WorkerServer.notConfined
        }
        library = try ProbeDesk.budgeted {
          Result { () throws(DriverFault) in
            let library = try ProbeLibrary(descriptor: bundle, name: name, host: ProbeHost.table(manner))
            try library.load()
            return library
          }
        }.result.get()
      } catch {
        try send(.fault(error), channel)
        return 65
      }
      guard sandbox.beginServing() == 0 else { return WorkerServer.notConfined }
      try send(.hello(library.drivers), channel)
      let services = WorkerServices(channel: channel)
      let desk = ProbeDesk(library, manner, threads, services, status: status)
      while true {
        let (type, payload) = try channel.receive(deadline: nil)
        let asked = try message(type, payload)
        let reply: ProbeReply
        do throws(DriverFault) { reply = try desk.answer(asked) } catch { reply = .fault(error) }
        if let failure = services.failure { throw failure }
        try send(reply, channel)
      }
    } catch ChannelError.ended {
      return 0
    } catch {
      return WorkerServer.notUnderstood
    }
  }

  private func message(_ type: UInt8, _ payload: UnsafeRawBufferPointer) throws(ChannelError) -> ProbeMessage {
    do { return try ProbeMessage(type: type, payload: Array(payload)) } catch { throw .garbage(error.message) }
  }

  private func send(_ reply: ProbeReply, _ channel: FrameChannel) throws(ChannelError) {
    try channel.send(type: reply.type, reply.payload, deadline: nil)
  }
}
