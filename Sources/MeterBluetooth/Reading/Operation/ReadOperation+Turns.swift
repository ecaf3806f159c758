import BluetoothWire
import DriverContract
import Foundation
import HostPrimitives
import MeterCore
import MeterDrivers
import Synchronization

/// What an operation gets from the traffic on the radios.
extension ReadOperation {
  /// What passive reading had brought already, in place of nothing: to the same user, of a meter that this read was for.
  /// A read of another period, or of the whole memory, asks for something else.
  func preferDelivered(_ event: ReadEvent, _ ledger: ReadLedger) -> ReadEvent {
    let reached = ledger.reached
    guard event.bringsNothing || event.waitedForNothing, let isWanted = deliveryFilter else { return event }
    let mayBeAny = reached.isEmpty && event.bringsNothing
    let summary = surroundings.traffic.takeDelivery { delivery in
      isWanted(delivery) && (mayBeAny || reached.contains(delivery.meter))
    }
    return summary.map(ReadEvent.alreadyDelivered) ?? event
  }

  /// Which deliveries of passive reading are what this operation is for; nil: none can be. A slot is given to the user by a
  /// session with the meter only.
  var deliveryFilter: (@Sendable (AirTraffic.Delivery) -> Bool)? {
    options.userSlot == nil ? shownFilter : nil
  }

  /// The same for a meter that goes on showing a live value, which would be another reading if it were read again for a slot.
  var shownFilter: (@Sendable (AirTraffic.Delivery) -> Bool)? {
    options.window.isBounded || options.takesHistory || options.readsAgain ? nil : ownFilter
  }

  /// Which deliveries of passive work that was under way serve this operation, too. A meter without a memory has nothing else to
  /// ask for: broken off and read again, it would bring the same value as another reading.
  private var sharedFilter: (@Sendable (AirTraffic.Delivery) -> Bool)? {
    plan.peripheral.hasStoredHistory ? deliveryFilter : ownFilter
  }

  /// Which deliveries are of a meter that this operation may read, and the same user's.
  private var ownFilter: (@Sendable (AirTraffic.Delivery) -> Bool)? {
    guard purpose == .read, let generation = (try? surroundings.store.currentSession())?.generation else { return nil }
    return { delivery in
      delivery.peripheral == plan.peripheral.id && delivery.generation == generation
        && isAllowed(delivery.address, delivery.meter)
    }
  }

  private func bringsNothing(_ last: Result<ReadEvent, BluetoothError>?) -> Bool {
    switch last {
    case .success(let event): event.bringsNothing
    case .failure(let error): ReadEvent.failed(error, ReadSummary()).bringsNothing
    case nil: true
    }
  }

  /// Waits for turns with meters that fit, until one of them was what was asked for.
  func takeTurns(_ ledger: ReadLedger) async throws(BluetoothError) -> ReadEvent {
    // A live value has no time of its own: read again from a meter that still shows it, it would be another reading.
    if !plan.peripheral.hasStoredHistory, let isWanted = shownFilter,
      let summary = surroundings.traffic.takeDeliveryOfPresent(where: isWanted)
    {
      return .alreadyDelivered(summary)
    }
    let (traffic, allowed, others) = (surroundings.traffic, try allowedAddresses(), RefusedMeters())
    let air = PeripheralAir(plan.peripheral)
    let deadline = surroundings.clock.now + options.connectionTimeout
    let isShared = sharedFilter
    let standing = try traffic.begin(
      purpose == .pair ? .pair : .read, until: deadline, sharesRunning: isShared != nil
    ) { report in
      let isAllowed = allowed?.contains(report.address.description) ?? true
      return isAllowed && air.mayBe(report) && !others.contains(report.address) ? .link : nil
    }
    defer { traffic.withdraw(standing.id) }
    return try await cancellation.during({ traffic.withdraw(standing.id) }) { () async throws(BluetoothError) in
      var last: Result<ReadEvent, BluetoothError>?
      for await step in standing.steps {
        switch step {
        case .start(let turn):
          let result = await serve(turn, ledger)
          if result.ending == .failed(.otherMeter) {
            others.insert(turn.work.meter, as: result.other)
          } else {
            last = result.event
          }
          traffic.ended(turn, result.ending)
        // A turn of a person's ends with its demand only, and the operation hears of that itself.
        case .stop: break
        case .finished, .expired:
          if bringsNothing(last), let isShared, let summary = takeDelivery(isShared, ledger.reached) {
            return .alreadyDelivered(summary)
          }
          return try outcome(last, others)
        case .noRadio(let error):
          guard last != nil else { throw error }
          return try outcome(last, others)
        }
      }
      guard last != nil else { throw Self.givenUp }
      return try outcome(last, others)
    }
  }

  /// - Parameter reached: Those that were read: what another meter has brought is not what one of them has.
  private func takeDelivery(
    _ isShared: (AirTraffic.Delivery) -> Bool, _ reached: Set<UUID>
  ) -> ReadSummary? {
    surroundings.traffic.takeDelivery { isShared($0) && (reached.isEmpty || reached.contains($0.meter)) }
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
  func listen(_ ledger: ReadLedger) async throws(BluetoothError) -> ReadEvent {
    let traffic = surroundings.traffic
    // It ends with the operation and not by a time.
    let queue = AdvertisementQueue()
    let standing = try traffic.begin(
      .read, until: surroundings.clock.now + .seconds(86_400 * 7), nil, hearing: AirTraffic.Listener(queue: queue))
    defer { traffic.withdraw(standing.id) }
    let reports = queue.stream { traffic.withdraw(standing.id) }
    return try await AdvertisementRead(operation: self, ledger: ledger, reports: reports).run()
  }

  /// Carries out one turn of the traffic; the caller reports its end.
  func serve(_ turn: AirTraffic.Turn, _ ledger: ReadLedger = ReadLedger()) async -> TurnResult {
    var operation = self
    operation.surroundings.radio = turn.radio
    if turn.work.isStranger { operation.limitForStranger() }
    let began = surroundings.clock.now
    defer { surroundings.store.counted.tell(.turnEnded(took: surroundings.clock.now - began)) }
    do {
      let event: ReadEvent
      switch try await operation.event(of: turn, ledger) {
      case .success(let last): event = last
      case .failure(let other):
        return TurnResult(ending: .failed(.otherMeter), summary: ledger.summary, other: other.name)
      }
      let summary = ledger.summary
      let hasNews = purpose == .pair || summary.hasNews
      // What has no time of its own is read when it has come: read again, it would be there twice.
      let isStopped = if case .cancelled = event { !summary.hasLiveNews } else { false }
      return TurnResult(
        ending: isStopped ? .stopped : hasNews ? .readNew : .nothingNew, summary: summary, event: .success(event))
    } catch let failure {
      // A link that breaks does not know why.
      let error = explained(failure.code == .communicationFailure ? turn.radio.end ?? failure : failure)
      var ending = cancellation.isCancelled ? .stopped : RadioSchedule.Ending.failed(RadioSchedule.Failure(error))
      // As above; an advertisement shows its value for longer than anybody listens.
      let isRead = ledger.summary.hasLiveNews || turn.work.medium == .advertisements && ledger.summary.hasNews
      if ending == .stopped, isRead { ending = .readNew }
      return TurnResult(ending: ending, summary: ledger.summary, event: .failure(error))
    }
  }

  /// - Returns: The operation's last event, or which other peripheral the meter is.
  private func event(
    of turn: AirTraffic.Turn, _ ledger: ReadLedger
  ) async throws(BluetoothError) -> Result<ReadEvent, OtherMeter> {
    let traffic = surroundings.traffic
    var heard = HeardMeter(report: turn.report, time: turn.heard)
    if turn.work.medium == .advertisements {
      var single = self
      single.options.allowList = [heard.report.address.description]
      let address = heard.report.address
      return .success(
        try await AdvertisementRead(
          operation: single, ledger: ledger, reports: traffic.advertisements { $0.address == address },
          first: heard.report
        ).run())
    }
    var mayRetry = true
    var encryptsFirst = false
    var deadline = min(traffic.instant(turn.work.connectBy), surroundings.clock.now + options.connectionTimeout)
    while true {
      let attempt = try await attempt(
        heard, until: deadline, encryptingFirst: encryptsFirst, ledger, onConnected: { traffic.connected(turn) })
      switch attempt {
      case .otherMeter(let name): return .failure(OtherMeter(name: name))
      // The deadline stays: a bond that is lost again and again ends there.
      case .bondDropped(let time): heard = try await hearAgain(heard.report, since: time, until: deadline)
      case .pairedInSilence(let time):
        guard !encryptsFirst else { throw silent(cause: nil) }
        encryptsFirst = true
        deadline = surroundings.clock.now + options.connectionTimeout
        heard = try await hearAgain(heard.report, since: time, until: deadline)
      // A handle that was cached, or has moved, and is wrong now: the cache is forgotten, and one more try makes the
      // discovery.
      case .ended(let report)
      where report.disprovesCache && (ledger.summary.usedCache || report.link.databaseMoved) && mayRetry
        && !cancellation.isCancelled:
        mayRetry = false
        deadline = surroundings.clock.now + options.connectionTimeout
        heard = try await hearAgain(heard.report, since: report.link.began, until: deadline)
      case .ended(let report): return .success(try conclude(report, ledger.summary))
      }
    }
  }

  /// Waits until a meter whose link is gone advertises again; it may have done so already.
  ///
  /// - Parameter known: All that it has shown; what it says next may be the smaller half of it.
  private func hearAgain(
    _ known: AdvertisingReport, since began: HostInstant, until deadline: HostInstant
  ) async throws(BluetoothError) -> HeardMeter {
    let address = known.address
    let stream = surroundings.traffic.advertisements { $0.address == address }
    if let heard = surroundings.traffic.report(of: address, after: began) { return heard }
    let search = Task { () async throws -> Bool in
      for try await _ in stream { return true }
      return false
    }
    let timeout = Task { [clock = surroundings.clock] in
      try await clock.sleep(until: deadline)
      search.cancel()
    }
    defer { timeout.cancel() }
    let isHeard = await cancellation.during({ search.cancel() }) { (try? await search.value) ?? false }
    try checkCancellation()
    guard isHeard else { throw nobodyHeard }
    return HeardMeter(report: known, time: surroundings.clock.now)
  }
}

extension ReadEvent {
  /// Whether the read is over without a reading that is new, and for no reason that the person should rather hear of.
  fileprivate var bringsNothing: Bool {
    switch self {
    case .completed(let summary): !summary.hasNews
    case .failed(let error, let summary):
      !summary.hasNews && [.connectionTimeout, .noReading, .connectionFailure].contains(error.code)
    default: false
    }
  }

  /// Whether the meter was there and had nothing to say: it keeps its link open for the next measurement, or closes it.
  fileprivate var waitedForNothing: Bool {
    guard case .failed(let error, let summary) = self else { return false }
    return !summary.hasNews && [.readingTimeout, .communicationFailure].contains(error.code)
  }
}

/// What is heard of the meters that may be one peripheral: an advertisement and the answer to a scan count together.
private final class PeripheralAir: Sendable {
  private let air: Mutex<SeenAir>

  init(_ peripheral: Peripheral) { air = Mutex(SeenAir(index: AdvertisementIndex([peripheral]))) }

  /// Whether the meter may be one of the peripheral, by all that it has shown.
  func mayBe(_ report: AdvertisingReport) -> Bool {
    let matches = air.withLock { $0.hear(report) }.matches
    return !matches.fits.isEmpty || !matches.undecided.isEmpty
  }
}

/// A meter that is another peripheral than the one that was asked for, by name and id where the registry knows it.
private struct OtherMeter: Error { let name: String? }

/// Meters that turned out to be another peripheral than the one that was asked for, each with its name.
private final class RefusedMeters: Sendable {
  private let names = Mutex<[BluetoothAddress: String?]>([:])

  func insert(_ address: BluetoothAddress, as name: String?) { names.withLock { $0[address] = .some(name) } }
  func contains(_ address: BluetoothAddress) -> Bool { names.withLock { $0.keys.contains(address) } }
  var all: [BluetoothAddress: String?] { names.withLock(\.self) }
}
