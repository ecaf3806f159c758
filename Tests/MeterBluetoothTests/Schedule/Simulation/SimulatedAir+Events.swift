import BluetoothWire
import TestSupport

@testable import MeterBluetooth

/// What meters, persons and adapters do.
extension SimulatedAir {
  mutating func measure(_ index: Int) {
    report.made += 1
    meters[index].stored.append(now)
    guard !meters[index].isSteady else { return }
    beginVisit(index, for: seconds(10...30))
    // Some persons ask for the reading that they have just made.
    if person == nil, Int.random(in: 0..<200, using: &random) == 0 {
      events.insert(.person(index, meterComes: false), at: now + seconds(1...8))
    }
  }

  /// The meter advertises for a while.
  mutating func beginVisit(_ index: Int, for span: UInt64) {
    if meters[index].isAdvertising {
      // It may have been read already, and then is not read again before it was silent.
      meters[index].isDisturbed = true
      meters[index].advertisesUntil = max(meters[index].advertisesUntil, now + span)
      return
    }
    meters[index].advertisesUntil = now + span
    meters[index].visitBegan = now
    meters[index].isAdvertising = true
    meters[index].isDisturbed =
      person != nil || !meters[index].range.allSatisfy { isPresent[$0.adapter] }
      || now < meters[index].lastAdvertised + 20 * Self.second
    report.visits += 1
    events.insert(.advertise(index), at: now + anyTime(of: meters[index].interval))
  }

  mutating func advertise(_ index: Int) {
    guard !meters[index].isLinked else {
      // A link has ended the visit's advertisements; its end begins them again.
      meters[index].isAdvertising = false
      return
    }
    if meters[index].isSteady {
      // A quarter of an hour in each day it is out of range.
      if now % Self.day > Self.day - 900 * Self.second {
        return events.insert(.advertise(index), at: now + 900 * Self.second)
      }
      guard now < UInt64(days) * Self.day + 3600 * Self.second else { return }
    } else if now >= meters[index].advertisesUntil {
      return endVisit(index)
    }
    events.insert(.advertise(index), at: now + meters[index].interval)
    meters[index].lastAdvertised = now
    if person != nil { meters[index].isDisturbed = true }
    for (adapter, rssi) in meters[index].range where listens[adapter] {
      guard Int.random(in: 0..<20, using: &random) > 0 else { continue }
      report.heard += 1
      meters[index].lastHeard = now
      var fits = [meters[index].demand]
      if let person, person.meter == index { fits.append(person.demand) }
      tell(
        .heard(
          RadioSchedule.Hearing(
            meter: meters[index].address, adapter: Self.id(adapter), rssi: rssi,
            reach: meters[index].advertisesOnly ? .advertisements : .connectable, fits: fits,
            isNews: meters[index].advertisesOnly && !meters[index].stored.isEmpty)))
      if meters[index].isLinked { return }
    }
  }

  private mutating func endVisit(_ index: Int) {
    meters[index].isAdvertising = false
    guard !meters[index].stored.isEmpty, !meters[index].isDisturbed, now - meters[index].visitBegan >= 10 * Self.second
    else { return }
    report.missed.append("\(meters[index].address) from \(meters[index].visitBegan) to \(now)")
  }

  mutating func bring(_ adapter: Int) {
    isPresent[adapter] = true
    tell(
      .adapter(
        RadioSchedule.Adapter(id: Self.id(adapter), slots: slots[adapter], hearsWhileConnecting: adapter % 2 == 1)))
  }

  mutating func lose(_ adapter: Int) {
    guard isPresent[adapter] else { return }
    isPresent[adapter] = false
    listens[adapter] = false
    for running in watched.running.values.sorted(by: { $0.work.id.rawValue < $1.work.id.rawValue })
    where running.work.adapter == Self.id(adapter) {
      events.insert(.end(running.work.id, .failed(.adapterLost)), at: now + Self.second / 5)
    }
    for index in meters.indices where meters[index].isAdvertising || meters[index].isLinked {
      meters[index].isDisturbed = true
    }
    tell(.adapterGone(Self.id(adapter)))
    events.insert(.returnAdapter(adapter), at: now + seconds(60...1800))
  }

  mutating func personComes(for index: Int, meterComes: Bool) {
    let demand = RadioSchedule.DemandID(nextDemand)
    nextDemand += 1
    let serving = watched.running.values.filter { $0.work.meter == meters[index].address }.map(\.work.id)
    let isBusy = person != nil
    if !isBusy { person = (demand, index, now) }
    report.interactive += 1
    for other in meters.indices where meters[other].isAdvertising { meters[other].isDisturbed = true }
    tell(
      .demand(
        RadioSchedule.Demand(
          id: demand,
          .interactive(.read, deadline: .nanoseconds(Int64(now + 45 * Self.second)), running: Set(serving)))))
    guard !isBusy, meterComes else { return }
    events.insert(.measure(index), at: now + seconds(1...15))
  }

  /// After the last day every meter that still has readings is switched on now and then; it does not measure any more.
  mutating func endMeasuring() {
    lastVisits += 1
    guard lastVisits < 50, meters.contains(where: { !$0.stored.isEmpty }) else { return }
    for index in meters.indices where !meters[index].stored.isEmpty && !meters[index].isSteady {
      events.insert(.visit(index), at: now + anyTime(of: 600 * Self.second))
    }
    events.insert(.endOfMeasuring, at: now + 900 * Self.second)
  }
}

/// What the executor of the schedule's commands does.
extension SimulatedAir {
  mutating func carryOut(_ command: RadioSchedule.Command) {
    switch command {
    case .listen(let id, let on):
      events.insert(.listening(Int(id.rawValue), on), at: on ? now + Self.second / 50 : now)
    case .start(let work): begin(work)
    case .stop(let id):
      // It reaches a safe point within two seconds, if it has not ended before.
      events.insert(.end(id, .stopped), at: now + seconds(0.05...2))
    case .handOver: report.handedOver += 1
    case .finished(let id), .expired(let id):
      if case .expired = command {
        report.expired += 1
        checkAbsence()
      }
      if person?.demand == id { person = nil }
    case .busy: break
    }
  }

  /// Whoever is told that no meter was there must not have one that advertises before an adapter that listens.
  private mutating func checkAbsence() {
    guard let person else { return }
    let meter = meters[person.meter]
    let isHeard = meter.range.contains { listens[$0.adapter] } && now < meter.lastHeard + 2 * Self.second
    if isHeard, meter.isAdvertising { watched.complain("expired although \(meter.address) is there") }
  }

  private mutating func begin(_ work: RadioSchedule.Work) {
    report.starts += 1
    guard let index = positions[work.meter] else { return }
    if let person, person.demand == work.demand {
      report.personWaits.append(now - max(person.since, meters[index].visitBegan))
    }
    if work.medium == .advertisements {
      events.insert(.end(work.id, .nothingNew), at: now + seconds(0.5...3))
    } else {
      events.insert(.connect(work.id), at: now + seconds(0.3...2))
    }
  }

  mutating func connect(_ id: RadioSchedule.WorkID) {
    guard let running = watched.running[id], !running.isOrphan, let index = positions[running.work.meter] else { return }
    let isThere = meters[index].isSteady || (meters[index].isAdvertising && now < meters[index].advertisesUntil)
    guard isThere, Int.random(in: 0..<50, using: &random) > 0 else {
      meters[index].isDisturbed = true
      let parts = running.work.connectBy.components
      let patience = UInt64(parts.seconds) * Self.second + UInt64(parts.attoseconds / Int64(Self.second))
      events.insert(.end(id, .failed(.connection)), at: isThere ? now + Self.second / 10 : max(now, patience))
      return
    }
    meters[index].isLinked = true
    let fails = Double.random(in: 0..<1, using: &random) < meters[index].failureRate
    events.insert(.end(id, fails ? .failed(.communication) : .nothingNew), at: now + seconds(1...10))
    tell(.connected(id))
  }

  mutating func end(_ id: RadioSchedule.WorkID, _ planned: RadioSchedule.Ending) {
    guard let running = watched.running[id], let index = positions[running.work.meter] else { return }
    // Its adapter may have gone since this end was planned.
    let ending = running.isOrphan ? .failed(.adapterLost) : planned
    let wasLinked = meters[index].isLinked
    meters[index].isLinked = false
    if ending == .nothingNew {
      let isNew = !meters[index].stored.isEmpty
      readAll(index)
      if meters[index].isQuietAfterRead { meters[index].advertisesUntil = now }
      resume(index, after: wasLinked)
      tell(.ended(id, isNew ? .readNew : .nothingNew))
    } else {
      meters[index].isDisturbed = true
      resume(index, after: wasLinked)
      tell(.ended(id, ending))
    }
  }

  private mutating func readAll(_ index: Int) {
    report.read += meters[index].stored.count
    if !meters[index].isSteady {
      for made in meters[index].stored {
        if made >= meters[index].visitBegan { report.latencies.append(now - made) }
      }
    }
    meters[index].stored = []
  }

  /// A meter advertises again after its link, if its time is not over.
  private mutating func resume(_ index: Int, after wasLinked: Bool) {
    guard wasLinked, !meters[index].isAdvertising else { return }
    if meters[index].isSteady || now < meters[index].advertisesUntil {
      meters[index].isAdvertising = true
      events.insert(.advertise(index), at: now + meters[index].interval)
    }
  }
}
