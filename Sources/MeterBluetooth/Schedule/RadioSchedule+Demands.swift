import BluetoothWire

/// Demands that come and go, and works that end.
extension RadioSchedule {
  mutating func accept(_ demand: Demand, _ commands: inout [Command]) {
    switch demand.kind {
    case .interactive: begin(demand, &commands)
    case .passive, .listening:
      guard interactive?.id != demand.id else { return }
      demands[demand.id] = StandingDemand(demand: demand, revision: nextSerial())
      adjustListening(&commands)
    }
  }

  mutating func withdraw(_ id: DemandID, _ commands: inout [Command]) {
    guard demands[id] != nil else { return }
    if interactive?.id == id { return leaveInteractive(saying: nil, &commands) }
    demands[id] = nil
    for work in runningWorks where work.demand == id { stop(work.id, forAnother: false, &commands) }
    adjustListening(&commands)
  }

  mutating func connected(_ id: WorkID, _ commands: inout [Command]) {
    guard let running = works[id], let index = adapterIndex(serial: running.adapterSerial),
      adapters[index].connecting == id
    else { return }
    endConnecting(running, index)
    adjustListening(&commands)
    serveAll(&commands)
  }

  mutating func ended(_ id: WorkID, _ ending: Ending, _ commands: inout [Command]) {
    guard let running = works.removeValue(forKey: id) else { return }
    if let index = adapterIndex(serial: running.adapterSerial) {
      adapters[index][running.work.medium].works.removeAll { $0 == id }
      if adapters[index].connecting == id { endConnecting(running, index) }
    }
    if running.work.isStranger { chargeStranger(running) }
    if running.purpose != nil { interactiveWorks -= 1 }
    settle(running, ending, &commands)
    tellInteractive(id, ending, running, &commands)
    adjustListening(&commands)
    serveAll(&commands)
  }

  /// What the end of a work means for its meter.
  private mutating func settle(_ running: RunningWork, _ ending: Ending, _ commands: inout [Command]) {
    let meter = running.meter
    book.meters[meter].phase = .idle
    switch ending {
    case .readNew, .nothingNew:
      book.meters[meter].failures = 0
      if !book.meters[meter].isKnown { becomeKnown(meter) }
      // A person has shown that it can be read, or has paired with it.
      if running.purpose != nil { book.meters[meter].exclusions = [] }
      guard running.purpose != .pair else { break }
      let isInTheAir = running.work.medium == .advertisements
      book.meters[meter].phase = .resting(
        rest(
          holdOff: running.holdOff, endsWithNews: isInTheAir && (ending == .nothingNew || running.isKnownAgain),
          again: isInTheAir ? nil : running.readAgain))
    case .stopped:
      if running.isForAnother { book.meters[meter].standing = running.standingBefore }
      // One that nobody has stopped must not begin and end without a pause.
      goOn(running, after: running.isStopping ? .zero : policy.firstRetry, &commands)
    case .failed(.adapterLost):
      book.meters[meter].standing = running.standingBefore
      goOn(running, after: policy.firstRetry, &commands)
    case .failed(.otherMeter):
      book.meters[meter].standing = running.standingBefore
      exclude(running)
      goOn(running, after: .zero, &commands)
    case .failed(.notPaired), .failed(.keyMissing):
      exclude(running)
      goOn(running, after: .zero, &commands)
    case .failed(.connection), .failed(.communication), .failed(.driver): fail(meter)
    }
    book.touch(meter)
  }

  /// A work has shown nothing about its meter: what held before holds again.
  private mutating func goOn(_ running: RunningWork, after pause: Duration, _ commands: inout [Command]) {
    switch running.phaseBefore {
    case .resting(let before):
      // It could not be heard while it had a link.
      book.meters[running.meter].phase = .resting(
        rest(holdOff: before.holdOff, endsWithNews: before.endsWithNews, again: before.again))
    case .retrying(let until) where until > now + pause: retry(running.meter, after: until - now)
    default:
      if pause > .zero { retry(running.meter, after: pause) } else { makeAvailable(running.meter, &commands) }
    }
  }

  private mutating func fail(_ meter: Int) {
    let isForgotten = now - book.meters[meter].lastFailure > policy.failureMemory
    book.meters[meter].failures = isForgotten ? 1 : book.meters[meter].failures + 1
    book.meters[meter].lastFailure = now
    retry(meter, after: policy.retryDelay(after: book.meters[meter].failures, seed: book.meters[meter].address.value))
  }

  private mutating func retry(_ meter: Int, after delay: Duration) {
    let serial = nextSerial()
    book.meters[meter].phase = .retrying(until: now + delay)
    book.meters[meter].retry = serial
    retries.insert(MeterQueue.Place(key: now + delay, serial: serial, meter: meter))
    if retries.places.count > 2 * book.count + 64 {
      let book = book
      retries.compact { book.meters[$0.meter].retry == $0.serial }
    }
  }

  /// Sets a demand aside for this meter until a person has changed it, or for long.
  private mutating func exclude(_ running: RunningWork) {
    guard running.purpose == nil, let standing = demands[running.work.demand] else { return }
    book.meters[running.meter].exclusions.removeAll { $0.until <= now || $0.demand == standing.demand.id }
    if book.meters[running.meter].exclusions.count >= ScheduledMeter.maximumExclusions {
      book.meters[running.meter].exclusions.removeFirst()
    }
    book.meters[running.meter].exclusions.append(
      ScheduledMeter.Exclusion(
        demand: standing.demand.id, revision: standing.revision, until: now + policy.personWait))
  }

  mutating func served(_ address: BluetoothAddress, _ ending: Ending, _ own: Duration?) {
    guard ending == .readNew || ending == .nothingNew, let meter = book.position(of: address) else { return }
    if case .running = book.meters[meter].phase { return }
    var holdOff = own ?? policy.holdOff
    if own == nil, let demand = passiveDemand(for: meter)?.demand { holdOff = self.holdOff(of: meter, for: demand) }
    book.meters[meter].failures = 0
    book.meters[meter].isKnown = true
    book.meters[meter].place = 0
    book.meters[meter].retry = 0
    book.meters[meter].phase = .resting(
      rest(holdOff: min(max(holdOff, .zero), policy.longestHoldOff), endsWithNews: ending == .nothingNew))
    book.touch(meter)
  }

  mutating func forgive(_ address: BluetoothAddress, _ commands: inout [Command]) {
    guard let meter = book.position(of: address) else { return }
    book.meters[meter].failures = 0
    book.meters[meter].exclusions = []
    switch book.meters[meter].phase {
    case .idle, .waiting, .retrying: makeAvailable(meter, &commands)
    case .running(let work):
      if case .retrying = works[work]?.phaseBefore { works[work]?.phaseBefore = .idle }
    case .resting: book.touch(meter)
    }
  }
}
