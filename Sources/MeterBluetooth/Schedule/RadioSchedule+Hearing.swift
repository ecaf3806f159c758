import BluetoothWire

/// Meters that are heard, and their places in the lines.
extension RadioSchedule {
  mutating func hear(_ hearing: Hearing, _ commands: inout [Command]) {
    guard let adapter = adapterIndex(hearing.adapter), adapters[adapter].properties.isPowered,
      hearing.fits.contains(where: { demands[$0] != nil }),
      let index = meters.position(of: hearing.meter) ?? meters.admit(hearing.meter, at: now, policy)
    else { return }
    endRest(index, heardBy: adapter, hearing)
    let wasPresent = isPresent(index)
    note(hearing, index, by: adapter)
    let isWanted = interactive.map { hearing.fits.contains($0.id) } ?? false
    if case .running(let work) = meters[index].phase {
      if isWanted { handOver(work, &commands) }
    } else if hearing.reach != .notConnectable {
      if isWanted { becomeCandidate(hearing, &commands) }
      switch meters[index].phase {
      case .idle, .waiting:
        wait(index, on: adapter, since: wasPresent ? nil : now)
        serve(adapter, meters[index].medium, &commands)
      case .running, .resting, .retrying: break
      }
    }
    meters.touch(index)
  }

  private mutating func note(_ hearing: Hearing, _ index: Int, by adapter: Int) {
    let serial = adapters[adapter].serial
    meters[index].lastHeard = now
    meters[index].lastAdapter = serial
    guard hearing.reach != .notConnectable else { return }
    let medium: Medium = hearing.reach == .advertisements ? .advertisements : .link
    if meters[index].medium != medium {
      // Its places are in the other lines.
      meters[index].medium = medium
      meters[index].place = 0
    }
    meters[index].fits = hearing.fits
    if meters[index].sightings.count > adapters.count {
      // Some of these adapters are gone.
      let sightings = meters[index].sightings.filter { adapterIndex(serial: $0.adapter) != nil }
      meters[index].sightings = sightings
    }
    meters[index].note(
      ScheduledMeter.Sighting(
        adapter: serial, rssi: hearing.rssi, time: now, hearingTime: adapters[adapter].hearingTime(at: now)))
  }

  /// Puts a meter into the line of an adapter that hears it.
  ///
  /// - Parameter since: When it began to wait; nil leaves it the place that it has.
  private mutating func wait(_ index: Int, on adapter: Int, since: Duration?) {
    guard passiveDemand(for: index) != nil else {
      meters[index].phase = .idle
      return
    }
    var isNew = meters[index].place == 0 || since != nil
    if case .idle = meters[index].phase { isNew = true }
    if isNew {
      let begin = (since ?? now) - policy.turnMemory
      meters[index].phase = .waiting
      meters[index].place = nextSerial()
      meters[index].turn = meters[index].served.map { max($0, begin) } ?? begin
    }
    takePlace(index, on: adapter)
  }

  private mutating func takePlace(_ index: Int, on adapter: Int) {
    let (medium, serial, place) = (meters[index].medium, adapters[adapter].serial, meters[index].place)
    for position in meters[index].sightings.indices where meters[index].sightings[position].adapter == serial {
      guard meters[index].sightings[position].place != place else { return }
      meters[index].sightings[position].place = place
      adapters[adapter][medium].line.insert(
        MeterQueue.Place(key: meters[index].turn, serial: place, meter: index))
    }
    if adapters[adapter][medium].line.places.count > 2 * meters.count + 64 {
      let book = meters
      adapters[adapter][medium].line.compact { book[$0.meter].place == $0.serial }
    }
  }

  /// Makes a meter available for passive work: at once if it is there.
  mutating func makeAvailable(_ index: Int, _ commands: inout [Command]) {
    meters[index].phase = .idle
    meters[index].retry = 0
    for sighting in meters[index].sightings where isFresh(sighting) {
      guard let adapter = adapterIndex(serial: sighting.adapter) else { continue }
      wait(index, on: adapter, since: nil)
    }
    meters.touch(index)
    let medium = meters[index].medium
    if case .waiting = meters[index].phase, let adapter = bestAdapter(for: index, medium) {
      serve(adapter, medium, &commands)
    }
  }

  /// The first demand that this meter may be read for without a person.
  func passiveDemand(for index: Int) -> StandingDemand? {
    for id in meters[index].fits {
      guard let standing = demands[id], case .passive = standing.demand.kind else { continue }
      if !isExcluded(index, from: standing) { return standing }
    }
    return nil
  }

  private func isExcluded(_ index: Int, from standing: StandingDemand) -> Bool {
    for exclusion in meters[index].exclusions
    where exclusion.demand == standing.demand.id && exclusion.revision == standing.revision && now < exclusion.until {
      return true
    }
    return false
  }
}

/// The rest after a read.
extension RadioSchedule {
  /// The rest of a meter that was read now.
  func rest(holdOff: Duration, endsWithNews: Bool) -> ScheduledMeter.Rest {
    ScheduledMeter.Rest(since: now, holdOff: holdOff, endsWithNews: endsWithNews, marks: hearingTimes)
  }

  private var hearingTimes: [ScheduledMeter.Mark] {
    var marks: [ScheduledMeter.Mark] = []
    marks.reserveCapacity(adapters.count)
    for adapter in adapters {
      marks.append(ScheduledMeter.Mark(adapter: adapter.serial, hearingTime: adapter.hearingTime(at: now)))
    }
    return marks
  }

  /// Lets a meter that rests be read again if it has been silent long enough, and marks the time if not.
  private mutating func endRest(_ index: Int, heardBy adapter: Int, _ hearing: Hearing) {
    guard case .resting(var rest) = meters[index].phase else { return }
    var silence = silence(of: rest, on: adapter)
    if let last = adapterIndex(serial: meters[index].lastAdapter) {
      silence = max(silence, self.silence(of: rest, on: last))
    }
    let isSteady = policy.rereadsSteadyMeters.map { now - rest.since >= $0 } ?? false
    if silence >= rest.holdOff || isSteady || (rest.endsWithNews && hearing.isNews) {
      meters[index].phase = .idle
    } else {
      rest.marks = hearingTimes
      meters[index].phase = .resting(rest)
    }
  }

  /// How long this adapter has listened since the meter was heard last; all of its time if it was not there then.
  private func silence(of rest: ScheduledMeter.Rest, on adapter: Int) -> Duration {
    let time = adapters[adapter].hearingTime(at: now)
    for mark in rest.marks where mark.adapter == adapters[adapter].serial { return time - mark.hearingTime }
    return time
  }
}
