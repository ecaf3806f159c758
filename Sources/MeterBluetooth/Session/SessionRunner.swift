import BluetoothWire
import DriverRuntime
import Glibc
import MeterDrivers

/// What a running session tells the outside while it runs.
enum SessionNotice: Sendable {
  case ready
  case progress(done: UInt64, total: UInt64)
  case provisional([DriverRecord])
  case log(DriverLogLine)
}

/// What is left of a session that has ended.
struct SessionReport: Sendable {
  var outcome: SessionMachine.Outcome
  /// The store's own words when a commit failed.
  var commitError: (any Error)?
  /// Why a pairing that the driver asked for failed.
  var pairingError: BluetoothError?
  /// The link's own words when it was dropped for a reason.
  var linkError: GATTError?
  /// The meter refused something that its database allows: what is cached of it may be out of date.
  var contradictsDatabase = false
  var sentPDUs = 0
  var receivedPDUs = 0
}

/// Where a session puts its units.
protocol UnitCommitter: Sendable {
  /// Puts units on disk in one transaction; returns only when they are there.
  func commit(_ units: [DriverUnit]) async throws
}

/// Carries out what a ``SessionMachine`` decides: hands events to the driver, units to the store and requests to the meter.
actor SessionRunner {
  private var machine = SessionMachine()
  private let client: GATTClient
  private let database: GATTDatabase
  private let driver: any DriverSession
  private let committer: any UnitCommitter
  private let pair: @Sendable () async throws -> UInt8
  private let ask: @Sendable (DriverPrompt) async throws -> DriverFact
  private let limits: SessionLimits
  private let notify: @Sendable (SessionNotice) -> Void

  private let inbox: AsyncStream<SessionMachine.Input>
  private let post: AsyncStream<SessionMachine.Input>.Continuation
  private var timers: [UInt64: Task<Void, Never>] = [:]
  private var deadlines: [Task<Void, Never>] = []
  private var lastHeard = ContinuousClock.now
  /// While a person thinks about an answer, the meter's silence is nobody's fault.
  private var openQuestions = 0
  private var eventCount: UInt64 = 0
  /// When the event happened that the driver was handed last: its timers count from there.
  private var eventTime: UInt64 = 0
  private var report = SessionReport(outcome: .finished)

  init(
    client: GATTClient, database: GATTDatabase, driver: any DriverSession, committer: any UnitCommitter,
    limits: SessionLimits, pair: @escaping @Sendable () async throws -> UInt8,
    ask: @escaping @Sendable (DriverPrompt) async throws -> DriverFact,
    notify: @escaping @Sendable (SessionNotice) -> Void
  ) {
    self.client = client
    self.database = database
    self.driver = driver
    self.committer = committer
    self.limits = limits
    self.pair = pair
    self.ask = ask
    self.notify = notify
    (inbox, post) = AsyncStream.makeStream()
  }

  /// Gives up; the driver may use the grace period to end in an orderly way.
  nonisolated func cancel() { post.yield(.cancel(graceNanoseconds: limits.graceNanoseconds)) }

  /// Runs the session to its end. The link is closed and the driver gone when this returns.
  func run() async -> SessionReport {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.listen() }
      group.addTask { await self.watchSilence() }
      startDeadline(.session, after: limits.total)
      post.yield(.fact(.connected(mtu: UInt16(clamping: await client.att.mtu)), token: 0))
      post.yield(.fact(.services(database.driverServices, database.driverCharacteristics), token: 0))
      for await input in inbox {
        for command in machine.handle(input) { await perform(command, in: &group) }
        if machine.isOver { break }
      }
      post.finish()
      group.cancelAll()
    }
    for task in deadlines + timers.values { task.cancel() }
    await client.att.close()
    await driver.close()
    report.sentPDUs = await client.att.sentPDUs
    report.receivedPDUs = await client.att.receivedPDUs
    return report
  }

  private func listen() async {
    for await event in client.att.events {
      lastHeard = .now
      if database.characteristic(valueHandle: event.handle) == nil { report.contradictsDatabase = true }
      switch event {
      case .notification(let handle, let value): post.yield(.fact(.notification(handle: handle, value), token: 0))
      case .indication(let handle, let value): post.yield(.fact(.indication(handle: handle, value), token: 0))
      }
    }
    let failure = await client.att.failure
    if report.linkError == nil { report.linkError = failure }
    // Remote User Terminated Connection, or Connection Timeout (Core Specification, Vol 1 Part F 2.17 and 2.8).
    post.yield(.linkLost(reason: failure == nil ? 0x13 : 0x08))
  }

  private func perform(_ command: SessionMachine.Command, in group: inout DiscardingTaskGroup) async {
    switch command {
    case .deliver(let fact, let token): group.addTask { await self.deliver(fact, token) }
    case .commit(let units): group.addTask { await self.commit(units) }
    case .procedure(let procedure): group.addTask { await self.run(procedure) }
    // A link that broke reports itself by the end of its events.
    case .writeNoResponse(let handle, let value): await write(value, to: handle)
    case .confirmIndication: await client.att.confirmIndication()
    case .startTimer(let token, let serial, let nanoseconds): startTimer(token, serial, nanoseconds)
    case .cancelTimer(let token): timers.removeValue(forKey: token)?.cancel()
    case .startGrace(let nanoseconds): startDeadline(.grace, after: .nanoseconds(Int64(clamping: nanoseconds)))
    case .ready: notify(.ready)
    case .progress(let done, let total): notify(.progress(done: done, total: total))
    case .ask(let action): group.addTask { await self.ask(action) }
    case .provisional(let records): notify(.provisional(records))
    case .disconnect: await client.att.close()
    case .end(let outcome): report.outcome = outcome
    }
  }

  private func deliver(_ fact: DriverFact, _ token: UInt64) async {
    eventCount += 1
    eventTime = HostClock.monotonicNanoseconds
    let event = DriverEvent(
      sequence: eventCount, token: token, monotonicNanoseconds: eventTime,
      unixMicroseconds: HostClock.unixMicroseconds, fact: fact)
    do {
      let unit = try await driver.handle(event)
      for line in unit.logs { notify(.log(line)) }
      post.yield(.unit(unit))
    } catch {
      post.yield(.driverFault(error))
    }
  }

  private func commit(_ units: [DriverUnit]) async {
    do {
      try await committer.commit(units)
      post.yield(.committed)
    } catch {
      report.commitError = error
      post.yield(.commitFailed)
    }
  }

  private func write(_ value: [UInt8], to handle: UInt16) async {
    guard let characteristic = database.characteristic(valueHandle: handle) else {
      return notify(.log(.init(level: .warning, message: "a write to handle \(handle), which is not the driver's")))
    }
    await client.att.send(.writeCommand(handle: characteristic.valueHandle, value: value))
  }

  /// Asks the person. An answer that the host keeps is on disk before the driver hears of it.
  private func ask(_ action: DriverAction) async {
    guard case .askUser(let prompt, let token) = action else { return }
    openQuestions += 1
    do {
      let fact = try await ask(prompt)
      post.yield(.fact(fact, token: token))
    } catch let fault as DriverFault {
      post.yield(.driverFault(fault))
    } catch {
      report.commitError = error
      post.yield(.commitFailed)
    }
    openQuestions -= 1
    lastHeard = .now
  }
}

extension SessionRunner {
  private func run(_ procedure: SessionMachine.Procedure) async {
    lastHeard = .now
    switch procedure {
    case .subscribe(let handle, let enable, let token):
      let status = await status { () throws(GATTError) in
        try await client.subscribe(to: try characteristic(handle), enable: enable)
      }
      post.yield(.procedureDone(.subscribed(handle: handle, status: status), token: token))
    case .read(let handle, let token):
      var value: [UInt8] = []
      let status = await status { () throws(GATTError) in
        value = try await client.read(handle: try characteristic(handle).valueHandle)
      }
      post.yield(.procedureDone(.read(handle: handle, value, status: status), token: token))
    case .write(let handle, let value, let token):
      let status = await status { () throws(GATTError) in
        try await client.write(value, to: try characteristic(handle).valueHandle)
      }
      post.yield(.procedureDone(.wrote(handle: handle, status: status), token: token))
    case .exchangeMTU(let wanted, let token):
      _ = await status { () throws(GATTError) in _ = try await client.att.exchangeMTU(wanted) }
      post.yield(.procedureDone(.mtu(UInt16(clamping: await client.att.mtu)), token: token))
    case .pair(_, let token):
      do {
        post.yield(.procedureDone(.encrypted(level: Int32(try await pair())), token: token))
      } catch {
        report.pairingError = error as? BluetoothError
        post.yield(.pairingFailed)
      }
    }
  }

  /// Only what discovery found for this driver may be named; anything else is the ATT error "invalid handle".
  private func characteristic(_ handle: UInt16) throws(GATTError) -> GATTDatabase.Characteristic {
    guard let found = database.characteristic(valueHandle: handle) else {
      throw GATTError(
        .attribute(.invalidHandle), "the driver named handle \(handle), which is not one of its characteristics")
    }
    return found
  }

  /// 0, or the ATT error code that the driver may act on. A link that breaks ends the session by itself.
  private func status(_ body: () async throws(GATTError) -> Void) async -> Int32 {
    do {
      try await body()
      return 0
    } catch {
      switch error.code {
      case .attribute(let code):
        if code.contradictsDatabase { report.contradictsDatabase = true }
        return Int32(code.rawValue)
      case .missing: return Int32(ATTErrorCode.attributeNotFound.rawValue)
      default:
        if error.code != .disconnected { report.linkError = error }
        await client.att.close()
        return Int32(ATTErrorCode.unlikelyError.rawValue)
      }
    }
  }

  private func startTimer(_ token: UInt64, _ serial: UInt64, _ nanoseconds: UInt64) {
    timers.removeValue(forKey: token)?.cancel()
    let (post, elapsed) = (post, HostClock.monotonicNanoseconds - eventTime)
    let remaining = nanoseconds > elapsed ? nanoseconds - elapsed : 0
    timers[token] = Task {
      guard (try? await Task.sleep(for: .nanoseconds(Int64(clamping: remaining)))) != nil else { return }
      post.yield(.timer(token: token, serial: serial))
    }
  }

  private func watchSilence() async {
    var remaining = limits.silence
    while remaining > .zero {
      guard (try? await Task.sleep(for: remaining)) != nil else { return }
      if openQuestions > 0 { lastHeard = .now }
      remaining = limits.silence - (ContinuousClock.now - lastHeard)
    }
    post.yield(.deadline(.reading))
  }

  private func startDeadline(_ deadline: SessionMachine.Deadline, after time: Duration) {
    let post = post
    deadlines.append(
      Task {
        guard (try? await Task.sleep(for: time)) != nil else { return }
        post.yield(.deadline(deadline))
      })
  }
}

extension ATTErrorCode {
  /// Whether a server answers so when a handle is not what the client takes it for.
  fileprivate var contradictsDatabase: Bool {
    switch self {
    case .invalidHandle, .readNotPermitted, .writeNotPermitted, .requestNotSupported, .attributeNotFound,
      .invalidAttributeValueLength, .valueNotAllowed:
      true
    default: false
    }
  }
}
