package import DriverContract
import DriverRuntime
import CLinux
import CMeterDriver

/// How the talk with a probe broke off.
package enum ProbeFailure: Error, Sendable, Hashable {
  /// Its process has ended.
  case ended
  /// It did not answer in time.
  case late
  /// The driver broke a rule; the probe can be asked on.
  case fault(DriverFault)
  /// What it said makes no sense, or the system failed.
  case garbage(String)
}

/// The suite's end of a probe's socket. Not thread-safe: blocks its caller.
package final class ProbeClient {
  private let channel: FrameChannel
  private let socket: Int32
  private let limit: Duration

  /// Takes over the socket.
  package init(socket: Int32, limit: Duration) {
    channel = FrameChannel(socket: socket)
    self.socket = socket
    self.limit = limit
  }

  /// Loads the bundle.
  package func load(
    _ bundle: Int32, name: String, _ manner: ProbeManner
  ) throws(ProbeFailure) -> [DriverDescription] {
    guard clinux_send_descriptor(socket, bundle) == 0 else { throw .ended }
    guard case .hello(let drivers) = try ask(.load(name: name, manner)) else { throw Self.misunderstood }
    return drivers
  }

  /// What the entry says to an index.
  package func entry(_ index: UInt32) throws(ProbeFailure) -> ProbedEntry {
    guard case .entry(let entry) = try ask(.entry(index: index)) else { throw Self.misunderstood }
    return entry
  }

  /// Opens a session; `purpose` replaces the opening's own.
  package func open(
    _ session: UInt32, driver: String, _ opening: DriverOpening, purpose: UInt32 = 0,
    services: (any SessionServices)? = nil
  ) throws(ProbeFailure) -> Int32 {
    try status(.open(session: session, driver: driver, purpose: purpose, opening), services)
  }

  /// Hands over an event; `kind` replaces its own. The unit is unchecked.
  package func event(
    _ session: UInt32, _ event: DriverEvent, kind: UInt32 = 0, services: (any SessionServices)? = nil
  ) throws(ProbeFailure) -> ProbedUnit {
    guard case .unit(let unit) = try ask(.event(session: session, kind: kind, event), services) else {
      throw Self.misunderstood
    }
    return unit
  }

  /// Ends a session.
  package func close(_ session: UInt32) throws(ProbeFailure) { _ = try status(.close(session: session), nil) }

  /// Bytes that so many sessions have left behind.
  package func growth(
    driver: String, _ opening: DriverOpening, _ events: [DriverEvent], times: UInt32,
    services: (any SessionServices)? = nil
  ) throws(ProbeFailure) -> Int64 {
    guard case .growth(let bytes) = try ask(.cycle(driver: driver, opening, events, times: times), services) else {
      throw Self.misunderstood
    }
    return bytes
  }

  /// Whether the driver has a table under this id.
  package func hasExtension(driver: String, _ id: String) throws(ProbeFailure) -> Bool {
    try status(.hasExtension(driver: driver, id: id), nil) != 0
  }

  /// Opens an extension of a driver, whatever the payload is.
  package func open(_ kind: String, driver: String, _ payload: [UInt8]) throws(ProbeFailure) {
    _ = try ask(ExtensionMessage(kind: kind, .open(driver: driver), ExtensionPayload(payload)))
  }

  /// Asks an extension, whatever the payload is. The answer is unchecked.
  package func call(_ kind: String, _ payload: [UInt8]) throws(ProbeFailure) -> [UInt8] {
    try ask(ExtensionMessage(kind: kind, .call, ExtensionPayload(payload)))
  }

  private func ask(_ message: ExtensionMessage) throws(ProbeFailure) -> [UInt8] {
    guard case .extension(let payload) = try ask(.extension(message)) else { throw Self.misunderstood }
    return payload
  }

  /// What the process looks like.
  package func look() throws(ProbeFailure) -> ProbedProcess {
    guard case .process(let process) = try ask(.look) else { throw Self.misunderstood }
    return process
  }

  /// Decodes values: the outcomes of each run over all of them, one an item, or the status that the whole call was refused
  /// with.
  package func decode(
    driver: String, _ opening: DriverOpening, _ items: [ProbeItem], _ decoding: ProbeDecoding = .together
  ) throws(ProbeFailure) -> [Result<[DecodeOutcome], ProbeRefusal>] {
    var (slices, arena): ([mh_slice], [UInt8]) = ([], [])
    for item in items {
      slices.append(
        mh_slice(
          off: UInt32(arena.count) &+ item.displacement, len: UInt32(item.bytes.count), t_us: item.receivedMicroseconds,
          characteristic: item.characteristic, flags: item.flags, status: 0, first_record: 0, n_records: 0))
      arena += item.bytes
    }
    let message = ProbeMessage.decode(driver: driver, opening, decoding, slices: slices, arena: arena)
    guard case .decoded(let runs) = try ask(message) else { throw Self.misunderstood }
    return try runs.map { run throws(ProbeFailure) in try Self.outcomes(of: run, items.count, driver) }
  }

  private static func outcomes(
    of run: DecodedRun, _ count: Int, _ driver: String
  ) throws(ProbeFailure) -> Result<[DecodeOutcome], ProbeRefusal> {
    guard run.status == MH_OK else { return .failure(ProbeRefusal(status: run.status)) }
    let check = OutputCheck(driver: driver)
    var outcomes: [DecodeOutcome] = []
    for round in run.rounds {
      let fault = round.output.withView { view -> DriverFault? in
        round.slices.withUnsafeBufferPointer { slices in
          do throws(DriverFault) {
            try check.check(slices, records: view.records.count)
            try check.check(view)
          } catch { return error }
          for slice in slices {
            let first = Int(slice.first_record)
            outcomes.append(
              DecodeOutcome(status: slice.status, records: (0..<Int(slice.n_records)).map { view.record(first + $0) }))
          }
          return nil
        }
      }
      if let fault { throw .fault(fault) }
    }
    guard outcomes.count == count else { throw .garbage("another number of values was decoded") }
    return .success(outcomes)
  }

  private func status(_ message: ProbeMessage, _ services: (any SessionServices)?) throws(ProbeFailure) -> Int32 {
    guard case .status(let status) = try ask(message, services) else { throw Self.misunderstood }
    return status
  }

  private func ask(
    _ message: ProbeMessage, _ services: (any SessionServices)? = nil
  ) throws(ProbeFailure) -> ProbeReply {
    let (seconds, attoseconds) = limit.components
    let deadline = clinux_monotonic() &+ seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    do {
      try channel.send(type: message.type, message.payload, deadline: deadline)
      while true {
        let (type, payload) = try channel.receive(deadline: deadline)
        guard type == Self.requestType else {
          let reply = try ProbeReply(type: type, payload: Array(payload))
          if case .fault(let fault) = reply { throw ProbeFailure.fault(fault) }
          return reply
        }
        guard case .request(let request) = try WorkerMessage(type: type, payload: Array(payload)) else { continue }
        let answer = HostMessage.answer(services?.answer(request) ?? ServiceAnswer(status: MH_E_DENIED))
        try channel.send(type: answer.type, answer.payload, deadline: deadline)
      }
    } catch let failure as ProbeFailure {
      throw failure
    } catch ChannelError.ended {
      throw .ended
    } catch ChannelError.late {
      throw .late
    } catch {
      throw .garbage("\(error)")
    }
  }

  private static let requestType: UInt8 = 69
  private static let misunderstood = ProbeFailure.garbage("the probe answered something else than it was asked")
}

/// A whole call of `decode` that the driver refused.
package struct ProbeRefusal: Error, Sendable, Hashable {
  package var status: Int32

  package init(status: Int32) { self.status = status }
}

/// A value to decode, with what a worker would not let through.
package struct ProbeItem: Sendable, Hashable {
  package var characteristic: UInt16
  package var flags: UInt16
  package var receivedMicroseconds: Int64
  package var bytes: [UInt8]
  /// Added to the place where the bytes lie: a slice that points elsewhere.
  package var displacement: UInt32

  package init(
    characteristic: UInt16, flags: UInt16 = 0, receivedMicroseconds: Int64 = 0, bytes: [UInt8],
    displacement: UInt32 = 0
  ) {
    self.characteristic = characteristic
    self.flags = flags
    self.receivedMicroseconds = receivedMicroseconds
    self.bytes = bytes
    self.displacement = displacement
  }
}

extension ProbedUnit {
  /// What the host would take of it.
  ///
  /// - Throws: `DriverFault` naming the rule that it breaks.
  package func checked(driver: String, isDisconnected: Bool) throws(DriverFault) -> DriverUnit {
    try UnitCheck(driver: driver, isDisconnected: isDisconnected).check(raw)
  }
}
