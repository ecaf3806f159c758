public import DriverContract
import CMeterDriver
import HostPrimitives

/// One session of a driver in this process. Not thread-safe: its owner calls it from one place at a time (rule R7).
public final class LocalSession {
  /// The driver's id.
  public let driver: String
  private let library: DriverLibrary
  private let table: mh_bluetooth
  private let call: CallContext
  private let sink = Sink(.event, takesActions: true)
  private var session: OpaquePointer?
  private let limits: DriverLimits
  private var order = SessionOrder()

  /// The most rounds of one event: enough for 4096 records in sinks that a quarter of a record's values fill.
  static let mostRounds = Int(MH_ROUNDS_MAX)

  /// Opens a session (rule R9).
  ///
  /// - Parameters:
  ///   - services: Who answers for credentials and secrets; nil: the session has none.
  ///   - limits: Of these only the records of an event count in this process: nothing ends a call that does not return.
  /// - Throws: `DriverFault` `unknownDriver`, or `refused` when the driver does not want this meter.
  public init(
    library: DriverLibrary, driver: String, opening: DriverOpening, services: (any SessionServices)? = nil,
    limits: DriverLimits = .greatest
  ) throws(DriverFault) {
    self.driver = driver
    self.limits = limits
    self.library = library
    table = try library.bluetooth(driver, [.connect, .advertisementOnly])
    let peer = Self.handle(services)
    call = CallContext(peer: peer, storage: opening.keys, assets: AssetTable(opening.assets), services: services)
    let block = OpeningBlock(opening, peer: peer)
    var opened: OpaquePointer?
    let open = table.open
    let status = call.inCall {
      withUnsafeMutablePointer(to: &opened) { open?(HostServices.table, block.table, $0) ?? MH_E_UNSUPPORTED }
    }
    guard status == MH_OK else {
      throw DriverFault(
        .refused, driver: driver, message: "the driver refused to open a session: \(statusName(status))")
    }
    guard let opened else {
      throw DriverFault(.brokeRule, driver: driver, rule: "R9", message: "open said MH_OK and gave no session")
    }
    session = opened
  }

  deinit { close() }

  /// One session a handle: the number only has to be unlike a forgotten one of the same bundle. It is made of random bytes
  /// like any that the driver sees, so that a replay has the same.
  private static func handle(_ services: (any SessionServices)?) -> UInt64 {
    let answer = services?.answer(.random(count: 8))
    let bytes = answer?.status == MH_OK ? answer?.output : systemRandom(8)
    return max(UInt64(bigEndianBytes: (bytes ?? []).prefix(8)), 1)
  }

  /// Hands one fact to the driver; rounds after `MH_E_FULL` are merged (rule R13).
  ///
  /// - Throws: `DriverFault`; the session is closed then.
  public func handle(_ event: DriverEvent) throws(DriverFault) -> DriverUnit {
    let raw = try rawUnit(event)
    do {
      let unit = try UnitCheck(
        driver: driver, isDisconnected: order.isDisconnected, mostRecords: Int(limits.recordsPerEvent)
      ).check(raw)
      if !unit.sessionGoesOn { order.hasEnded = true }
      return unit
    } catch {
      close()
      throw error
    }
  }

  /// As `handle`, unchecked: a worker's part.
  func rawUnit(_ event: DriverEvent) throws(DriverFault) -> RawUnit {
    try order.admit(event, driver: driver)
    do {
      return try rounds(of: event)
    } catch {
      close()
      throw error
    }
  }

  /// Ends the session; nothing of it is left in the driver. Harmless when it has ended already.
  public func close() {
    guard let session else { return }
    self.session = nil
    order.hasEnded = true
    call.services = nil
    call.inCall { table.close?(session) }
  }

  private func rounds(of event: DriverEvent) throws(DriverFault) -> RawUnit {
    sink.actions.removeAll(keepingCapacity: true)
    call.startEvent(at: event.monotonicNanoseconds)
    var rounds: [RawOutput] = []
    var total = 0
    var event = event
    for _ in 0..<Self.mostRounds {
      let actionsBefore = sink.actions.count
      let status = run(event)
      guard let output = sink.output else { throw fault("R13", "it put more into the sink than the sink holds") }
      let hasProgress = !output.records.isEmpty || sink.actions.count > actionsBefore
      total += output.records.count
      guard total <= Int(limits.recordsPerEvent) else {
        throw fault("R16", "an event gave more than \(limits.recordsPerEvent) records")
      }
      if !output.records.isEmpty { rounds.append(RawOutput(output)) }
      guard status == MH_E_FULL else {
        if let refused = sink.refused {
          throw fault("R11", "an event gave \(refused) and went on as if that had been taken")
        }
        return RawUnit(
          status: status, rounds: rounds, actions: sink.actions, writes: call.storage.takeWrites(),
          logs: call.log.take())
      }
      guard hasProgress else { throw fault("R13", "it says MH_E_FULL to an empty sink, which will never hold more") }
      event.token = 0
      event.fact = .proceed
    }
    throw fault("R13", "it said MH_E_FULL \(Self.mostRounds) times to one event")
  }

  private func run(_ event: DriverEvent) -> Int32 {
    sink.startRound()
    call.sink = sink
    defer { call.sink = nil }
    return call.inCall { event.withTable { table.event?(session, $0, sink.table) ?? MH_E_UNSUPPORTED } }
  }

  private func fault(_ rule: String, _ what: String) -> DriverFault {
    DriverFault(
      .brokeRule, driver: driver, rule: rule, message: "\(what); the driver must be repaired by its author")
  }
}

/// Which events a session may still get.
struct SessionOrder {
  /// The link is gone.
  private(set) var isDisconnected = false
  /// Closed, failed or returned a status that ends it.
  var hasEnded = false

  init() {}

  /// Notes an event, or refuses it.
  mutating func admit(_ event: DriverEvent, driver: String) throws(DriverFault) {
    guard !hasEnded else {
      throw DriverFault(.closed, driver: driver, message: "the session has ended; open a new one")
    }
    if case .disconnected = event.fact { isDisconnected = true }
  }
}
