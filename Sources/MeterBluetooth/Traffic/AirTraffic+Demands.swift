import BluetoothWire
import Foundation
import HostPrimitives
import MeterCore
import Synchronization

extension AirTraffic {
  /// A demand, and what it is told.
  struct Standing: Sendable {
    let id: RadioSchedule.DemandID
    let steps: AsyncStream<Step>
  }

  /// Begins a person's demand for one meter; passive reading waits while it stands.
  ///
  /// - Parameters:
  ///   - deadline: When the meter must have been heard.
  ///   - sharesRunning: Whether a passive read of the meter that is under way serves as well.
  ///   - matcher: Whether a report may be from it; nil only keeps passive reading away.
  ///   - listener: Hears everything from the moment on at which the demand stands: a meter may say it once.
  /// - Throws: ``BluetoothError`` with code `busy` while another person's demand stands.
  func begin(
    _ purpose: RadioSchedule.Purpose, until deadline: HostInstant, sharesRunning: Bool = true,
    _ matcher: Matcher?, hearing listener: Listener? = nil
  ) throws(BluetoothError) -> Standing {
    let (steps, continuation) = AsyncStream<Step>.makeStream()
    let id = state.withLock { state -> RadioSchedule.DemandID? in
      let id = RadioSchedule.DemandID(state.newNumber())
      state.entries[id] = Entry(steps: continuation, matcher: matcher ?? { _ in nil })
      let running = state.schedule.runningWorks.filter { work in
        state.heard[work.meter].map { matcher?($0.report) != nil } ?? false
      }
      let demand = RadioSchedule.Demand(
        id: id,
        .interactive(
          purpose, deadline: deadline - beginning, running: Set(running.map(\.id)), sharesRunning: sharesRunning))
      // Before the radio begins to listen, which it does in a task of its own.
      if let listener { state.queues[id.rawValue] = listener }
      run(.demand(demand), &state)
      // However long ago a meter was read that goes on advertising: what it shows a person is what passive reading has brought.
      for index in state.deliveries.indices where state.schedule.isStillThere(state.deliveries[index].address) {
        state.deliveries[index].time = clock.now
      }
      guard state.entries[id] == nil else { return id }
      state.queues[id.rawValue] = nil
      return nil
    }
    guard let id else {
      throw BluetoothError(.busy, "another meter is being read; wait for it or cancel it")
    }
    failWithoutRadio { [weak self] error in
      self?.state.withLock { $0.entries[id] }?.steps.yield(.noRadio(error))
      listener?.queue.finish(throwing: error)
    }
    return Standing(id: id, steps: steps)
  }

  /// The demand is over; its turns are stopped.
  func withdraw(_ id: RadioSchedule.DemandID) {
    state.withLock { state in
      run(.withdraw(id), &state)
      state.queues[id.rawValue] = nil
      state.entries.removeValue(forKey: id)?.steps.finish()
    }
  }

  /// Takes the place of all passive demands. What is under way for one that is not among them any more is stopped.
  ///
  /// - Parameters:
  ///   - demands: Each with its hold-off; a number of a demand that stands already keeps it, and what waited for a person is
  ///     tried again.
  func setPassive(
    _ demands: [(id: RadioSchedule.DemandID, holdOff: Duration?)], _ matcher: PassiveMatcher?,
    _ steps: AsyncStream<Step>.Continuation
  ) {
    state.withLock { state in
      let wanted = Set(demands.map(\.id))
      for (id, entry) in state.entries where entry.matcher == nil && !wanted.contains(id) {
        run(.withdraw(id), &state)
        state.entries[id] = nil
      }
      state.passive = matcher
      for (id, holdOff) in demands {
        state.entries[id] = Entry(steps: steps, matcher: nil)
        run(.demand(RadioSchedule.Demand(id: id, .passive(holdOff: holdOff))), &state)
      }
    }
  }

  /// Says by which addresses a meter is known to this gateway; nil: nobody can say.
  func setKnown(_ knows: (@Sendable (BluetoothAddress) -> Bool)?) { state.withLock { $0.knows = knows } }

  func newDemand() -> RadioSchedule.DemandID { state.withLock { RadioSchedule.DemandID($0.newNumber()) } }

  /// The link of a turn is up.
  func connected(_ turn: Turn) { tell(.connected(turn.work.id)) }

  /// A turn is over, and with it its link.
  ///
  /// - Parameters:
  ///   - delivery: What it has brought, for a person who wants the same meter, or will do so soon. It is told once.
  ///   - courtesy: When the meter may be read again; nil leaves it to the demand and the policy.
  func ended(
    _ turn: Turn, _ ending: RadioSchedule.Ending, brought delivery: Delivery? = nil,
    courtesy: RadioSchedule.Courtesy? = nil
  ) {
    state.withLock { state in
      if let courtesy { run(.courtesy(turn.work.id, courtesy), &state) }
      state.heard.settle(turn.work.meter)
      // Before whoever waits for it hears of the end.
      if let delivery { state.note(delivery) }
      run(.ended(turn.work.id, ending), &state)
    }
  }

  /// How long passive reading may have been faster than a person who asks for the same meter, if that does not go on advertising.
  static let deliveryMemory = Duration.seconds(120)

  /// What passive reading has brought lately and that fits, the last of it; told once.
  func takeDelivery(where fits: (Delivery) -> Bool) -> ReadSummary? {
    state.withLock { state in
      let now = clock.now
      state.deliveries.removeAll { now - $0.time >= Self.deliveryMemory }
      guard let index = state.deliveries.lastIndex(where: fits) else { return nil }
      return state.deliveries.remove(at: index).summary
    }
  }

  /// What passive reading has brought and that fits, of a meter that goes on advertising; told once.
  func takeDeliveryOfPresent(where fits: (Delivery) -> Bool) -> ReadSummary? {
    state.withLock { state in
      run(.tick, &state)
      let index = state.deliveries.lastIndex { state.schedule.isStillThere($0.address) && fits($0) }
      return index.map { state.deliveries.remove(at: $0).summary }
    }
  }

  /// A person has read a meter that only advertises: passive reading leaves what it shows now alone.
  func served(_ address: BluetoothAddress, _ ending: RadioSchedule.Ending, holdOff: Duration?) {
    state.withLock { state in
      state.heard.settle(address)
      run(.served(address, ending, holdOff: holdOff), &state)
    }
  }

  /// Whether passive reading has just brought what a meter shows: one that fits the delivery, and has not been silent since.
  func hasDelivered(_ address: BluetoothAddress, where fits: (Delivery) -> Bool) -> Bool {
    state.withLock { state in
      let now = clock.now
      return state.schedule.isResting(address)
        && state.deliveries.contains { $0.address == address && now - $0.time < Self.deliveryMemory && fits($0) }
    }
  }

  /// A person has done something about a meter: what failed before is tried again.
  func forgive(_ address: BluetoothAddress) { tell(.forgive(address)) }
}

extension AirTraffic {
  /// What one passive read has brought, and of whom.
  struct Delivery: Sendable {
    let peripheral: UInt32
    let meter: UUID
    let address: BluetoothAddress
    /// Whose it is: of a session that is over nobody is told.
    let generation: SessionGeneration
    let summary: ReadSummary
    var time: HostInstant
  }
}

extension AirTraffic.State {
  /// Most deliveries that are remembered.
  private static let maximumDeliveries = 64

  fileprivate mutating func note(_ delivery: AirTraffic.Delivery) {
    if deliveries.count >= Self.maximumDeliveries { deliveries.removeFirst() }
    deliveries.append(delivery)
  }
}

extension RadioSchedule.Failure {
  /// What an error means for the next attempt.
  init(_ error: BluetoothError) {
    self =
      switch error.code {
      case .connectionFailure, .connectionTimeout: .connection
      case .driverCrashed, .driverUnavailable, .driverQuarantined, .unknownPeripheral: .driver
      case .notPaired, .pairingFailure: .notPaired
      case .keyMissing, .keyWrong, .licenceMissing, .approvalNeeded, .answerNeeded, .ownerUnknown:
        .keyMissing
      case .adapterGone, .bluetoothOff, .noPermission: .adapterLost
      default: .communication
      }
  }
}
