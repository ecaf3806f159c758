import BluetoothWire

/// What begins next.
extension RadioSchedule {
  /// Gives every adapter something to do: the person first.
  mutating func serveAll(_ commands: inout [Command]) {
    serveInteractive(&commands)
    for index in adapters.indices {
      serve(index, .link, &commands)
      serve(index, .advertisements, &commands)
    }
  }

  /// Begins passive work on an adapter as long as it has room and somebody waits.
  mutating func serve(_ index: Int, _ medium: Medium, _ commands: inout [Command]) {
    if adapters[index][medium].turnEnds != nil {
      adapters[index][medium].turnEnds = nil
      noteTurnEnds()
    }
    guard !isSuspended else { return }
    while adapters[index].hasRoom(medium, policy), let meter = firstWaiting(index, medium),
      let standing = passiveDemand(for: meter)
    {
      start(meter, for: standing.demand, medium, on: bestAdapter(for: meter, medium) ?? index, &commands)
    }
    if adapters[index].isFull(medium, policy) { endTurn(index, medium, &commands) }
  }

  /// The meter whose turn it is and that is still there.
  private mutating func firstWaiting(_ index: Int, _ medium: Medium) -> Int? {
    while let place = adapters[index][medium].line.first {
      if isWaiting(place, index, medium) { return place.meter }
      adapters[index][medium].line.removeFirst()
      if book.meters[place.meter].place == place.serial {
        book.meters[place.meter].leaveLine(of: adapters[index].serial)
      }
    }
    return nil
  }

  private func isWaiting(_ place: MeterQueue.Place, _ index: Int, _ medium: Medium) -> Bool {
    guard book.meters[place.meter].place == place.serial, case .waiting = book.meters[place.meter].phase,
      passiveDemand(for: place.meter) != nil
    else { return false }
    let serial = adapters[index].serial
    for sighting in book.meters[place.meter].sightings where sighting.adapter == serial {
      return isFresh(sighting, on: index)
    }
    return false
  }

  /// Asks the work that has had a slot longest to end, if its time is over and another meter waits.
  private mutating func endTurn(_ index: Int, _ medium: Medium, _ commands: inout [Command]) {
    guard firstWaiting(index, medium) != nil else { return }
    var longest: (id: WorkID, began: Duration)?
    for id in adapters[index][medium].works {
      guard let running = works[id] else { continue }
      // One slot at a time.
      guard !running.isStopping else { return }
      if running.began < longest?.began ?? .seconds(Int64.max) { longest = (id, running.began) }
    }
    guard let longest else { return }
    let end = longest.began + policy.longestTurn
    guard end > now else { return stop(longest.id, forAnother: false, &commands) }
    adapters[index][medium].turnEnds = end
    noteTurnEnds()
  }

  mutating func noteTurnEnds() {
    nextTurnEnd = nil
    for adapter in adapters {
      for end in [adapter.links.turnEnds, adapter.sessions.turnEnds] {
        if let end { nextTurnEnd = min(nextTurnEnd ?? end, end) }
      }
    }
  }

  mutating func start(
    _ meter: Int, for demand: Demand, _ medium: Medium, on index: Int, _ commands: inout [Command]
  ) {
    let id = nextWork()
    let work = Work(
      id: id, demand: demand.id, meter: book.meters[meter].address, adapter: adapters[index].properties.id,
      medium: medium,
      connectBy: now + policy.connectionPatience, isReread: book.meters[meter].isSteady)
    var purpose: Purpose?
    if case .interactive(let wanted, _, _) = demand.kind { purpose = wanted }
    works[id] = RunningWork(
      work: work, meter: meter, adapterSerial: adapters[index].serial, began: now,
      standingBefore: book.meters[meter].standing,
      phaseBefore: book.meters[meter].phase, purpose: purpose, holdOff: holdOff(of: meter, for: demand),
      readAgain: policy.rereadsSteadyMeters)
    book.meters[meter].phase = .running(id)
    book.meters[meter].standing = ScheduledMeter.Standing(served: now)
    book.meters[meter].place = 0
    book.meters[meter].retry = 0
    book.touch(meter)
    adapters[index][medium].works.append(id)
    if medium == .link { adapters[index].connecting = id }
    if purpose != nil {
      interactiveWorks += 1
      interactive?.works.insert(id)
    }
    adjustListening(&commands)
    commands.append(.start(work))
  }

  func holdOff(of meter: Int, for demand: Demand) -> Duration {
    var found = policy.holdOff
    if case .passive(let own) = demand.kind {
      found = own ?? policy.holdOff
    } else {
      // A person's read counts for the passive demand that it saves the work.
      for id in book.meters[meter].fits {
        guard case .passive(let own) = demands[id]?.demand.kind else { continue }
        found = own ?? policy.holdOff
        break
      }
    }
    return max(.zero, min(found, policy.longestHoldOff))
  }

  /// - Parameter forAnother: Whether the meter gives way without having had its turn.
  mutating func stop(_ id: WorkID, forAnother: Bool, _ commands: inout [Command]) {
    guard let running = works[id], !running.isStopping else { return }
    works[id]?.isStopping = true
    works[id]?.isForAnother = forAnother
    commands.append(.stop(id))
  }
}
