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
    if adapters[index][medium].due != nil {
      adapters[index][medium].turnEnds = nil
      adapters[index][medium].strangersDue = nil
      noteTurnEnds()
    }
    guard !isSuspended else { return }
    while adapters[index].hasRoom(medium, policy), let meter = nextMeter(index, medium),
      let standing = passiveDemand(for: meter)
    {
      let best = bestAdapter(for: meter, medium, asStranger: !book.meters[meter].isKnown)
      start(meter, for: standing.demand, medium, on: best ?? index, &commands)
    }
    makeWay(index, medium, &commands)
  }

  /// The meter whose turn it is: a known one, unless an unknown one has waited for too long.
  private mutating func nextMeter(_ index: Int, _ medium: Medium) -> Int? {
    if let overdue = overdueStranger(index, medium) {
      lastOverdueTurn = (overdue, now)
      return overdue
    }
    return firstWaiting(index, medium) ?? nextStranger(index, medium)
  }

  /// The known meter whose turn it is and that is still there, or the unknown one.
  mutating func firstWaiting(
    _ index: Int, _ medium: Medium, in line: WritableKeyPath<ScheduledAdapter.Lane, MeterQueue> = \.line
  ) -> Int? {
    while let place = adapters[index][medium][keyPath: line].first {
      if isWaiting(place, index, medium) { return place.meter }
      adapters[index][medium][keyPath: line].removeFirst()
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

  /// Asks a work to end that is in the way of another meter: an unknown meter's connection for a known one, and the work that
  /// has had a slot longest, if its time is over.
  private mutating func makeWay(_ index: Int, _ medium: Medium, _ commands: inout [Command]) {
    let knownWaits = firstWaiting(index, medium) != nil
    if knownWaits, medium == .link, adapters[index].properties.isPowered, let id = adapters[index].connecting,
      let running = works[id], running.isStranger, !isOverdue(running)
    {
      return stop(id, forAnother: true, &commands)
    }
    guard adapters[index].isFull(medium, policy) || !knownWaits else { return }
    let mayEnd = adapters[index].isFull(medium, policy) && (knownWaits || overdueStranger(index, medium) != nil)
    guard mayEnd || strangerWaits(index, medium) else { return }
    var next: (id: WorkID, end: Duration)?
    for id in adapters[index][medium].works {
      guard let running = works[id], mayEnd || running.isStranger else { continue }
      // One slot at a time.
      guard !running.isStopping else { return }
      let end = running.began + (knownWaits && running.isStranger ? policy.strangersTurn : policy.longestTurn)
      if end < next?.end ?? .seconds(Int64.max) { next = (id, end) }
    }
    guard let next else { return }
    guard next.end > now else { return stop(next.id, forAnother: false, &commands) }
    adapters[index][medium].turnEnds = next.end
    noteTurnEnds()
  }

  mutating func noteTurnEnds() {
    nextTurnEnd = nil
    for adapter in adapters {
      for end in [adapter.links.due, adapter.sessions.due] {
        if let end { nextTurnEnd = min(nextTurnEnd ?? end, end) }
      }
    }
  }

  mutating func start(
    _ meter: Int, for demand: Demand, _ medium: Medium, on index: Int, _ commands: inout [Command]
  ) {
    let id = nextWork()
    var purpose: Purpose?
    if case .interactive(let wanted, _, _, _) = demand.kind { purpose = wanted }
    let isStranger = purpose == nil && !book.meters[meter].isKnown
    let work = Work(
      id: id, demand: demand.id, meter: book.meters[meter].address, adapter: adapters[index].properties.id,
      medium: medium,
      connectBy: now + (isStranger ? policy.strangersConnectionPatience : policy.connectionPatience),
      isReread: book.meters[meter].isSteady, isStranger: isStranger)
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
