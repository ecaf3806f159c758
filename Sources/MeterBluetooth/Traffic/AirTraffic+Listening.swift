public import BluetoothWire
import HostPrimitives
import Logging
import MeterCore
import Synchronization

extension AirTraffic {
  /// Everything that any radio hears, until the task that reads it is cancelled; the radios listen meanwhile.
  ///
  /// - Parameter wants: What is of interest, told before it waits for its reader.
  /// - Throws: ``BluetoothError`` when there is no radio that could hear.
  public func advertisements(
    where wants: @escaping @Sendable (AdvertisingReport) -> Bool = { _ in true }
  ) -> AsyncThrowingStream<AdvertisingReport, any Error> {
    let queue = AdvertisementQueue()
    let demand = state.withLock { state in
      let number = state.newNumber()
      state.queues[number] = Listener(queue: queue, wants: wants)
      let demand = RadioSchedule.DemandID(number)
      run(.demand(RadioSchedule.Demand(id: demand, .listening)), &state)
      return demand
    }
    failWithoutRadio { [weak self] error in
      self?.state.withLock { $0.queues[demand.rawValue] }?.queue.finish(throwing: error)
    }
    return queue.stream { [weak self] in
      guard let self else { return }
      self.state.withLock { state in
        state.queues[demand.rawValue] = nil
        self.run(.withdraw(demand), &state)
      }
    }
  }

  /// What a meter that somebody wants has said last, if it was after this moment.
  func report(of address: BluetoothAddress, after time: HostInstant) -> HeardMeter? {
    guard let last = state.withLock({ $0.heard[address] }), last.time > time else { return nil }
    return HeardMeter(report: last.report, time: last.time)
  }

  /// Calls back when there is no radio now; the source has told by then what it has.
  func failWithoutRadio(_ fail: @escaping @Sendable (BluetoothError) -> Void) {
    Task { [source] in
      for await radios in source.radios() {
        if radios.isEmpty { fail(source.problem) }
        return
      }
    }
  }

  /// The radios that can be used now.
  func radios() async -> [any NamedRadio] {
    for await radios in source.radios() { return radios }
    return []
  }

  /// The radios that there are from now on.
  func use(_ radios: [any NamedRadio]) {
    state.withLock { state in
      let names = Set(radios.map(\.name))
      for (name, id) in state.names where !names.contains(name) { lose(id, name, &state) }
      for radio in radios {
        if let id = state.names[radio.name] {
          // The same adapter, unplugged and plugged in: what ran on the old one ends by itself.
          if state.radios[id]?.radio === radio { continue }
          lose(id, radio.name, &state)
        }
        let id = RadioSchedule.AdapterID(state.newNumber())
        state.names[radio.name] = id
        state.gone.remove(radio.name)
        state.radios[id] = RadioEntry(radio: radio)
        run(
          .adapter(
            RadioSchedule.Adapter(
              id: id, slots: radio.slots, hearsWhileConnecting: radio.hearsWhileConnecting)),
          &state)
      }
    }
  }

  private func lose(_ id: RadioSchedule.AdapterID, _ name: String, _ state: inout State) {
    state.radios.removeValue(forKey: id)?.listening?.cancel()
    state.names[name] = nil
    state.noteGone(name)
    run(.adapterGone(id), &state)
    guard state.radios.isEmpty else { return }
    deafen(source.problem, &state)
  }

  /// Nothing can be heard any more: whoever only listens, and a person who waits, are told; passive reading waits for the next
  /// radio.
  private func deafen(_ error: BluetoothError?, _ state: inout State) {
    for listener in state.queues.values { listener.queue.finish(throwing: error) }
    guard let error else { return }
    for entry in state.entries.values where entry.matcher != nil { entry.steps.yield(.noRadio(error)) }
  }

  func listen(_ id: RadioSchedule.AdapterID, _ state: inout State) {
    guard let radio = state.radios[id]?.radio, state.radios[id]?.listening == nil else { return }
    Self.log.debug("listening for meters begins", metadata: ["radio": "\(radio.name)"])
    state.radios[id]?.listening = Task { [weak self] in
      do {
        let reports = radio.advertisements()
        self?.tell(.listening(id, true))
        for try await report in reports {
          guard let self else { return }
          self.hear(report, on: id, radio)
        }
        self?.listeningEnded(id, nil)
      } catch {
        self?.listeningEnded(id, error as? BluetoothError)
      }
    }
  }

  func stopListening(_ id: RadioSchedule.AdapterID, _ state: inout State) {
    Self.log.debug("listening for meters ends", metadata: ["radio": "\(state.radios[id]?.radio.name ?? "gone")"])
    state.radios[id]?.listening?.cancel()
    state.radios[id]?.listening = nil
    Task { [weak self] in self?.tell(.listening(id, false)) }
  }

  /// The radio hears nothing any more although it was to: whoever only listens is told, the others wait until it is asked
  /// again, or for the next one.
  private func listeningEnded(_ id: RadioSchedule.AdapterID, _ error: BluetoothError?) {
    guard !Task.isCancelled else { return }
    if let error { Self.log.warning("nothing is heard any more: \(error.message)") }
    state.withLock { state in
      state.radios[id]?.listening = nil
      run(.listening(id, false), &state)
      // Another radio may hear what this one does not.
      if state.radios.values.allSatisfy({ $0.listening == nil }) { deafen(error, &state) }
    }
    Task { [weak self, clock, listeningPause] in
      guard await clock.elapsed(listeningPause), let self else { return }
      self.listenAgain(id)
    }
  }

  /// The schedule says once that a radio is to listen; one that has failed is asked again as long as that holds.
  private func listenAgain(_ id: RadioSchedule.AdapterID) {
    state.withLock { state in
      guard state.schedule.adapters.contains(where: { $0.properties.id == id && $0.isAskedToListen }) else { return }
      listen(id, &state)
    }
  }

  private func hear(_ report: AdvertisingReport, on id: RadioSchedule.AdapterID, _ radio: any NamedRadio) {
    let time = clock.now
    state.withLock { state in
      state.advertisements += 1
      for listener in state.queues.values where listener.wants(report) { listener.queue.put(report) }
      var fits: [RadioSchedule.DemandID] = []
      var reach: Reach?
      for (demand, entry) in state.entries {
        guard let found = entry.matcher?(report) else { continue }
        fits.append(demand)
        reach = reach ?? found
      }
      for (demand, found) in state.passive?.demands(report) ?? [] {
        fits.append(demand)
        reach = reach ?? found
      }
      guard let reach, isHeard(report.address, on: radio, state) else { return }
      Self.log.trace(
        "a meter that is wanted was heard", metadata: ["address": "\(report.address)", "rssi": "\(report.rssi)"])
      let isKnown = state.knows.map { $0(report.address) || radio.isBonded(with: report.address) } ?? true
      state.heard.put(report, at: time, isKnown: isKnown)
      let hearing = RadioSchedule.Hearing(
        meter: report.address, adapter: id, rssi: report.rssi, reach: Self.reach(reach, report), fits: fits,
        isNews: state.heard.isNews(report.address), isKnown: isKnown)
      run(.heard(hearing), &state)
    }
  }

  /// A meter that is bonded with one adapter is read there, and not by another that hears it as well.
  private func isHeard(_ address: BluetoothAddress, on radio: any NamedRadio, _ state: State) -> Bool {
    guard state.radios.count > 1, !radio.isBonded(with: address) else { return true }
    return !state.radios.values.contains { $0.radio.isBonded(with: address) }
  }

  private static func reach(_ reach: Reach, _ report: AdvertisingReport) -> RadioSchedule.Reach {
    switch reach {
    case .advertisements: .advertisements
    case .link: report.eventType == .nonconnectable ? .notConnectable : .connectable
    }
  }
}
