import BluetoothWire
import Foundation
import HostPrimitives
import Logging
public import MeterCore
public import MeterDrivers
import Synchronization

/// Reads chosen meters whenever they advertise, without a person.
///
/// The set of peripherals is kept in the state folder: after a crash or a restart, ``start()`` goes on with it. A person's
/// operation suspends it: what is under way ends at the next safe point, behind the commit of what has arrived, and
/// monitoring goes on when the operation is over. A meter that was read is ignored until it has stopped advertising and its
/// hold-off is over; after a failure it is left alone for a while that grows with each further one.
public final class PassiveManager: Sendable {
  private struct State {
    var chosen: [UInt32] = []
    var isAllowed: Bool?
    var watching: Task<Void, Never>?
    var demands: [UInt32: RadioSchedule.DemandID] = [:]
    var turns: [RadioSchedule.WorkID: CancellationHandle] = [:]
    var serving: Task<Void, Never>?
  }

  private static let log = LogArea.bluetooth.logger

  private let traffic: AirTraffic
  private let store: MeterStore
  private let options: ReadOptions
  private let surroundings: @Sendable () -> ReadSurroundings
  private let state = Mutex(State())
  private let knownMeters: KnownMeters
  private let strangers: StrangerNews
  private let happenings = Broadcast<PassiveEvent>(.unbounded)
  /// Held while the choice is read or written and put to use: the last one that is kept is the one that is used.
  private let choosing = Mutex(())
  private let steps: AsyncStream<AirTraffic.Step>
  private let sink: AsyncStream<AirTraffic.Step>.Continuation

  /// What reads are made with.
  public struct Catalogue: Sendable {
    let registry: Registry
    let bundles: BundleCatalog
    let drivers: DriverHost

    /// From its parts.
    public init(registry: Registry, bundles: BundleCatalog, drivers: DriverHost) {
      (self.registry, self.bundles, self.drivers) = (registry, bundles, drivers)
    }
  }

  /// Passive reading, off until ``start()`` or ``choose(_:)``.
  ///
  /// - Parameters:
  ///   - catalogue: The registry and its drivers as they are at the moment: both may change.
  ///   - options: How meters are read; who is asked and what is listened for does not apply.
  public convenience init(
    traffic: AirTraffic, store: MeterStore, options: ReadOptions = ReadOptions(),
    catalogue: @escaping @Sendable () -> Catalogue
  ) {
    self.init(traffic: traffic, store: store, options: options) {
      let now = catalogue()
      return ReadSurroundings(
        registry: now.registry, bundles: now.bundles, drivers: now.drivers, store: store, traffic: traffic)
    }
  }

  /// - Parameter surroundings: Everything that a read needs, as it is at the moment.
  init(
    traffic: AirTraffic, store: MeterStore, options: ReadOptions,
    surroundings: @escaping @Sendable () -> ReadSurroundings
  ) {
    self.traffic = traffic
    self.store = store
    self.options = options
    self.surroundings = surroundings
    (steps, sink) = AsyncStream.makeStream()
    knownMeters = KnownMeters(store: store, clock: traffic.clock)
    strangers = StrangerNews(clock: traffic.clock) { sum in
      Self.note(
        .strangersMet(.init(outcomes: sum.outcomes, seconds: Int(sum.time.components.seconds))), in: store)
    }
  }

  deinit {
    let tasks = state.withLock { [$0.serving, $0.watching] }
    for task in tasks { task?.cancel() }
    // The traffic may outlive this, and would hold turns that nobody takes.
    traffic.setPassive([], nil, sink)
    sink.finish()
  }

  /// What happens from now on.
  public func events() -> AsyncStream<PassiveEvent> { happenings.listen() }

  /// The peripherals that are read passively; empty is off.
  public var peripherals: [UInt32] { state.withLock(\.chosen) }

  /// Begins with the set that is kept in the state folder, and with the catalogue as it is now. Nothing is read while there
  /// is no session: a person who reads without one is told so, and here nobody would be.
  ///
  /// Once it has begun, this tries again what waited for a person.
  ///
  /// - Throws: ``BluetoothError`` with code `storeFailure`.
  public func start() throws(BluetoothError) {
    try choosing.withLock { _ throws(BluetoothError) in
      do throws(StoreError) { use(try store.passivePeripherals()) } catch {
        throw BluetoothError(.storeFailure, "the set of passive meters cannot be read: \(error.message)", cause: error)
      }
    }
  }

  /// Chooses the peripherals that are read passively; the set is on disk before it is used. What waited for a person, such
  /// as a meter that was not paired, is tried again.
  ///
  /// - Throws: ``BluetoothError``: `unknownPeripheral` when the catalogue has no such entry, or it cannot be read without
  ///   somebody who starts it; `storeFailure`.
  public func choose(_ peripherals: [UInt32]) throws(BluetoothError) {
    try choosing.withLock { _ throws(BluetoothError) in
      use(try Self.keep(peripherals, in: store, surroundings().registry))
    }
  }

  /// As ``choose(_:)``, by the entries of the catalogue.
  public func choose(entries: [Peripheral]) throws(BluetoothError) { try choose(entries.map(\.id)) }

  /// Chooses the peripherals for the next time that passive reading starts.
  ///
  /// - Returns: The set as it is kept: without repeats, in order.
  /// - Throws: As ``choose(_:)``.
  @discardableResult
  public static func keep(
    _ peripherals: [UInt32], in store: MeterStore, _ registry: Registry
  ) throws(BluetoothError) -> [UInt32] {
    let wanted = Array(Set(peripherals)).sorted()
    for id in wanted { try registry.checkPassive(id) }
    do {
      try store.setPassivePeripherals(wanted)
      log.info("what is read passively was chosen", metadata: ["peripherals": "\(wanted)"])
    } catch {
      throw BluetoothError(.storeFailure, "the set of passive meters cannot be kept: \(error.message)", cause: error)
    }
    return wanted
  }

  /// Ends monitoring; the set stays. What is under way ends at the next safe point.
  public func stop() { choosing.withLock { _ in use([]) } }

  /// Waits until what was under way has ended, as it does behind ``stop()`` at the next safe point; no longer than this.
  public func settle(within patience: Duration) async {
    let clock = traffic.clock
    let end = clock.now + patience
    while state.withLock({ !$0.turns.isEmpty }), clock.now < end {
      guard await clock.elapsed(.milliseconds(20)) else { return }
    }
  }

  /// A session has begun or ended, perhaps.
  private func reconsider() {
    choosing.withLock { _ in
      let (chosen, isAllowed) = state.withLock { ($0.chosen, $0.isAllowed) }
      if isAllowed != hasUser { use(chosen) }
    }
  }

  private var hasUser: Bool {
    do { return try store.currentSession().user != nil } catch {
      Self.log.error("nothing is read passively, for the session cannot be looked up: \(error)")
      return false
    }
  }

  private func use(_ chosen: [UInt32]) {
    watch()
    knownMeters.look()
    traffic.setKnown { [weak knownMeters] in knownMeters?.contains($0) ?? true }
    let isAllowed = hasUser
    let wasAllowed = state.withLock { state in
      defer { (state.chosen, state.isAllowed) = (chosen, isAllowed) }
      return state.isAllowed
    }
    if !isAllowed, wasAllowed != false, !chosen.isEmpty {
      Self.log.warning("\(BluetoothError.noSessionUser.message)")
    }
    demand(isAllowed ? chosen : [])
  }

  /// Follows the sessions, which come and go with the store's changes.
  private func watch() {
    state.withLock { state in
      guard state.watching == nil else { return }
      state.watching = Task { [weak self, changes = store.changes()] in
        for await _ in changes {
          guard let self else { return }
          self.knownMeters.noteChange()
          self.reconsider()
        }
      }
    }
  }

  private func demand(_ peripherals: [UInt32]) {
    let registry = surroundings().registry
    let known = peripherals.filter { registry.peripheral(id: $0) != nil }
    let demands = state.withLock { state in
      state.demands = Dictionary(
        uniqueKeysWithValues: known.map { ($0, state.demands[$0] ?? traffic.newDemand()) })
      if state.serving == nil, !known.isEmpty {
        state.serving = Task { [weak self, steps] in
          for await step in steps {
            guard let self else { return }
            self.take(step)
          }
        }
      }
      return state.demands
    }
    let matcher = PassiveMatching(
      peripherals: known.compactMap { registry.peripheral(id: $0) }, demands: demands, clock: traffic.clock
    ) { [store, knownMeters] address in
      // One for which something is set is known.
      knownMeters.contains(address) ? (try? store.meter(at: address))?.settings.peripheral : nil
    }
    traffic.setPassive(
      demands.values.map { ($0, nil) }, demands.isEmpty ? nil : AirTraffic.PassiveMatcher { matcher.demands($0) },
      sink)
  }

  private func take(_ step: AirTraffic.Step) {
    switch step {
    case .start(let turn):
      let read = CancellationHandle()
      state.withLock { $0.turns[turn.work.id] = read }
      Task { await serve(turn, read) }
    case .stop(let work): state.withLock { $0.turns[work] }?.cancel()
    case .finished, .expired, .noRadio: break
    }
  }

  private func serve(_ turn: AirTraffic.Turn, _ read: CancellationHandle) async {
    let peripheral = state.withLock { state in state.demands.first { $0.value == turn.work.demand }?.key }
    // A session that begins meanwhile makes what comes another user's than is noted here: nobody is told of it then.
    let generation = (try? store.currentSession())?.generation
    let memory = DriverMemory(of: turn, as: peripheral, in: generation, surroundings())
    var result: TurnResult
    if let peripheral {
      result = await carryOut(turn, peripheral, read)
    } else {
      result = TurnResult(ending: .stopped, summary: ReadSummary())
    }
    if peripheral != nil, result.meter == nil { result.meter = known(result, turn)?.uuid }
    let isNoted = DriverMemory(of: turn, as: peripheral, in: generation, surroundings()).hasChanged(since: memory)
    // Whoever hears of the read finds that it is over.
    traffic.ended(
      turn, result.ending, brought: peripheral.flatMap { delivery(result, of: $0, turn, generation) },
      courtesy: courtesy(after: result, turn, knowsRepeats: isNoted))
    // Behind what this looks up and the air: whoever waits for the turns may close the store.
    state.withLock { $0.turns[turn.work.id] = nil }
    if let peripheral { tell(result, of: peripheral, turn.work) }
  }

  /// What a turn has brought, though it may have broken off behind the commit.
  private func delivery(
    _ result: TurnResult, of peripheral: UInt32, _ turn: AirTraffic.Turn, _ generation: SessionGeneration?
  ) -> AirTraffic.Delivery? {
    guard let meter = result.meter, let generation, result.summary.hasNews else { return nil }
    return AirTraffic.Delivery(
      peripheral: peripheral, meter: meter, address: turn.work.meter, generation: generation, summary: result.summary,
      time: traffic.clock.now)
  }

  /// - Parameter knowsRepeats: Whether the driver has noted what it has brought.
  private func courtesy(
    after result: TurnResult, _ turn: AirTraffic.Turn, knowsRepeats: Bool
  ) -> RadioSchedule.Courtesy {
    let settings = known(result, turn)?.settings
    // What has no time of its own would be another reading when it is read again, unless the driver knows it for what it is.
    return RadioSchedule.Courtesy(
      holdOff: settings?.holdOff, readAgain: (settings ?? MeterSettings()).readAgain,
      isKnownAgain: knowsRepeats || !result.summary.hasLiveNews)
  }

  /// The meter of a turn, as far as it is known: by itself, where it came so far, as many a meter changes its address.
  private func known(_ result: TurnResult, _ turn: AirTraffic.Turn) -> StoredMeter? {
    if let uuid = result.meter { return (try? store.meter(uuid)) ?? nil }
    return (try? store.meter(at: turn.work.meter)) ?? nil
  }

  private func carryOut(_ turn: AirTraffic.Turn, _ peripheral: UInt32, _ read: CancellationHandle) async -> TurnResult {
    let surroundings = surroundings()
    do throws(BluetoothError) {
      let plan = try surroundings.plan(for: peripheral)
      let (events, sink) = AsyncStream<ReadEvent>.makeStream()
      let operation = ReadOperation(
        plan: plan, purpose: .read, options: options, surroundings: surroundings, sink: sink, cancellation: read,
        desk: QuestionDesk(isStaffed: false) { _ in })
      let listening = Task { await listen(to: events, plan, isStranger: turn.work.isStranger) }
      var result = await operation.serve(turn)
      sink.finish()
      result.meter = await listening.value
      return result
    } catch {
      return TurnResult(
        ending: .failed(RadioSchedule.Failure(error)), summary: ReadSummary(), event: .failure(error))
    }
  }

  /// - Returns: The meter, when it came so far.
  private func listen(to events: AsyncStream<ReadEvent>, _ plan: ReadPlan, isStranger: Bool) async -> UUID? {
    var meter: UUID?
    for await event in events {
      switch event {
      case .connected(let description): meter = description.identity.peripheralUUID
      case .ready:
        guard plan.peripheral.announcesBeforeMeasurement, let meter, !isStranger || strangers.mayTell() else { break }
        tell(.isReady(peripheral: plan.peripheral.id, meter: meter))
      default: break
      }
    }
    return meter
  }

  /// Tells what a turn has come to. That a meter which is only looked at again has nothing new is no news: nobody has switched
  /// it on for it. Of unknown ones without a reading only the first few are told by themselves.
  private func tell(_ result: TurnResult, of peripheral: UInt32, _ work: RadioSchedule.Work) {
    if let meter = result.meter, result.summary.hasNews || result.isComplete && !work.isReread {
      if !work.isStranger || result.summary.hasNews || strangers.mayTell() {
        tell(.didRead(peripheral: peripheral, meter: meter, result.summary))
      } else {
        strangers.count("nothing_new")
      }
    }
    guard let error = result.error else { return }
    if work.isStranger, !strangers.mayTell() { return strangers.count(error.code.rawValue) }
    tell(.didFail(peripheral: peripheral, meter: result.meter, error))
  }

  private func tell(_ event: PassiveEvent) {
    Self.note(event.hostEvent, in: store)
    happenings.send(event)
  }

  private static func note(_ event: HostEvent, in store: MeterStore) {
    do throws(StoreError) { try store.log(event) } catch {
      log.error("an event of passive reading could not be logged: \(error.message)")
    }
  }
}
