import BluetoothWire
import DriverRuntime
import MeterDrivers
import Synchronization

/// A meter that was heard, and when.
struct HeardMeter: Sendable {
  let report: AdvertisingReport
  let time: ContinuousClock.Instant
}

/// What an operation gets from the traffic on the radios.
extension ReadOperation {
  /// Runs the operation for a person; the result is its last event.
  func run() async -> ReadEvent {
    let pairs = purpose == .pair && !plan.peripheral.pairingInstructions.isEmpty
    sink.yield(
      .started(instructions: pairs ? plan.peripheral.pairingInstructions : plan.peripheral.instructions))
    let ledger = ReadLedger()
    do {
      return preferDelivered(
        try await plan.peripheral.connectionKind == .advertisement ? listen(ledger) : takeTurns(ledger))
    } catch {
      // A pairing that was given up is a pairing that failed (B3).
      if error.code == .cancelled, purpose != .pair { return .cancelled(ledger.summary) }
      return preferDelivered(.failed(error, ledger.summary))
    }
  }

  /// What passive reading had brought already, in place of nothing.
  private func preferDelivered(_ event: ReadEvent) -> ReadEvent {
    guard purpose == .read else { return event }
    switch event {
    case .completed(let summary) where summary.records.isEmpty && summary.revised.isEmpty: break
    case .failed(let error, let summary)
    where summary.records.isEmpty && [.connectionTimeout, .noReading, .connectionFailure].contains(error.code):
      break
    default: return event
    }
    return surroundings.traffic.takeDelivery(of: plan.peripheral.id).map(ReadEvent.alreadyDelivered) ?? event
  }

  /// Waits for turns with meters that fit, until one of them was what was asked for.
  private func takeTurns(_ ledger: ReadLedger) async throws(BluetoothError) -> ReadEvent {
    let (traffic, allowed, others) = (surroundings.traffic, try allowedAddresses(), RefusedMeters())
    let standing = try traffic.begin(purpose == .pair ? .pair : .read, until: .now + options.connectionTimeout) {
      [plan] report in
      let isAllowed = allowed?.contains(report.address.description) ?? true
      return isAllowed && plan.mayBe(report) && !others.contains(report.address) ? .link : nil
    }
    defer { traffic.withdraw(standing.id) }
    return try await cancellation.during({ traffic.withdraw(standing.id) }) { () async throws(BluetoothError) in
      var last: Result<ReadEvent, BluetoothError>?
      for await step in standing.steps {
        switch step {
        case .start(let turn):
          let result = await serve(turn, ledger)
          if result.ending == .failed(.otherMeter) {
            others.insert(turn.work.meter)
          } else {
            last = result.event
          }
          traffic.ended(turn, result.ending)
        // A turn of a person's ends with its demand only, and the operation hears of that itself.
        case .stop: break
        case .finished(let delivered):
          if let delivered, last == nil { return .alreadyDelivered(delivered) }
          return try outcome(last, others)
        case .expired: return try outcome(last, others)
        case .noRadio(let error):
          guard last != nil else { throw error }
          return try outcome(last, others)
        }
      }
      guard last != nil else { throw Self.givenUp }
      return try outcome(last, others)
    }
  }

  private func outcome(
    _ last: Result<ReadEvent, BluetoothError>?, _ others: RefusedMeters
  ) throws(BluetoothError) -> ReadEvent {
    try checkCancellationBefore(last)
    guard let last else { throw nobodyHeard(butOthers: others.all) }
    return try last.get()
  }

  private func checkCancellationBefore(_ last: Result<ReadEvent, BluetoothError>?) throws(BluetoothError) {
    if last == nil { try checkCancellation() }
  }

  /// Reads meters that are never connected; passive reading waits meanwhile.
  private func listen(_ ledger: ReadLedger) async throws(BluetoothError) -> ReadEvent {
    let traffic = surroundings.traffic
    // It ends with the operation and not by a time.
    let standing = try traffic.begin(.read, until: .now + .seconds(86_400 * 7), nil)
    defer { traffic.withdraw(standing.id) }
    return try await AdvertisementRead(operation: self, ledger: ledger, reports: traffic.advertisements()).run()
  }

  /// Carries out one turn of the traffic; the caller reports its end.
  func serve(_ turn: AirTraffic.Turn, _ ledger: ReadLedger = ReadLedger()) async -> TurnResult {
    var operation = self
    operation.surroundings.radio = turn.radio
    do {
      guard let event = try await operation.event(of: turn, ledger) else {
        return TurnResult(ending: .failed(.otherMeter), summary: ledger.summary)
      }
      let summary = ledger.summary
      let hasNews = purpose == .pair || !summary.records.isEmpty || !summary.revised.isEmpty
      let isStopped = if case .cancelled = event { true } else { false }
      return TurnResult(
        ending: isStopped ? .stopped : hasNews ? .readNew : .nothingNew, summary: summary, event: .success(event))
    } catch let failure {
      // A link that breaks does not know why.
      let error = failure.code == .communicationFailure ? turn.radio.end ?? failure : failure
      return TurnResult(
        ending: cancellation.isCancelled ? .stopped : .failed(RadioSchedule.Failure(error)), summary: ledger.summary,
        event: .failure(error))
    }
  }

  /// - Returns: The operation's last event; nil when the meter is another peripheral.
  private func event(of turn: AirTraffic.Turn, _ ledger: ReadLedger) async throws(BluetoothError) -> ReadEvent? {
    let traffic = surroundings.traffic
    var heard = HeardMeter(report: turn.report, time: turn.heard)
    if turn.work.medium == .advertisements {
      var single = self
      single.options.allowList = [heard.report.address.description]
      let address = heard.report.address
      return try await AdvertisementRead(
        operation: single, ledger: ledger, reports: traffic.advertisements { $0.address == address },
        first: heard.report
      ).run()
    }
    var mayRetry = true
    var deadline = min(traffic.instant(turn.work.connectBy), .now + options.connectionTimeout)
    while true {
      switch try await attempt(heard, until: deadline, ledger, onConnected: { traffic.connected(turn) }) {
      case .otherMeter: return nil
      // A handle that was cached, or has moved, and is wrong now: the cache is forgotten, and one more try makes the
      // discovery.
      case .ended(let report)
      where report.disprovesCache && (ledger.summary.usedCache || report.link.databaseMoved) && mayRetry
        && !cancellation.isCancelled:
        mayRetry = false
        deadline = .now + options.connectionTimeout
        heard = try await hearAgain(heard.report.address, since: report.link.began, until: deadline)
      case .ended(let report): return try conclude(report, ledger.summary)
      }
    }
  }

  /// Waits until a meter whose link is gone advertises again; it may have done so already.
  private func hearAgain(
    _ address: BluetoothAddress, since began: ContinuousClock.Instant, until deadline: ContinuousClock.Instant
  ) async throws(BluetoothError) -> HeardMeter {
    let stream = surroundings.traffic.advertisements { $0.address == address }
    if let heard = surroundings.traffic.report(of: address, after: began) { return heard }
    let search = Task { () async throws -> AdvertisingReport? in
      for try await report in stream { return report }
      return nil
    }
    let timeout = Task {
      try await Task.sleep(until: deadline, clock: .continuous)
      search.cancel()
    }
    defer { timeout.cancel() }
    let found = await cancellation.during({ search.cancel() }) { try? await search.value }
    try checkCancellation()
    guard let report = found else { throw nobodyHeard }
    return HeardMeter(report: report, time: .now)
  }
}

/// Meters that turned out to be another peripheral than the one that was asked for.
private final class RefusedMeters: Sendable {
  private let addresses = Mutex<Set<BluetoothAddress>>([])

  func insert(_ address: BluetoothAddress) { addresses.withLock { _ = $0.insert(address) } }
  func contains(_ address: BluetoothAddress) -> Bool { addresses.withLock { $0.contains(address) } }
  var all: Set<BluetoothAddress> { addresses.withLock(\.self) }
}
