import BluetoothWire
import HostPrimitives
import Logging
import MeterCore
import MeterDrivers

/// A read of meters that are never connected: a session for each address that fits, until one of them has brought a
/// reading.
struct AdvertisementRead: Sendable {
  let operation: ReadOperation
  let ledger: ReadLedger
  let reports: AsyncThrowingStream<AdvertisingReport, any Error>
  /// What was heard before the reports began.
  var first: AdvertisingReport?

  private static let log = LogArea.bluetooth.logger

  private var clock: any HostClock { operation.surroundings.clock }

  private enum Happening: Sendable {
    /// A meter that fits was heard.
    case heard(AdvertisingReport, AdvertisementLink, HostInstant)
    case ended(BluetoothAddress, AdvertisementLink, Result<SessionReport, BluetoothError>, ReadSummary)
    /// Somebody may have fallen silent.
    case silence
    case deadline
    case radioEnded((any Error)?)
    /// What a meter shows was read passively, and delivered, just before.
    case delivered
    case cancelled
  }

  /// What is known so far.
  private struct Course {
    var sessions: [BluetoothAddress: CancellationHandle] = [:]
    /// No further session begins.
    var isOver = false
    /// The time to hear a meter is over, and with it that of one whose session has stalled.
    var isLate = false
    var hasHeard = false
    var isRadioGone = false
    var hasReading = false
    var hasKnownReading = false
    var failure: BluetoothError?
    var radioError: (any Error)?

    /// Whether it is over when nothing more can come of those that were heard.
    var mayBeQuiet: Bool { hasHeard || isRadioGone }

    mutating func stop() {
      isOver = true
      for session in sessions.values { session.cancel() }
    }
  }

  /// Runs the read.
  ///
  /// - Throws: ``BluetoothError`` for what went wrong, when no meter brought a reading.
  func run() async throws(BluetoothError) -> ReadEvent {
    // An empty allow-list is an error.
    _ = try operation.allowedAddresses()
    let (happenings, post) = AsyncStream<Happening>.makeStream()
    let isWanted = operation.shownFilter
    let meters = AdvertisingMeters(holdOff: operation.options.session.holdOff, clock: clock) { [operation] report in
      guard operation.plan.isFrom(report), operation.isAllowed(report.address, Self.identity(report).peripheralUUID)
      else { return false }
      // A live value has no time of its own: read again, it would be another reading.
      if let isWanted, operation.surroundings.traffic.hasDelivered(report.address, where: isWanted) {
        post.yield(.delivered)
        return false
      }
      return true
    }
    let course = await operation.cancellation.during({ post.yield(.cancelled) }) {
      await follow(meters, happenings, post)
    }
    try operation.checkCancellation()
    return try conclude(course)
  }

  private static func identity(_ report: AdvertisingReport) -> MeterIdentity {
    MeterIdentity(serial: nil, model: nil, systemID: nil, address: report.address.description)
  }

  private func follow(
    _ meters: AdvertisingMeters, _ happenings: AsyncStream<Happening>, _ post: AsyncStream<Happening>.Continuation
  ) async -> Course {
    var course = Course()
    await withDiscardingTaskGroup { group in
      group.addTask { await listen(meters, post) }
      group.addTask { await watchSilence(meters, post) }
      group.addTask { [clock, timeout = operation.options.connectionTimeout] in
        if await clock.elapsed(timeout) { post.yield(.deadline) }
      }
      for await happening in happenings {
        switch happening {
        case .heard(let report, let link, let time):
          guard !course.isOver else {
            meters.ended(report.address)
            break
          }
          course.hasHeard = true
          let session = CancellationHandle()
          course.sessions[report.address] = session
          group.addTask { await run(session, report, link, time, post) }
        case .ended(let address, let link, let result, let summary):
          course.sessions[address] = nil
          ledger.absorb(summary)
          noteRead(address, result, summary)
          if let next = sequel(judge(result, summary, &course), course, meters, address, link) {
            post.yield(.heard(next.report, next.link, clock.now))
          }
        case .silence: break
        case .deadline:
          course.isLate = true
          for last in meters.giveUpStalled() { post.yield(.heard(last.report, last.link, clock.now)) }
          if !course.hasHeard { course.isOver = true }
        case .radioEnded(let error):
          course.radioError = error
          course.isRadioGone = true
          for last in meters.dropAll() { post.yield(.heard(last.report, last.link, clock.now)) }
        case .delivered:
          if course.failure == nil { course.failure = noReading }
          course.stop()
        case .cancelled: course.stop()
        }
        // No session may be left: what its driver has put out would be lost.
        if course.sessions.isEmpty, course.isOver || course.mayBeQuiet && meters.isQuiet { break }
      }
      group.cancelAll()
    }
    return course
  }

  /// Another session of a meter whose session has ended; nil when none begins now.
  private func sequel(
    _ prospect: Prospect, _ course: Course, _ meters: AdvertisingMeters, _ address: BluetoothAddress,
    _ link: AdvertisementLink
  ) -> AdvertisingMeters.Opening? {
    switch prospect {
    case .known where !course.isOver: return meters.endedKnown(address, unread: link.unread)
    case .stalled where !course.isOver:
      return meters.endedStalled(address, unread: link.unread, at: clock.now, isLate: course.isLate)
    case .over, .known, .stalled:
      meters.ended(address)
      return nil
    }
  }

  private func listen(_ meters: AdvertisingMeters, _ post: AsyncStream<Happening>.Continuation) async {
    do {
      var isFull = false
      if let first, case .opens(let link, let shown) = meters.hear(first, at: clock.now) {
        post.yield(.heard(shown, link, clock.now))
      }
      for try await report in reports {
        let now = clock.now
        switch meters.hear(report, at: now) {
        case .opens(let link, let shown): post.yield(.heard(shown, link, now))
        case .nothing: break
        case .noRoom where !isFull:
          isFull = true
          Self.log.warning("more meters advertise than can be read at a time; name yours in the allow-list")
        case .noRoom: break
        }
      }
      post.yield(.radioEnded(nil))
    } catch {
      post.yield(.radioEnded(error))
    }
  }

  private func watchSilence(_ meters: AdvertisingMeters, _ post: AsyncStream<Happening>.Continuation) async {
    while !Task.isCancelled {
      // Nobody who is heard later is silent earlier than this.
      let next = meters.nextSilence ?? clock.now + operation.options.session.holdOff
      try? await clock.sleep(until: max(next, clock.now + .milliseconds(10)))
      for last in meters.dropSilent(at: clock.now) { post.yield(.heard(last.report, last.link, clock.now)) }
      post.yield(.silence)
    }
  }

  private func run(
    _ session: CancellationHandle, _ report: AdvertisingReport, _ link: AdvertisementLink, _ heard: HostInstant,
    _ post: AsyncStream<Happening>.Continuation
  ) async {
    let meter = MeterDescription(
      address: report.address.description, name: report.advertisingData.localName, information: DeviceInformation())
    operation.sink.yield(.connected(meter))
    self.ledger.reach(meter.identity)
    let ledger = ReadLedger()
    let result: Result<SessionReport, BluetoothError>
    do throws(BluetoothError) {
      let single = ReadOperation(
        plan: operation.plan, purpose: operation.purpose, options: operation.options,
        surroundings: operation.surroundings, sink: operation.sink, cancellation: session, desk: operation.desk)
      result = .success(
        try await single.runSession(
          over: link, with: meter, at: report.address, heard: report, since: heard,
          isFirst: self.ledger.begin(with: meter.identity), ledger: ledger))
    } catch {
      result = .failure(error)
    }
    post.yield(.ended(report.address, link, result, ledger.summary))
  }
}

extension AdvertisementRead {
  /// What may come of a meter whose session has ended.
  private enum Prospect {
    /// Nothing more is wanted of it.
    case over
    /// It has shown what is known: a change may be new.
    case known
    /// It has shown nothing that holds: when it goes on, that may come.
    case stalled
  }

  /// What the end of a session means for the read, and for its meter.
  private func judge(
    _ result: Result<SessionReport, BluetoothError>, _ summary: ReadSummary, _ course: inout Course
  ) -> Prospect {
    do throws(BluetoothError) {
      let report = try result.get()
      switch report.outcome {
      case .cancelled: break
      case .meterDisconnected where report.link.error == nil, .finished:
        if summary.hasNews {
          course.hasReading = true
          course.stop()
          return .over
        }
        // A driver that finishes has what it wanted, and may know it from an earlier read.
        guard summary.hasReading || report.outcome.isFinished else { throw noReading }
        course.hasKnownReading = true
        return .known
      default: _ = try operation.conclude(report, summary)
      }
    } catch {
      if course.failure == nil { course.failure = error }
      // The disk fails for all of them.
      if error.code == .storeFailure { course.stop() }
      if !summary.hasNews, [.noReading, .readingTimeout].contains(error.code) { return .stalled }
    }
    return .over
  }

  /// Tells passive reading of a session that got what it wanted.
  private func noteRead(
    _ address: BluetoothAddress, _ result: Result<SessionReport, BluetoothError>, _ summary: ReadSummary
  ) {
    guard case .success(let report) = result, report.isRead(bringing: summary) else { return }
    let known = try? operation.surroundings.store.meter(at: address)
    operation.surroundings.traffic.served(
      address, summary.hasNews ? .readNew : .nothingNew, holdOff: known?.settings.holdOff)
  }

  private func conclude(_ course: Course) throws(BluetoothError) -> ReadEvent {
    if course.hasReading { return .completed(ledger.summary) }
    if let error = course.failure, error.code == .storeFailure { throw error }
    if course.hasKnownReading { return .completed(ledger.summary) }
    if let error = course.radioError as? BluetoothError { throw error }
    if let error = course.failure { throw error }
    throw operation.nobodyHeard
  }

  private var noReading: BluetoothError {
    let peripheral = operation.plan.peripheral
    let help = peripheral.readingInstructions.isEmpty ? peripheral.instructions : peripheral.readingInstructions
    return BluetoothError(
      .noReading, "\(peripheral.name) was heard, and fell silent before it had sent a reading that holds. \(help)")
  }
}

extension SessionMachine.Outcome {
  fileprivate var isFinished: Bool { if case .finished = self { true } else { false } }
}

extension ReadSummary {
  /// Whether there is a reading that was not known before, or has changed.
  var hasNews: Bool { !records.isEmpty || !revised.isEmpty }
  /// Whether some of that has no name that lasts: the same value would be another reading when it is read again.
  var hasLiveNews: Bool { (records + revised).contains { $0.record.identityClass == .live } }
  /// Whether there is any reading, though it was known, or not to be taken.
  fileprivate var hasReading: Bool { hasNews || duplicates > 0 || !left.isEmpty }
}
