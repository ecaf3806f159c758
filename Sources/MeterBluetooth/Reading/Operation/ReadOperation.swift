import BluetoothWire
import DriverContract
import Foundation
import HostPrimitives
import Logging
import MeterCore
import MeterDrivers

/// One read of one peripheral: from an advertisement to the last commit.
struct ReadOperation: Sendable {
  let plan: ReadPlan
  /// Read, or pair.
  let purpose: DriverPurpose
  var options: ReadOptions
  var surroundings: ReadSurroundings
  let sink: AsyncStream<ReadEvent>.Continuation
  let cancellation: CancellationHandle
  let desk: QuestionDesk
  /// Whether nobody knows the meter and nobody waits for it: see ``StrangerPatience``.
  var isWithStranger = false

  private static let log = LogArea.drivers.logger
  /// Links and pairings; of what goes over them only the kinds.
  static let airLog = LogArea.bluetooth.logger

  /// Runs the operation for a person; the result is its last event.
  func run() async -> ReadEvent {
    let pairs = purpose == .pair && !plan.peripheral.pairingInstructions.isEmpty
    sink.yield(
      .started(instructions: pairs ? plan.peripheral.pairingInstructions : plan.peripheral.instructions))
    let ledger = ReadLedger()
    do {
      return preferDelivered(
        try await plan.peripheral.connectionKind == .advertisement ? listen(ledger) : takeTurns(ledger), ledger)
    } catch let failure {
      let error = explained(failure)
      // A pairing that was given up is a pairing that failed.
      if error.code == .cancelled, purpose != .pair { return .cancelled(ledger.summary) }
      return preferDelivered(.failed(error, ledger.summary), ledger)
    }
  }

  /// What connecting to one meter has come to.
  enum Attempt {
    case ended(SessionReport)
    /// Its Device Information shows that it is another peripheral than the one that was asked for.
    case otherMeter(name: String?)
    /// It has lost its bond, and so has this gateway by now: it can be paired on the next link.
    case bondDropped(since: HostInstant)
    /// It says nothing before the link is encrypted, which it has been since: it can be asked on the next link.
    case pairedInSilence(since: HostInstant)
  }

  /// Connects to the meter that was heard and runs a session with it.
  func attempt(
    _ heard: HeardMeter, until deadline: HostInstant, encryptingFirst: Bool = false, _ ledger: ReadLedger,
    onConnected: @Sendable () -> Void
  ) async throws(BluetoothError) -> Attempt {
    let link = try await connect(to: heard.report.address, until: deadline)
    onConnected()
    Self.airLog.debug("a link is up", metadata: ["address": "\(heard.report.address)"])
    do throws(BluetoothError) {
      if try await dropsLostBond(with: heard.report.address) {
        link.close()
        return .bondDropped(since: surroundings.clock.now)
      }
    } catch {
      link.close()
      throw error
    }
    var limits = ATTClient.Limits()
    limits.transaction = options.session.transaction
    let cached = cachedKnowledge(of: heard.report.address)
    // Known before the meter says anything: that its database has changed is the first thing that it says.
    let att = ATTClient(
      bearer: link, limits: limits, serviceChanged: cached?.marks.serviceChanged,
      clock: surroundings.clock)
    // Some radios have agreed on the length of PDUs before.
    let heardBefore = await att.receivedPDUs
    let patience =
      isWithStranger ? StrangerPatience(with: att, heard: heardBefore, ledger, clock: surroundings.clock) : nil
    await att.start()
    defer { patience?.end() }
    let security = security(of: heard.report.address)
    do {
      let isSilent = await isSilentInTheClear(heard.report.address, security)
      if encryptingFirst || isSilent {
        try await cancellation.during({ Task { await att.close() } }) { () async throws(BluetoothError) in
          _ = try await security.pair()
        }
      }
      return try await readConnected(
        GATTClient(att: att, security: security), security, heard.report, cached, heard.time, ledger)
    } catch {
      await att.close()
      throw patience?.isOver == true ? strangerGivenUp(cause: error) : error
    }
  }

  private func readConnected(
    _ client: GATTClient, _ security: LinkSecurity, _ report: AdvertisingReport, _ cached: MeterKnowledge?,
    _ advertised: HostInstant, _ ledger: ReadLedger
  ) async throws(BluetoothError) -> Attempt {
    let hangUp: @Sendable () -> Void = { Task { await client.att.close() } }
    let known = try await cancellation.during(hangUp) { () async throws(BluetoothError) in
      try await pairIfRequired(security, at: report.address)
      return try await askOrPair(client, at: report.address, security) { () async throws(BluetoothError) in
        try await knowledge(of: report.address, client, security, cached: cached, ledger)
      }
    }
    try checkCancellation()
    guard let known else {
      await client.att.close()
      return .pairedInSilence(since: surroundings.clock.now)
    }
    let told = try completed(known, at: await security.identity)
    if case .differs(let name) = plan.confirms(report, told, among: surroundings.registry) {
      await client.att.close()
      return .otherMeter(name: name)
    }
    let wasBonded = await security.hasBonded
    let shown = MeterDescription(
      address: await security.identity.description, name: report.advertisingData.localName, information: told)
    try await cancellation.during(hangUp) { () async throws(BluetoothError) in
      try await pairIfKnown(shown, security)
    }
    try checkCancellation()
    // A bond tells the address by which the meter is known.
    let identity = await security.identity
    let meter = MeterDescription(
      address: identity.description, name: report.advertisingData.localName,
      information: try completed(known, at: identity))
    let uuid = meter.identity.peripheralUUID
    guard isAllowed(report.address, uuid) || isAllowed(identity, uuid) else {
      await client.att.close()
      return .otherMeter(name: nil)
    }
    try checkIdentity(of: meter, at: identity)
    sink.yield(.connected(meter))
    ledger.reach(meter.identity)
    // A read that was asked to pair has made a bond, whatever becomes of the rest: it can be seen and forgotten.
    if purpose != .pair {
      try await security.whenBonded { () throws(BluetoothError) in
        try remember(meter, at: identity, hasBonded: true)
      }
    }
    let connection = ConnectedLink(
      client: client, database: known.database, serviceChanged: known.marks.serviceChanged,
      clock: surroundings.clock, pair: { try await security.pair() }, notify: { notice in tell(notice) })
    let began = surroundings.clock.now
    Self.airLog.debug(
      "a session begins", metadata: ["address": "\(identity)", "driver": "\(plan.driver.id)"])
    var result = try await runSession(
      over: connection, with: meter, at: identity, heard: report, since: advertised,
      isFirst: ledger.begin(with: meter.identity), ledger: ledger
    ) { await security.hasBonded }
    Self.airLog.debug(
      "a session is over",
      metadata: [
        "address": "\(identity)", "outcome": "\(result.outcome.word)", "sent": "\(result.link.sentPDUs)",
        "received": "\(result.link.receivedPDUs)",
      ])
    let hasBonded = await security.hasBonded
    if result.doubtsCache || hasBonded != wasBonded {
      try? surroundings.store.setCached(nil, known.name, address: known.address)
    }
    result.link.began = began
    result.link.refusal = await security.refusal(by: plan.peripheral.name, plan.peripheral.id)
    return .ended(result)
  }

  /// Opens the driver for a meter and runs its session to the end.
  ///
  /// - Parameters:
  ///   - isFirst: Whether the whole read has had no session with the meter before, whatever the ledger of this one says.
  ///   - hasBonded: Whether the link has made a bond; one that is no link makes none.
  func runSession(
    over link: any SessionLink, with meter: MeterDescription, at address: BluetoothAddress,
    heard report: AdvertisingReport,
    since advertised: HostInstant, isFirst: Bool, ledger: ReadLedger,
    hasBonded: @Sendable () async -> Bool = { false }
  ) async throws(BluetoothError) -> SessionReport {
    try surroundings.checkQuarantine(plan, meter: meter.identity)
    if purpose == .read { try surroundings.checkRoom(for: meter.identity) }
    let session: Session
    let granted: GrantedAssignment
    var storage: [ExactText: [UInt8]]
    let keys: SessionKeys
    let settings: MeterSettings
    do {
      session = try surroundings.store.currentSession()
      granted = try surroundings.store.assignment(
        of: meter.identity, generation: session.generation,
        options.assignmentRequest(
          at: surroundings.clock.unixMicroseconds, isFirst: isFirst))
      storage = try surroundings.store.storageKeys(
        generation: session.generation, family: plan.driver.familyID, meter: meter.identity)
      keys = try SessionKeys(store: surroundings.store, plan: plan, meter: meter.identity, session: session)
      settings = try surroundings.store.meterSettings(of: meter.identity)
    } catch {
      throw BluetoothError(.storeFailure, "the state folder cannot be read: \(error.message)", cause: error)
    }
    // Pairing is what brings the keys of one meter.
    if purpose != .pair, let missing = keys.missing {
      throw missing.missingError(for: plan.peripheral, meter: meter.identity)
    }
    if granted.isSinceUnknown {
      ledger.noteSinceUnknown()
      Self.airLog.warning(
        "since when the meter is whose cannot be said: this machine's clock is not synchronised",
        metadata: ["peripheral": "\(plan.peripheral.id)"])
    }
    if !granted.released.isEmpty { sink.yield(.shouldSubmit(granted.released)) }
    if options.window.isBounded {
      storage = storage.filter { !StorageWrite.isResumeCursor($0.key.text) }
    }
    let applied = options.applying(settings)
    let opening = DriverOpening(
      plan: plan, purpose: purpose, report: report, meter: meter, storage: storage, assignment: granted.assignment,
      zone: session.options.timeZone ?? .gateway, security: await surroundings.radio.security(of: report.address),
      options: applied, unixMicroseconds: surroundings.clock.unixMicroseconds)
    let recording = SessionRecording(
      plan: plan, opening: opening, generation: session.generation, options: options, store: surroundings.store,
      ledger: ledger)
    let driver = try await open(opening, keys, recording, for: meter)
    let committer = SessionCommitter(
      store: surroundings.store, plan: plan, meter: meter, session: session, assignment: granted.assignment,
      options: applied, advertised: advertised, clock: surroundings.clock, ledger: ledger, sink: sink)
    let runner = SessionRunner(
      link: link, driver: driver, committer: committer, limits: options.session,
      clock: surroundings.clock, ask: { [desk] prompt in try await keys.answer(prompt, at: desk) },
      notify: { notice in tell(notice) })
    var result = await cancellation.during({ runner.cancel() }) { await runner.run() }
    committer.finish()
    result.recording = recording.finish(result)
    result.quarantine = surroundings.judge(result, of: plan, with: meter.identity, brought: ledger.summary)
    let isRead = purpose == .read && result.isRead(bringing: ledger.summary)
    surroundings.noteMeter(meter, of: plan, at: address, isRead: isRead, telling: committer.told)
    ledger.count(pdus: result.link.sentPDUs + result.link.receivedPDUs)
    if keysAreDoubtful(after: result.outcome) { try putKeysBack(keys) }
    if purpose == .pair, case .finished = result.outcome {
      try remember(meter, at: address, hasBonded: await hasBonded())
    }
    return result
  }

  private func tell(_ notice: SessionNotice) {
    switch notice {
    case .ready: sink.yield(.ready(readingInstructions: plan.peripheral.readingInstructions))
    case .progress(let done, let total):
      sink.yield(.progress(done: Int(clamping: done), total: total == 0 ? nil : Int(clamping: total)))
    case .provisional(let records): sink.yield(.provisional(records))
    case .log(let line):
      Self.log.log(level: line.level.logLevel, "\(line.message)", metadata: ["driver": "\(plan.driver.id)"])
    }
  }

  private func open(
    _ opening: DriverOpening, _ keys: SessionKeys, _ recording: SessionRecording, for meter: MeterDescription
  ) async throws(BluetoothError) -> any DriverSession {
    do throws(DriverFault) {
      return try await surroundings.drivers.open(
        plan.bundle, driver: plan.driver.id, opening: opening, limits: plan.driver.limits, services: keys.service,
        recorder: recording.recorder)
    } catch {
      let name = recording.finish()
      let verdict = await surroundings.judge(
        error, of: plan, opening: opening, with: meter.identity, recordedAs: name)
      throw BluetoothError(fault: error, quarantine: verdict).recorded(as: name)
    }
  }
}
