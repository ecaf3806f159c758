import DriverContract
import DriverRuntime
import CLinux
import CMeterDriver
import Glibc

/// What a probe has open, and how it carries out what the suite asks.
final class ProbeDesk {
  private let library: ProbeLibrary
  private let manner: ProbeManner
  private let threads: CallThreads
  private let services: any SessionServices
  private let status: Int32
  private let sink: ProbeSink
  private var sessions: [UInt32: ProbeSession] = [:]
  private var extensions: ExtensionDesk

  /// - Parameter status: What threads are counted with; negative: they are not.
  init(
    _ library: ProbeLibrary, _ manner: ProbeManner, _ threads: CallThreads, _ services: any SessionServices,
    status: Int32
  ) {
    self.library = library
    self.manner = manner
    self.threads = threads
    self.services = services
    self.status = status
    sink = ProbeSink(manner, takesActions: true)
    extensions = ExtensionDesk(tables: library, name: library.name, limits: .greatest)
  }

  func answer(_ message: ProbeMessage) throws(DriverFault) -> ProbeReply {
    switch message {
    case .load: throw refusal("a probe loads one bundle, once")
    case .entry(let index): return .entry(Self.budgeted { library.ask(index).said }.result)
    case .open(let number, let driver, let purpose, let opening):
      return .status(try open(number, driver, purpose, opening))
    case .event(let number, let kind, let event):
      guard let session = sessions[number] else { throw refusal("no such session is open") }
      let (result, used) = Self.budgeted { Result { () throws(DriverFault) in try session.handle(event, kind: kind) } }
      return .unit(ProbedUnit(raw: try result.get(), cpuNanoseconds: used))
    case .close(let number):
      _ = Self.budgeted { sessions.removeValue(forKey: number)?.close() }
      return .status(MH_OK)
    case .cycle(let driver, let opening, let events, let times):
      return .growth(try growth(driver, opening, events, Int(times)))
    case .decode(let driver, let opening, let decoding, let slices, let arena):
      return .decoded(try decode(driver, opening, decoding, slices, arena))
    case .hasExtension(let driver, let id): return .status(try library.hasExtension(driver, id) ? 1 : 0)
    case .extension(let message): return .extension(try answer(message))
    case .look: return .process(look())
    }
  }

  /// Goes the way that a worker's extensions go, on the threads of the probe.
  private func answer(_ message: ExtensionMessage) throws(DriverFault) -> [UInt8] {
    let kind = try extensions.kind(of: message)
    let milliseconds = extensions.milliseconds(for: message, kind)
    let answered = Self.budgeted(milliseconds) {
      threads.call { Result { () throws(DriverFault) in try extensions.answer(message) } }
    }.result
    return try answered.get()?.bytes ?? []
  }

  private func open(
    _ number: UInt32, _ driver: String, _ purpose: UInt32, _ opening: DriverOpening
  ) throws(DriverFault) -> Int32 {
    guard sessions[number] == nil else { throw refusal("that session is open") }
    let session = ProbeSession(
      driver, try library.bluetooth(driver), opening: opening, manner: manner, threads: threads, sink: sink,
      services: services)
    let host = library.host
    let opened = Self.budgeted {
      Result { () throws(DriverFault) in try session.open(opening, purpose: purpose, host: host) }
    }.result
    let status = try opened.get()
    if status == MH_OK { sessions[number] = session }
    return status
  }

  /// The least that one of three rounds has added: what a library or the allocator keeps once and for all is added once.
  private func growth(
    _ driver: String, _ opening: DriverOpening, _ events: [DriverEvent], _ times: Int
  ) throws(DriverFault) -> Int64 {
    var least = Int64.max
    for round in 0...3 {
      let before = clinux_heap_in_use()
      for _ in 0..<times { try once(driver, opening, events) }
      let added = Int64(clamping: clinux_heap_in_use()) - Int64(clamping: before)
      if round > 0 { least = min(least, added) }
    }
    return least
  }

  private func once(_ driver: String, _ opening: DriverOpening, _ events: [DriverEvent]) throws(DriverFault) {
    guard try open(.max, driver, 0, opening) == MH_OK, let session = sessions[.max] else {
      throw refusal("the driver refused a session that it had opened before")
    }
    for event in events {
      _ = try Self.budgeted { Result { () throws(DriverFault) in try session.handle(event, kind: 0) } }.result.get()
    }
    _ = Self.budgeted { sessions.removeValue(forKey: .max)?.close() }
  }

  private func decode(
    _ driver: String, _ opening: DriverOpening, _ decoding: ProbeDecoding, _ slices: [mh_slice], _ arena: [UInt8]
  ) throws(DriverFault) -> [DecodedRun] {
    let table = try library.bluetooth(driver)
    let manner = manner
    func run(_ each: Bool) -> Result<DecodedRun, DriverFault> {
      let decoder = ProbeDecoder(driver, table, opening: opening, manner: manner)
      return Result { () throws(DriverFault) in try decoder.run(slices, arena, each: each) }
    }
    guard decoding == .atOnce else {
      return [try Self.budgeted { threads.call { run(decoding == .alone) } }.result.get()]
    }
    var results = [Result<DecodedRun, DriverFault>?](repeating: nil, count: threads.threads.count)
    Self.budgeted {
      results.withUnsafeMutableBufferPointer { results in
        // Each thread writes its own place.
        nonisolated(unsafe) let places = results
        for (index, thread) in threads.threads.enumerated() { thread.start { places[index] = run(false) } }
        for thread in threads.threads { thread.wait() }
      }
    }.result
    return try results.compactMap { $0 }.map { result throws(DriverFault) in try result.get() }
  }

  private func look() -> ProbedProcess {
    var state = clinux_process_state()
    clinux_look_at_process(status, &state)
    let offences = ProbeHost.offences
    return ProbedProcess(
      heap: state.heap, environment: state.environment, descriptors: state.descriptors, threads: state.threads,
      rounding: state.rounding,
      locale: withUnsafeBytes(of: state.locale) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) },
      servicesOutside: offences.outside, servicesInDecode: offences.inDecode)
  }

  /// Runs driver code within its budget of CPU time; past it, the system ends this process with SIGPROF (rule R16).
  ///
  /// - Parameter milliseconds: The budget; an event's without it.
  @discardableResult
  static func budgeted<Result>(
    _ milliseconds: UInt32 = DriverLimits.greatest.eventCPUMilliseconds, _ body: () -> Result
  ) -> (result: Result, used: Int64) {
    _ = clinux_cpu_budget(Int64(milliseconds) * 1000)
    defer { _ = clinux_cpu_budget(0) }
    let before = clinux_cpu_time()
    let result = body()
    return (result, clinux_cpu_time() - before)
  }

  private func refusal(_ what: String) -> DriverFault {
    DriverFault(.closed, driver: library.name, message: what)
  }
}
