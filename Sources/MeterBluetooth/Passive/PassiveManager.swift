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
    var serving: Task<Void, Never>?
  }

  static let log = LogArea.bluetooth.logger

  let traffic: AirTraffic
  let store: MeterStore
  let options: ReadOptions
  let surroundings: @Sendable () -> ReadSurroundings
  private let state = Mutex(State())
  private let knownMeters: KnownMeters
  let turns: PassiveTurns
  let strangers: StrangerNews
  let happenings = Broadcast<PassiveEvent>(.unbounded)
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
    turns = PassiveTurns(clock: traffic.clock)
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

  /// Whether a meter is being read.
  package var isReading: Bool { turns.isUnderWay }

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
  public func settle(within patience: Duration) async { await turns.ended(within: patience) }

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
      let read = turns.begin(turn.work.id)
      Task { await serve(turn, read) }
    case .stop(let work): turns.giveUp(work)
    case .finished, .expired, .noRadio: break
    }
  }

  /// For which peripheral a turn reads; nil when it is not wanted any more.
  func peripheral(of turn: AirTraffic.Turn) -> UInt32? {
    state.withLock { state in state.demands.first { $0.value == turn.work.demand }?.key }
  }
}
