import DriverContract
import DriverRuntime
import CLinux
import CMeterDriver

/// One session of a driver in a probe. As ``LocalSession``, but for the manner in which its driver is called, and nothing
/// that the driver puts out is checked here.
final class ProbeSession {
  private let driver: String
  private let table: mh_bluetooth
  private let call: CallContext
  private let manner: ProbeManner
  private let memory: LentMemory
  private let threads: CallThreads
  private let sink: ProbeSink
  private var session: OpaquePointer?

  /// Rounds of an event before it counts as endless; in small sinks each record may take one.
  private static let mostRounds = Int(MH_RECORDS_MAX) + Int(MH_ROUNDS_MAX)

  init(
    _ driver: String, _ table: mh_bluetooth, opening: DriverOpening, manner: ProbeManner, threads: CallThreads,
    sink: ProbeSink, services: any SessionServices
  ) {
    self.driver = driver
    self.table = table
    self.manner = manner
    self.threads = threads
    self.sink = sink
    memory = LentMemory(manner)
    // As in the host: no two runs have the same, so that a driver cannot put it into what it says.
    call = CallContext(
      peer: UInt64.random(in: 1...UInt64.max), storage: opening.keys, assets: AssetTable(opening.assets),
      services: services)
  }

  deinit {
    close()
    ProbeHost.forget(call)
  }

  /// Opens; the status is the driver's.
  func open(_ opening: DriverOpening, purpose: UInt32, host: UnsafePointer<mh_host>) throws(DriverFault) -> Int32 {
    let block = OpeningBlock(opening, peer: call.peer ?? 0)
    defer { memory.takeBack() }
    let lent = memory.lend(block.table.pointee, purpose: purpose)
    var opened: OpaquePointer?
    let status = threads.call {
      call.inCall {
        withUnsafeMutablePointer(to: &opened) { table.open?(host, lent, $0) ?? MH_E_UNSUPPORTED }
      }
    }
    guard status == MH_OK else { return status }
    guard let opened else {
      throw DriverFault(.brokeRule, driver: driver, rule: "R9", message: "open said MH_OK and gave no session")
    }
    session = opened
    return status
  }

  /// Hands over one event, and goes on with it while the driver says `MH_E_FULL`.
  func handle(_ event: DriverEvent, kind: UInt32) throws(DriverFault) -> RawUnit {
    sink.actions.actions.removeAll(keepingCapacity: true)
    call.startEvent(at: event.monotonicNanoseconds)
    var rounds: [RawOutput] = []
    var (event, kind) = (event, kind)
    for _ in 0..<Self.mostRounds {
      let actionsBefore = sink.actions.actions.count
      let (status, output) = run(event, kind)
      guard let output else { throw fault("R13", "it put more into the sink than the sink holds") }
      let hasProgress = !output.records.isEmpty || sink.actions.actions.count > actionsBefore
      if !output.records.isEmpty { rounds.append(output) }
      guard status == MH_E_FULL else {
        if let refused = sink.actions.refused {
          throw fault("R11", "an event gave \(refused) and went on as if that had been taken")
        }
        return RawUnit(
          status: status, rounds: rounds, actions: sink.actions.actions, writes: call.storage.takeWrites(),
          logs: call.log.take())
      }
      guard hasProgress else { throw fault("R13", "it says MH_E_FULL to an empty sink, which will never hold more") }
      event.token = 0
      event.fact = .proceed
      kind = 0
    }
    throw fault("R13", "it said MH_E_FULL \(Self.mostRounds) times to one event")
  }

  /// Ends it; harmless when it has ended.
  func close() {
    guard let session else { return }
    self.session = nil
    call.services = nil
    threads.call { call.inCall { table.close?(session) } }
  }

  private func run(_ event: DriverEvent, _ kind: UInt32) -> (Int32, RawOutput?) {
    defer { memory.takeBack() }
    let lentSink = sink.startRound(memory)
    call.sink = sink.actions
    defer { call.sink = nil }
    let status = event.withTable { plain in
      let lent = memory.lend(plain.pointee, kind: kind)
      return threads.call { call.inCall { table.event?(session, lent, lentSink) ?? MH_E_UNSUPPORTED } }
    }
    return (status, sink.output())
  }

  private func fault(_ rule: String, _ what: String) -> DriverFault {
    DriverFault(.brokeRule, driver: driver, rule: rule, message: what)
  }
}

extension LentMemory {
  /// A copy of an event with all that it points at; `kind` other than 0 replaces its own.
  fileprivate func lend(_ plain: mh_event, kind: UInt32) -> UnsafePointer<mh_event> {
    var event = plain
    if kind != 0 { event.kind = kind }
    event.value = lend(plain.value)
    event.services = plain.services.map { copy($0, plain.n_services) }
    event.characteristics = plain.characteristics.map { copy($0, plain.n_characteristics) }
    return UnsafePointer(lendGrowing(event))
  }

  /// A copy of an opening with all that it points at; `purpose` other than 0 replaces its own.
  func lend(_ plain: mh_open, purpose: UInt32) -> UnsafePointer<mh_open> {
    var opening = plain
    if purpose != 0 { opening.purpose = purpose }
    opening.manufacturer = lend(plain.manufacturer)
    opening.model = lend(plain.model)
    opening.name = lend(plain.name)
    opening.advertised_name = lend(plain.advertised_name)
    opening.advertisement = lend(plain.advertisement)
    let parameters = UnsafeBufferPointer(start: plain.params, count: Int(plain.n_params)).map { parameter in
      var parameter = parameter
      parameter.b = lend(parameter.b)
      return parameter
    }
    opening.params = UnsafePointer(lend(parameters))
    return UnsafePointer(lendGrowing(opening))
  }

  private func lend(_ bytes: mh_bytes) -> mh_bytes {
    guard let start = bytes.p else { return bytes }
    let copy = lend(UnsafeRawBufferPointer(start: start, count: Int(bytes.n)))
    return mh_bytes(p: copy.assumingMemoryBound(to: UInt8.self), n: bytes.n)
  }

  private func lend(_ text: mh_str) -> mh_str {
    guard let start = text.p else { return text }
    let copy = lend(UnsafeRawBufferPointer(start: start, count: Int(text.n)))
    return mh_str(p: copy.assumingMemoryBound(to: CChar.self), n: text.n)
  }

  private func copy<Element: BitwiseCopyable>(
    _ start: UnsafePointer<Element>, _ count: UInt32
  ) -> UnsafePointer<Element> {
    UnsafePointer(lend(Array(UnsafeBufferPointer(start: start, count: Int(count)))))
  }
}
