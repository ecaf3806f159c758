import HostPrimitives
package import DriverContract
import CLinux
import CMeterDriver
import Glibc

/// Why an exchange with a worker failed.
package enum WorkerFailure: Error, Sendable {
  /// The worker said so, or what it sent breaks a rule.
  case fault(DriverFault)
  /// The socket has ended: the worker is gone.
  case ended
  /// No answer before the deadline.
  case late
  /// The worker sent what the protocol does not allow.
  case garbage(String)
  /// The worker is of another version than this host.
  case otherVersion(String)
  /// The system said no (errno).
  case system(Int32)

  init(_ error: ChannelError) {
    self =
      switch error {
      case .ended: .ended
      case .late: .late
      case .garbage(let words): .garbage(words)
      case .otherVersion(let words): .otherVersion(words)
      case .system(let number): .system(number)
      }
  }
}

/// The host's side of the protocol: asks, waits, and believes nothing unchecked. Knows sockets, not processes.
package final class WorkerClient {
  let channel: FrameChannel
  // The channel's; it closes it.
  private let socket: Int32
  let driver: String
  private let services: (any SessionServices)?
  let limits: DriverLimits
  private let grant: (UInt32) -> Void
  /// Hears what is said to extensions and what they answer.
  package var onExtension: ((RecordingStep) -> Void)?
  private var order = SessionOrder()
  /// The worker has begun with its bundle: from here on everything that it says or does may be the bundle's doing.
  package private(set) var hasBegun = false

  /// The most values of one `decode` frame; more are sent as several.
  static let batch = 4096
  /// The most of a worker's words that are shown and kept, in bytes.
  private static let longestWords = 1024

  /// Takes over the socket.
  ///
  /// - Parameters:
  ///   - services: Answer for the session's keys.
  ///   - grant: Called before each request with the milliseconds of CPU time that the worker may use for it.
  package init(
    socket: Int32, driver: String, services: (any SessionServices)? = nil, limits: DriverLimits = .greatest,
    grant: @escaping (UInt32) -> Void = { _ in }
  ) {
    channel = FrameChannel(socket: socket)
    self.socket = socket
    self.limits = limits
    self.services = services
    self.driver = driver
    self.grant = grant
  }

  /// Hands the worker its bundle, an open sealed file, and waits for its first words.
  package func load(_ bundle: Int32, name: String, within limit: Duration) throws(WorkerFailure) -> [DriverDescription]
  {
    let sent = clinux_send_descriptor(socket, bundle)
    guard sent == 0 else { throw sent == -EPIPE || sent == -ECONNRESET ? .ended : .system(-sent) }
    let deadline = begin(limit)
    try send(.load(name: name, limits), deadline)
    guard case .confined(let version) = try answer(deadline) else {
      throw .garbage("the worker did not say that it is confined")
    }
    try expect(version)
    hasBegun = true
    return try hello(within: limit)
  }

  /// Waits for the worker's first words.
  package func hello(within limit: Duration) throws(WorkerFailure) -> [DriverDescription] {
    guard case .hello(let version, let drivers) = try answer(deadline(limit)) else {
      throw .garbage("the worker did not begin with hello")
    }
    try expect(version)
    guard drivers.count <= Int(MH_DRIVERS_MAX), drivers.allSatisfy(DriverTableCheck.admits) else {
      throw .garbage("the worker describes drivers that no bundle can have")
    }
    return drivers
  }

  private func expect(_ version: ContractVersion) throws(WorkerFailure) {
    guard version == .host else {
      throw otherVersion("the worker speaks contract \(version), this host \(ContractVersion.host)")
    }
  }

  /// A worker that has begun has shown its version: it is the bundle that speaks another one.
  private func otherVersion(_ words: String) -> WorkerFailure { hasBegun ? .garbage(words) : .otherVersion(words) }

  /// Opens the session.
  package func open(_ opening: DriverOpening, within limit: Duration) throws(WorkerFailure) {
    try expectReady(.open(driver: driver, opening), limit)
  }

  /// Prepares decoding.
  package func prepare(_ opening: DriverOpening, within limit: Duration) throws(WorkerFailure) {
    try expectReady(.prepare(driver: driver, opening), limit)
  }

  /// Ends the session.
  package func close(within limit: Duration) throws(WorkerFailure) { try expectReady(.close, limit) }

  /// Hands one fact over and checks what comes back.
  package func handle(_ event: DriverEvent, within limit: Duration) throws(WorkerFailure) -> DriverUnit {
    do { try order.admit(event, driver: driver) } catch { throw .fault(error) }
    let deadline = begin(limit)
    try send(.event(event), deadline)
    guard case .unit(let raw) = try answer(deadline) else {
      throw .garbage("the worker did not answer an event with a unit")
    }
    do {
      let unit = try UnitCheck(
        driver: driver, isDisconnected: order.isDisconnected, mostRecords: Int(limits.recordsPerEvent)
      ).check(raw)
      if !unit.sessionGoesOn { order.hasEnded = true }
      return unit
    } catch { throw .fault(error) }
  }

  /// Decodes everything and lends the results as they arrive.
  package func decode(
    _ input: inout DecodeInput, within limit: Duration, _ body: (borrowing DecodedBatch) -> Void
  ) throws(WorkerFailure) {
    var first = 0
    while first < input.slices.count {
      let count = min(Self.batch, input.slices.count - first)
      let deadline = begin(limit)
      try sendSlices(of: input, first..<first + count, deadline)
      try receiveDecoded(first: first, count: count, deadline, body)
      first += count
    }
  }

  /// Calls an extension function and checks what comes back.
  package func call(_ call: FunctionCall, within limit: Duration) throws(WorkerFailure) -> FunctionAnswer {
    let deadline = begin(limit)
    try send(.call(driver: driver, call), deadline)
    guard case .returned(let raw) = try answer(deadline) else {
      throw .garbage("the worker did not answer a call with what the function returned")
    }
    let check = AnswerCheck(driver: driver, call: call)
    guard check.fits(raw) else { throw .garbage("the worker returned other outputs than the function has") }
    do { return try check.check(raw) } catch { throw .fault(error) }
  }

  private func sendSlices(of input: DecodeInput, _ range: Range<Int>, _ deadline: Int64) throws(WorkerFailure) {
    // A frame carries only its own bytes, so offsets begin at zero.
    var slices = Array(input.slices[range])
    let start = slices.first?.off ?? 0
    let end = slices.last.map { $0.off + $0.len } ?? start
    for index in slices.indices { slices[index].off -= start }
    var counts = WireWriter()
    counts.put(UInt32(range.count))
    counts.put(end - start)
    do throws(ChannelError) {
      try counts.bytes.span.withUnsafeBytes { counts throws(ChannelError) in
        try slices.span.withUnsafeBytes { slices throws(ChannelError) in
          try input.arena.span.withUnsafeBytes { arena throws(ChannelError) in
            try channel.send(
              type: HostMessage.decodeType,
              [counts, slices, UnsafeRawBufferPointer(rebasing: arena[Int(start)..<Int(end)])], deadline: deadline)
          }
        }
      }
    } catch { throw WorkerFailure(error) }
  }

  private func receiveDecoded(
    first: Int, count: Int, _ deadline: Int64, _ body: (borrowing DecodedBatch) -> Void
  ) throws(WorkerFailure) {
    let check = OutputCheck(driver: driver)
    var done = 0
    while done < count {
      let (type, payload) = try receive(deadline)
      guard type == WorkerMessage.decodedType else {
        if case .fault(let fault) = try message(type, payload) { throw believed(fault) }
        throw .garbage("the worker did not answer with decoded values")
      }
      do {
        let (slices, output, isLast) = try DecodedFrame.read(payload)
        guard !slices.isEmpty, slices.count <= count - done, isLast == (slices.count == count - done) else {
          throw WireError(message: "the worker decoded another number of values than it was given")
        }
        try check.check(slices, records: output.records.count)
        try check.check(output)
        body(DecodedBatch(slices: slices, output: output, firstIndex: first + done))
        done += slices.count
      } catch let error as WireError {
        throw .garbage(error.message)
      } catch let fault as DriverFault {
        throw .fault(fault)
      } catch {
        throw .garbage("\(error)")
      }
    }
  }

  func expectReady(_ message: HostMessage, _ limit: Duration, cpu: UInt32? = nil) throws(WorkerFailure) {
    let deadline = begin(limit, cpu: cpu)
    try send(message, deadline)
    guard case .ready = try answer(deadline) else { throw .garbage("the worker did not answer with ready") }
  }

  /// The answer to what was sent last; the requests that the worker makes before it are served.
  func answer(_ deadline: Int64) throws(WorkerFailure) -> WorkerMessage {
    var budget = ServiceBudget()
    while true {
      let (type, payload) = try receive(deadline)
      switch try message(type, payload) {
      case .fault(let fault): throw believed(fault)
      case .request(let request): try serve(request, &budget, deadline)
      case let answer: return answer
      }
    }
  }

  /// The worker counts, too; one that asks for more than it may has been taken over by its driver.
  private func serve(
    _ request: ServiceRequest, _ budget: inout ServiceBudget, _ deadline: Int64
  ) throws(WorkerFailure) {
    guard let services else { throw .garbage("the worker asks for services, and there is no session") }
    guard budget.admit(request) else { throw .garbage("the worker asks more of its services than one event may") }
    try send(.answer(services.answer(request)), deadline)
  }

  private func message(_ type: UInt8, _ payload: UnsafeRawBufferPointer) throws(WorkerFailure) -> WorkerMessage {
    do { return try WorkerMessage(type: type, payload: Array(payload)) } catch { throw .garbage(error.message) }
  }

  func send(_ message: HostMessage, _ deadline: Int64) throws(WorkerFailure) {
    do { try channel.send(type: message.type, message.payload, deadline: deadline) } catch {
      throw WorkerFailure(error)
    }
  }

  private func receive(_ deadline: Int64) throws(WorkerFailure) -> (type: UInt8, payload: UnsafeRawBufferPointer) {
    do { return try channel.receive(deadline: deadline) } catch {
      if case .otherVersion(let words) = error { throw otherVersion(words) }
      throw WorkerFailure(error)
    }
  }

  /// What a worker may say of its driver, which it knows by other names than the host does. One that says anything else has
  /// been taken over.
  private func believed(_ fault: DriverFault) -> WorkerFailure {
    let rule = fault.rule.map { $0.first == "R" && $0.utf8.count <= 3 && Int($0.dropFirst()) != nil }
    guard [.loadFailed, .unknownDriver, .refused, .brokeRule, .closed].contains(fault.code), rule != false else {
      return .garbage("the worker reports a fault that it cannot have")
    }
    return .fault(
      DriverFault(
        fault.code, driver: driver, rule: fault.rule, message: fault.message.oneLine(atMost: Self.longestWords),
        cause: fault.cause?.oneLine(atMost: Self.longestWords)))
  }

  /// A request begins: grants its CPU time and tells its deadline.
  func begin(_ limit: Duration, cpu milliseconds: UInt32? = nil) -> Int64 {
    grant(milliseconds ?? limits.eventCPUMilliseconds)
    return deadline(limit)
  }

  private func deadline(_ limit: Duration) -> Int64 {
    let (seconds, attoseconds) = limit.components
    return clinux_monotonic() &+ seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
