import DriverContract
import Glibc
import HostPrimitives
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
  /// The name of the session's recording, when one was written.
  var recording: String?
  /// What the driver did wrong when it was closed; what the session has brought is on disk all the same.
  var closingFault: DriverFault?
  /// Whether the meter may be read with this driver again.
  var quarantine = QuarantinePolicy.Verdict.free
  /// What the link was like.
  var link: LinkReport
}

/// Where a session puts its units.
protocol UnitCommitter: Sendable {
  /// Puts units on disk in one transaction; returns only when they are there.
  ///
  /// - Returns: How much of them was known, or left in the meter.
  func commit(_ units: [DriverUnit]) async throws -> RecordAllowance.Amount
}

/// Carries out what a ``SessionMachine`` decides: hands events to the driver, units to the store and requests to the meter.
actor SessionRunner {
  private var machine: SessionMachine
  private let link: any SessionLink
  private let driver: any DriverSession
  private let committer: any UnitCommitter
  private let ask: @Sendable (DriverPrompt) async throws -> DriverFact
  private let limits: SessionLimits
  private let clock: any HostClock
  private let notify: @Sendable (SessionNotice) -> Void

  private let inbox: AsyncStream<SessionMachine.Input>
  private let post: AsyncStream<SessionMachine.Input>.Continuation
  private var timers: [UInt64: Task<Void, Never>] = [:]
  private var deadlines: [Task<Void, Never>] = []
  /// While a person thinks about an answer, or the disk takes its time, the meter's silence is not the meter's fault.
  private var (openQuestions, openCommits) = (0, 0)
  private var lastAnswer: HostInstant
  private var eventCount: UInt64 = 0
  /// When the event happened that the driver was handed last: its timers count from there.
  private var eventTime: HostInstant
  private var outcome = SessionMachine.Outcome.finished
  private var commitError: (any Error)?

  init(
    link: any SessionLink, driver: any DriverSession, committer: any UnitCommitter, limits: SessionLimits,
    clock: any HostClock,
    ask: @escaping @Sendable (DriverPrompt) async throws -> DriverFact,
    notify: @escaping @Sendable (SessionNotice) -> Void
  ) {
    machine = SessionMachine(
      over: link.medium, RecordAllowance(records: limits.records, bytes: limits.recordBytes))
    self.link = link
    self.driver = driver
    self.committer = committer
    self.limits = limits
    self.clock = clock
    lastAnswer = clock.now
    eventTime = clock.now
    self.ask = ask
    self.notify = notify
    (inbox, post) = AsyncStream.makeStream()
  }

  /// Gives up; the driver may use the grace period to end in an orderly way.
  nonisolated func cancel() { post.yield(.cancel(graceNanoseconds: limits.graceNanoseconds)) }

  /// Runs the session to its end. The link is closed and the driver gone when this returns.
  func run() async -> SessionReport {
    await withDiscardingTaskGroup { group in
      group.addTask { [link, post] in await link.listen { post.yield($0) } }
      group.addTask { await self.watchSilence() }
      startDeadline(.session, after: limits.total)
      for await input in inbox {
        for command in machine.handle(input) { await perform(command, in: &group) }
        if machine.isOver { break }
      }
      post.finish()
      group.cancelAll()
    }
    for task in deadlines + timers.values { task.cancel() }
    await link.close()
    let closingFault = await driver.close()
    return SessionReport(
      outcome: outcome, commitError: commitError, closingFault: closingFault, link: await link.report)
  }

  private func perform(_ command: SessionMachine.Command, in group: inout DiscardingTaskGroup) async {
    switch command {
    case .deliver(let fact, let token): group.addTask { await self.deliver(fact, token) }
    case .commit(let units): group.addTask { await self.commit(units) }
    case .procedure(let procedure): group.addTask { [link] in await link.run(procedure) }
    // A link that broke reports itself by the end of its events.
    case .writeNoResponse(let handle, let value): await link.write(value, to: handle)
    case .confirmIndication: await link.confirmIndication()
    case .startTimer(let token, let serial, let nanoseconds, let start):
      startTimer(
        token, serial, until: (start == .event ? eventTime : clock.now) + .nanoseconds(Int64(clamping: nanoseconds)))
    case .cancelTimer(let token): timers.removeValue(forKey: token)?.cancel()
    case .startGrace(let nanoseconds): startDeadline(.grace, after: .nanoseconds(Int64(clamping: nanoseconds)))
    case .ready: notify(.ready)
    case .progress(let done, let total): notify(.progress(done: done, total: total))
    case .ask(let action): group.addTask { await self.ask(action) }
    case .provisional(let records): notify(.provisional(records))
    case .disconnect: await link.close()
    case .end(let outcome): self.outcome = outcome
    }
  }

  private func deliver(_ fact: DriverFact, _ token: UInt64) async {
    await link.delivers(fact)
    eventCount += 1
    eventTime = clock.now
    let event = DriverEvent(
      sequence: eventCount, token: token, monotonicNanoseconds: eventTime.nanoseconds,
      unixMicroseconds: clock.unixMicroseconds, fact: fact)
    do {
      let unit = try await driver.handle(event)
      for line in unit.logs { notify(.log(line)) }
      post.yield(.unit(unit))
    } catch {
      post.yield(.driverFault(error))
    }
  }

  private func commit(_ units: [DriverUnit]) async {
    openCommits += 1
    defer {
      openCommits -= 1
      lastAnswer = clock.now
    }
    do {
      let known = try await committer.commit(units)
      if known.records > 0 { post.yield(.knew(records: known.records, bytes: known.bytes)) }
      post.yield(.committed)
    } catch {
      commitError = error
      post.yield(.commitFailed)
    }
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
      commitError = error
      post.yield(.commitFailed)
    }
    openQuestions -= 1
    lastAnswer = clock.now
  }
}

extension SessionRunner {
  private func startTimer(_ token: UInt64, _ serial: UInt64, until due: HostInstant) {
    timers.removeValue(forKey: token)?.cancel()
    timers[token] = Task { [post, clock] in
      guard await clock.elapsed(until: due) else { return }
      post.yield(.timer(token: token, serial: serial))
    }
  }

  private func watchSilence() async {
    var remaining = limits.silence
    while remaining > .zero {
      guard await clock.elapsed(remaining) else { return }
      if openQuestions + openCommits > 0 { lastAnswer = clock.now }
      let heard = await link.lastHeard
      remaining = limits.silence - (clock.now - max(heard, lastAnswer))
    }
    post.yield(.deadline(.reading))
  }

  private func startDeadline(_ deadline: SessionMachine.Deadline, after time: Duration) {
    deadlines.append(
      Task { [post, clock] in
        guard await clock.elapsed(time) else { return }
        post.yield(.deadline(deadline))
      })
  }
}
