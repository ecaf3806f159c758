import BluetoothWire

/// What unknown meters have taken of the radio: time ahead of their share.
struct StrangersTime: Sendable {
  private var paidUntil = Duration.zero

  /// When the next one may begin.
  func next(_ policy: RadioSchedule.Policy) -> Duration {
    paidUntil - policy.strangersCredit / policy.strangersShare
  }

  mutating func spend(_ time: Duration, at now: Duration, _ policy: RadioSchedule.Policy) {
    paidUntil = max(paidUntil, now) + time / policy.strangersShare
  }
}

/// Meters that nobody knows: they may be a crowd, or somebody who wants to keep the radio busy, and one of them may be a new
/// meter, or one that changes its address. So they are delayed, and never left out.
extension RadioSchedule {
  /// What an attempt costs at least: one that fails at once has cost the host its work.
  private static let leastCharge = Duration.seconds(1)

  /// How many unknown meters may have work at a time: the other half is left to known ones.
  private func strangersRoom(_ index: Int, _ medium: Medium) -> Int {
    switch medium {
    case .link: max(1, adapters[index].properties.slots / 2)
    case .advertisements: max(1, policy.advertisementSessions / 2)
    }
  }

  /// Whether an unknown meter could have work on this adapter now.
  func hasRoomForStranger(_ index: Int, _ medium: Medium) -> Bool {
    strangersBegin(index, medium) <= now && hasFreePlaceForStranger(index, medium)
  }

  private func hasFreePlaceForStranger(_ index: Int, _ medium: Medium) -> Bool {
    var count = 0
    for id in adapters[index][medium].works where works[id]?.isStranger == true { count += 1 }
    return count < strangersRoom(index, medium)
  }

  /// When their time, and the adapter's pause, let one begin.
  private func strangersBegin(_ index: Int, _ medium: Medium) -> Duration {
    switch medium {
    case .link: max(strangersTime.links.next(policy), adapters[index].strangersAfter)
    case .advertisements: strangersTime.sessions.next(policy)
    }
  }

  /// The unknown meter whose turn it is; nil while there is no time or room for one.
  mutating func nextStranger(_ index: Int, _ medium: Medium) -> Int? {
    guard hasFreePlaceForStranger(index, medium), let meter = firstWaiting(index, medium, in: \.strangers) else {
      return nil
    }
    let begin = strangersBegin(index, medium)
    guard begin > now else { return meter }
    adapters[index][medium].strangersDue = begin
    noteTurnEnds()
    return nil
  }

  /// Whether an unknown meter waits for another one to end.
  mutating func strangerWaits(_ index: Int, _ medium: Medium) -> Bool {
    !hasFreePlaceForStranger(index, medium) && strangersBegin(index, medium) <= now
      && firstWaiting(index, medium, in: \.strangers) != nil
  }

  /// An unknown meter that has waited for so long that it goes before known ones.
  mutating func overdueStranger(_ index: Int, _ medium: Medium) -> Int? {
    if let last = lastOverdueTurn, now - last.time < policy.strangersOverdueInterval { return nil }
    guard hasRoomForStranger(index, medium), let meter = firstWaiting(index, medium, in: \.strangers),
      let since = book.meters[meter].standing.owedSince, now - since >= policy.strangersPatience
    else { return nil }
    return meter
  }

  /// Whether a work has begun before known meters: it is not broken off for them at once.
  func isOverdue(_ running: RunningWork) -> Bool {
    lastOverdueTurn.map { $0.meter == running.meter && $0.time == running.began } ?? false
  }

  /// An adapter does not connect any more.
  mutating func endConnecting(_ running: RunningWork, _ index: Int) {
    adapters[index].connecting = nil
    guard running.isStranger, !adapters[index].properties.hearsWhileConnecting else { return }
    // As long as it was deaf: a known meter that has come meanwhile is heard.
    adapters[index].strangersAfter = now + max(now - running.began, policy.strangersPause)
  }

  /// The work of an unknown meter is over, however it ended.
  mutating func chargeStranger(_ running: RunningWork) {
    switch running.work.medium {
    case .link:
      let time = min(Self.leastCharge + (now - running.began), policy.strangersCharge)
      strangersTime.links.spend(time, at: now, policy)
    // It takes no radio, and only the host's work.
    case .advertisements: strangersTime.sessions.spend(Self.leastCharge, at: now, policy)
    }
  }
}
