import BluetoothWire

/// Meters that are heard, and their places in the lines.
extension RadioSchedule {
  mutating func hear(_ hearing: Hearing, _ commands: inout [Command]) {
    guard let adapter = adapterIndex(hearing.adapter), adapters[adapter].properties.isPowered,
      hearing.fits.contains(where: { demands[$0] != nil }),
      let index = book.position(of: hearing.meter)
        ?? book.admit(hearing.meter, isKnown: hearing.isKnown, at: now, policy)
    else { return }
    endRest(index, heardBy: adapter, hearing)
    let wasPresent = isPresent(index)
    note(hearing, index, by: adapter)
    let isWanted = interactive.map { hearing.fits.contains($0.id) } ?? false
    if case .running(let work) = book.meters[index].phase {
      if isWanted { handOver(work, &commands) }
    } else if hearing.reach != .notConnectable {
      if isWanted { becomeCandidate(hearing, &commands) }
      switch book.meters[index].phase {
      case .idle, .waiting:
        wait(index, on: adapter, isNew: !wasPresent)
        serve(adapter, book.meters[index].medium, &commands)
      case .running, .resting, .retrying: break
      }
    }
    book.touch(index)
  }

  private mutating func note(_ hearing: Hearing, _ index: Int, by adapter: Int) {
    let serial = adapters[adapter].serial
    book.meters[index].lastHeard = now
    // Its place is among the unknown ones.
    if hearing.isKnown, !book.meters[index].isKnown { becomeKnown(index) }
    guard hearing.reach != .notConnectable else { return }
    let medium: Medium = hearing.reach == .advertisements ? .advertisements : .link
    if book.meters[index].medium != medium {
      // Its places are in the other lines.
      book.meters[index].medium = medium
      book.meters[index].place = 0
    }
    book.meters[index].fits = hearing.fits
    if book.meters[index].sightings.count > adapters.count {
      // Some of these adapters are gone.
      let sightings = book.meters[index].sightings.filter { adapterIndex(serial: $0.adapter) != nil }
      book.meters[index].sightings = sightings
    }
    book.meters[index].note(
      ScheduledMeter.Sighting(
        adapter: serial, rssi: hearing.rssi, time: now, hearingTime: adapters[adapter].hearing.time(at: now)))
  }

  /// Puts a meter into the line of an adapter that hears it.
  ///
  /// - Parameter isNew: Whether it was not there before, so that whatever place it had is lost.
  private mutating func wait(_ index: Int, on adapter: Int, isNew: Bool) {
    guard passiveDemand(for: index) != nil else {
      book.meters[index].phase = .idle
      return
    }
    var isNew = isNew || book.meters[index].place == 0
    if case .idle = book.meters[index].phase { isNew = true }
    if isNew {
      book.meters[index].phase = .waiting
      book.meters[index].place = nextSerial()
      if book.meters[index].standing.owedSince == nil { book.meters[index].standing.owedSince = now }
      book.meters[index].turn = book.meters[index].standing.turn(policy.turnMemory)
    }
    takePlace(index, on: adapter)
  }

  private mutating func takePlace(_ index: Int, on adapter: Int) {
    let (medium, serial, place) = (book.meters[index].medium, adapters[adapter].serial, book.meters[index].place)
    for position in book.meters[index].sightings.indices where book.meters[index].sightings[position].adapter == serial
    {
      guard book.meters[index].sightings[position].place != place else { return }
      book.meters[index].sightings[position].place = place
      let entry = MeterQueue.Place(key: book.meters[index].turn, serial: place, meter: index)
      if book.meters[index].isKnown {
        adapters[adapter][medium].line.insert(entry)
      } else {
        adapters[adapter][medium].strangers.insert(entry)
      }
    }
    for line in [\ScheduledAdapter.Lane.line, \.strangers]
    where adapters[adapter][medium][keyPath: line].places.count > 2 * book.count + 64 {
      let book = book
      adapters[adapter][medium][keyPath: line].compact { book.meters[$0.meter].place == $0.serial }
    }
  }

  /// A meter that was unknown is known from now on: it has a place in the line of those.
  mutating func becomeKnown(_ index: Int) {
    book.meters[index].isKnown = true
    book.meters[index].place = 0
  }

  /// Makes a meter available for passive work: at once if it is there.
  mutating func makeAvailable(_ index: Int, _ commands: inout [Command]) {
    book.meters[index].phase = .idle
    book.meters[index].retry = 0
    for sighting in book.meters[index].sightings where isFresh(sighting) {
      guard let adapter = adapterIndex(serial: sighting.adapter) else { continue }
      wait(index, on: adapter, isNew: false)
    }
    book.touch(index)
    let medium = book.meters[index].medium
    if case .waiting = book.meters[index].phase, let adapter = bestAdapter(for: index, medium) {
      serve(adapter, medium, &commands)
    }
  }

  /// The first demand that this meter may be read for without a person.
  func passiveDemand(for index: Int) -> StandingDemand? {
    for id in book.meters[index].fits {
      guard let standing = demands[id], case .passive = standing.demand.kind else { continue }
      if !isExcluded(index, from: standing) { return standing }
    }
    return nil
  }

  private func isExcluded(_ index: Int, from standing: StandingDemand) -> Bool {
    for exclusion in book.meters[index].exclusions
    where exclusion.demand == standing.demand.id && exclusion.revision == standing.revision && now < exclusion.until {
      return true
    }
    return false
  }
}

/// The rest after a read.
extension RadioSchedule {
  /// The rest of a meter that was read now.
  func rest(holdOff: Duration, endsWithNews: Bool, again: Duration? = nil) -> ScheduledMeter.Rest {
    ScheduledMeter.Rest(since: now, holdOff: holdOff, endsWithNews: endsWithNews, again: again, marks: hearingTimes)
  }

  var hearingTimes: [ScheduledMeter.Mark] {
    var marks: [ScheduledMeter.Mark] = []
    marks.reserveCapacity(adapters.count)
    for adapter in adapters {
      marks.append(ScheduledMeter.Mark(adapter: adapter.serial, hearingTime: adapter.hearing.time(at: now)))
    }
    return marks
  }

  /// Lets a meter that rests be read again if it has been silent long enough, and marks the time if not.
  private mutating func endRest(_ index: Int, heardBy adapter: Int, _ hearing: Hearing) {
    guard case .resting(var rest) = book.meters[index].phase else { return }
    var silence = silence(of: rest, on: adapter)
    for sighting in book.meters[index].sightings {
      guard let other = adapterIndex(serial: sighting.adapter) else { continue }
      silence = max(silence, self.silence(of: rest, on: other))
    }
    if now - max(book.meters[index].lastHeard, rest.since) >= policy.longestDoubt { silence = rest.holdOff }
    let isSteady = rest.again.map { now - rest.since >= $0 } ?? false
    let hasCome = silence >= rest.holdOff || (rest.endsWithNews && hearing.isNews)
    if hasCome || isSteady {
      book.meters[index].phase = .idle
      book.meters[index].isSteady = !hasCome
    } else {
      rest.marks = hearingTimes
      book.meters[index].phase = .resting(rest)
    }
  }

  /// How long this adapter has listened since the meter was heard last; all of its time if it was not there then.
  private func silence(of rest: ScheduledMeter.Rest, on adapter: Int) -> Duration {
    let time = adapters[adapter].hearing.time(at: now)
    for mark in rest.marks where mark.adapter == adapters[adapter].serial { return time - mark.hearingTime }
    return time
  }
}
