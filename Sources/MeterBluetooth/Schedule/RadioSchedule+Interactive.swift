import BluetoothWire

/// The demand of a person.
extension RadioSchedule {
  mutating func begin(_ demand: Demand, _ commands: inout [Command]) {
    guard case .interactive(let purpose, let deadline, let running, let sharesRunning) = demand.kind else { return }
    guard interactive == nil else { return commands.append(.busy(demand.id)) }
    demands[demand.id] = StandingDemand(demand: demand, revision: nextSerial())
    interactive = InteractiveDemand(
      id: demand.id, purpose: purpose, sharesRunning: sharesRunning, deadline: deadline)
    for work in runningWorks {
      if running.contains(work.id) { handOver(work.id, &commands) }
      let isServing = interactive?.handedOver.contains(work.id) ?? false
      if !isServing {
        stop(work.id, forAnother: true, &commands)
      } else if work.isStranger {
        interactive?.strangersEnd = now + policy.strangersGrace
      }
    }
    adjustListening(&commands)
  }

  /// Any device can say that it is the meter and keep its link. What it has brought by its end may be what the person wants.
  mutating func endStrangers(_ commands: inout [Command]) {
    interactive?.strangersEnd = nil
    for id in (interactive?.handedOver ?? []).sorted(by: { $0.rawValue < $1.rawValue })
    where works[id]?.isStranger == true {
      stop(id, forAnother: true, &commands)
    }
  }

  /// Lets a passive work serve the person, too, if it can.
  mutating func handOver(_ id: WorkID, _ commands: inout [Command]) {
    guard let current = interactive, current.purpose == .read, current.sharesRunning,
      !current.handedOver.contains(id),
      let running = works[id], running.purpose == nil
    else { return }
    interactive?.handedOver.insert(id)
    commands.append(.handOver(id, to: current.id))
  }

  /// Remembers a meter that the person may mean, and reads it if there is room.
  mutating func becomeCandidate(_ hearing: Hearing, _ commands: inout [Command]) {
    guard let known = interactive else { return }
    if hearing.isNews { interactive?.spent.remove(hearing.meter) }
    if !known.candidates.contains(hearing.meter) {
      guard !known.refused.contains(hearing.meter) else { return }
      if known.candidates.count >= InteractiveDemand.maximumCandidates { dropCandidatesWithoutHope() }
      if hearing.isKnown { makeRoomForKnownCandidate() }
      guard let count = interactive?.candidates.count, count < InteractiveDemand.maximumCandidates else { return }
      interactive?.candidates.append(hearing.meter)
    }
    serveInteractive(&commands)
  }

  /// Makes room for those that the person may still mean: neither gone nor refused.
  private mutating func dropCandidatesWithoutHope() {
    guard let current = interactive else { return }
    let hopeful = current.candidates.filter { address in
      !current.refused.contains(address) && book.position(of: address).map { isPresent($0) } ?? false
    }
    interactive?.candidates = hopeful
  }

  /// A known meter is more likely what the person means than any of a crowd.
  private mutating func makeRoomForKnownCandidate() {
    guard let candidates = interactive?.candidates, candidates.count >= InteractiveDemand.maximumCandidates else {
      return
    }
    let leaving = candidates.lastIndex { address in
      guard let meter = book.position(of: address), !book.meters[meter].isKnown else { return false }
      if case .running = book.meters[meter].phase { return false }
      return true
    }
    if let leaving { interactive?.candidates.remove(at: leaving) }
  }

  /// Known meters first, each kind in the order of its first advertisements.
  private func inOrder(_ candidates: [BluetoothAddress]) -> [BluetoothAddress] {
    let isKnown = { (address: BluetoothAddress) in book.position(of: address).map { book.meters[$0].isKnown } ?? false }
    return candidates.filter(isKnown) + candidates.filter { !isKnown($0) }
  }

  /// Begins the person's work: one meter over a link, or all that only advertise.
  mutating func serveInteractive(_ commands: inout [Command]) {
    guard let current = interactive, current.retryAt == nil, let demand = demands[current.id]?.demand,
      current.handedOver.allSatisfy({ works[$0]?.isStranger == true })
    else { return }
    for address in inOrder(current.candidates) where isAwaited(address, current) {
      guard let meter = book.position(of: address) else { continue }
      let medium = book.meters[meter].medium
      guard let works = interactive?.works, works.allSatisfy({ self.works[$0]?.work.medium == .advertisements }),
        medium == .advertisements || works.isEmpty, let adapter = bestAdapter(for: meter, medium)
      else { continue }
      start(meter, for: demand, medium, on: adapter, &commands)
    }
  }

  /// Whether a candidate still may be what the person means, and could be read if there were room.
  private func isAwaited(_ address: BluetoothAddress, _ current: InteractiveDemand) -> Bool {
    guard !current.refused.contains(address), !current.spent.contains(address),
      let meter = book.position(of: address), book.meters[meter].fits.contains(current.id)
    else { return false }
    if case .running = book.meters[meter].phase { return false }
    for sighting in book.meters[meter].sightings where isFresh(sighting) {
      guard let adapter = adapterIndex(serial: sighting.adapter) else { continue }
      if book.meters[meter].medium == .advertisements || adapters[adapter].properties.slots > 0 { return true }
    }
    return false
  }

  /// Ends the person's wait when nothing has come of it in time.
  mutating func expireInteractive(_ commands: inout [Command]) {
    guard let current = interactive, !current.isBusy, now >= current.deadline else { return }
    if current.candidates.contains(where: { isAwaited($0, current) }) {
      // It was heard in time and waits for an adapter.
      interactive?.deadline = now + policy.window
    } else {
      leaveInteractive(saying: .expired(current.id), &commands)
    }
  }

  /// The demand is over: whatever else ran for it is not needed, and passive reading goes on.
  mutating func leaveInteractive(saying command: Command?, _ commands: inout [Command]) {
    guard let current = interactive else { return }
    interactive = nil
    demands[current.id] = nil
    if let command { commands.append(command) }
    for id in current.works.sorted(by: { $0.rawValue < $1.rawValue }) { stop(id, forAnother: false, &commands) }
    adjustListening(&commands)
    serveAll(&commands)
  }

  /// What the end of a work means for the person.
  mutating func tellInteractive(_ id: WorkID, _ ending: Ending, _ running: RunningWork, _ commands: inout [Command]) {
    guard let current = interactive else { return }
    if interactive?.handedOver.remove(id) != nil {
      let isTheMeter = !running.isStranger || current.works.isEmpty && !awaitsAnother(than: running, current)
      if ending == .readNew, isTheMeter {
        return leaveInteractive(saying: .finished(current.id), &commands)
      }
      // It may go on showing what it has brought: read again, that could be another reading.
      if ending == .readNew { interactive?.refused.insert(running.work.meter) }
      interactive?.deadline = max(current.deadline, now + policy.secondChance)
    }
    guard interactive?.works.remove(id) != nil else { return }
    switch ending {
    case .nothingNew where running.work.medium == .advertisements: interactive?.spent.insert(running.work.meter)
    case .failed(.otherMeter): interactive?.refused.insert(running.work.meter)
    case .failed(.adapterLost), .stopped: interactive?.deadline = max(current.deadline, now + policy.secondChance)
    case .failed where isOneOfSeveral(running, current): interactive?.refused.insert(running.work.meter)
    case .failed(.connection) where current.attempts + 1 < policy.interactiveAttempts && now < current.deadline:
      interactive?.attempts += 1
      interactive?.retryAt = now + policy.firstRetry
    case .readNew, .nothingNew, .failed: leaveInteractive(saying: .finished(current.id), &commands)
    }
  }

  /// Whether an unknown meter has failed while others are there that the person may mean: any device can say that it is one.
  private func isOneOfSeveral(_ running: RunningWork, _ current: InteractiveDemand) -> Bool {
    guard !book.meters[running.meter].isKnown, now < current.deadline else { return false }
    return awaitsAnother(than: running, current)
  }

  private func awaitsAnother(than running: RunningWork, _ current: InteractiveDemand) -> Bool {
    current.candidates.contains { $0 != running.work.meter && isAwaited($0, current) }
  }
}
