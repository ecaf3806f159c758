import HostPrimitives

// One pass over the records that wait.
extension Uploader {
  func deliverAll() async {
    do {
      try restoreWaits()
      while !Task.isCancelled {
        nextLook = wait.pausedUntil
        guard clock.now >= wait.pausedUntil else { return }
        try fileUnfiled()
        nextLook = nil
        guard try !store.isPaused(), let credential = try store.credential(sink: sink, setting: setting) else { return }
        switch await validate(credential) {
        case .allowed: break
        case .refused: return
        case .later(let time): return nextLook = time
        }
        let now = clock.now
        notBefore = notBefore.filter { $0.value > now }
        let tickets = try store.claim(
          sink: sink, limit: settings.concurrency, excluding: Set(notBefore.keys), setting: setting)
        if tickets.isEmpty {
          nextLook = notBefore.values.min()
          // A backlog that has gone; what a day's readings take is kept for the next ones.
          try store.giveBackSpace(keeping: 1_000)
          return
        }
        try await deliver(tickets, credential)
      }
    } catch {
      emit(.storeFailed(error))
      wait.failures += 1
      pause(policy.decide(.failed(TransportError(.interrupted, "store")), failures: wait.failures, jitter: jitter()))
      nextLook = wait.pausedUntil
    }
  }

  private func deliver(_ tickets: [DeliveryTicket], _ credential: DeliveryCredential) async throws(StoreError) {
    let round = await withTaskGroup(of: (DeliveryTicket, Attempt).self) { group in
      for ticket in tickets { group.addTask { (ticket, await self.attempt(ticket)) } }
      var answers: [(DeliveryTicket, Attempt)] = []
      for await answer in group { answers.append(answer) }
      return answers
    }
    let decisions = round.map { ticket, attempt in
      attempt.refusal.map { DeliveryDecision.dead(reason: $0) }
        ?? policy.decide(attempt.outcome, failures: ticket.attempts, jitter: jitter())
    }
    for (_, attempt) in round { noteClock(attempt) }
    pauseAfter(zip(round, decisions).map { ($0.0, $0.1, $1) })
    for ((ticket, attempt), decision) in zip(round, decisions) {
      unfiled.append((ticket, resolution(ticket, attempt, decision)))
    }
    try fileUnfiled()
    keepWait()
    if zip(round, decisions).contains(where: { $0.0.pin.tokenSerial == credential.tokenSerial && $1 == .delivered }) {
      await noteAccepted(credential)
    }
    let refused = zip(round, decisions).first { $0.1 == .endSession }
    if let ticket = refused?.0.0 { try refuse(tokenSerial: ticket.pin.tokenSerial) }
  }

  private nonisolated func attempt(_ ticket: DeliveryTicket) async -> Attempt {
    let request: HTTPRequest
    do {
      request = try calls.request(ticket.record, .deliver, of: ticket.user, token: ticket.token)
    } catch {
      return Attempt(error)
    }
    let attempt = await send(request, hiding: ticket.token)
    return calls.mixUp(attempt.answer, withDeliveryOf: ticket.record, isRefusal: attempt.isRefusal).map(Attempt.mixedUp)
      ?? attempt
  }

  /// Waits for the request's turn and sends it.
  nonisolated func send(_ request: HTTPRequest, hiding token: AccessToken) async -> Attempt {
    try? await pacer.waitForTurn()
    return await Attempt.send(request, transport, hiding: token, clock: clock)
  }

  /// A round in which the receiver judged one record at least shows that it works; else everything waits, but for records that
  /// fail for themselves: those wait alone, and what comes meanwhile is sent at once.
  private func pauseAfter(_ round: [(DeliveryTicket, Attempt, DeliveryDecision)]) {
    var failed: Set<LogID> = []
    for (ticket, attempt, decision) in round {
      guard case .retry = decision else {
        lonely.judged(ticket.record.logID)
        continue
      }
      failed.insert(ticket.record.logID)
      guard attempt.retryAfterSeconds != nil else { continue }
      pause(decision, askedBy: attempt)
      wait.error = attempt.text
    }
    let isAlive = failed.count < round.count
    if isAlive { wait.failures = 0 }
    let isOutOfReach = lonely.failed(failed, besideJudged: isAlive)
    guard isOutOfReach, let first = round.first else { return }
    wait.failures += 1
    wait.error = first.1.text
    pause(policy.decide(first.1.outcome, failures: wait.failures, jitter: jitter()))
  }

  /// - Parameter attempt: The one whose answer may have asked for the wait.
  func pause(_ decision: DeliveryDecision, askedBy attempt: Attempt? = nil) {
    guard case .retry(let time) = decision else { return }
    wait.pause(until: clock.now + time, isAsked: attempt?.retryAfterSeconds != nil)
  }

  private func resolution(
    _ ticket: DeliveryTicket, _ attempt: Attempt, _ decision: DeliveryDecision
  ) -> DeliveryResolution {
    switch decision {
    case .delivered:
      return .delivered(receiverID: calls.recordID(in: attempt.answer, of: ticket.record.type, hiding: ticket.token))
    case .dead(let reason): return .dead(reason: reason, error: attempt.text)
    // Ending the session takes the record away; pending is right if that fails or a newer token is there.
    case .endSession: return .retry(error: attempt.text, nextTryMicroseconds: nil)
    case .retry(let wait):
      let time = clock.now + wait
      notBefore[ticket.record.logID] = time
      return .retry(error: attempt.text, nextTryMicroseconds: clock.unixMicroseconds + Int64(wait.milliseconds) * 1000)
    }
  }

  private func fileUnfiled() throws(StoreError) {
    guard !unfiled.isEmpty else { return }
    let filed = unfiled
    let applied = try store.resolve(filed)
    // Nothing else has touched the list: there was no other wait than for the disk.
    unfiled.removeFirst(filed.count)
    for (answer, isApplied) in zip(filed, applied) where isApplied { report(answer.ticket, answer.resolution) }
  }

  /// Files what is left of answers when nobody will try later, or gives the claims back.
  func leave() {
    do { try fileUnfiled() } catch {
      store.abandon(unfiled.map { UnansweredClaim(table: .delivery, row: $0.ticket.row, sink: sink) })
      unfiled = []
    }
  }

  private func report(_ ticket: DeliveryTicket, _ resolution: DeliveryResolution) {
    let logID = ticket.record.logID
    let revision = ticket.pin.revision
    switch resolution {
    case .delivered(let receiverID):
      totals.delivered += 1
      notBefore[logID] = nil
      emit(.recordSubmitted(logID: logID, revision: revision, receiverID: receiverID, sink: sink))
      wakeImages()
    case .dead(let reason, let error):
      totals.dead += 1
      notBefore[logID] = nil
      let text = error.isEmpty ? reason : "\(reason): \(error)"
      emit(
        .recordSubmissionFailed(logID: logID, revision: revision, record: ticket.record, reason: text, sink: sink))
    // Nothing is tried again with a refused token: the end of the session is what there is to tell.
    case .retry(_, nil): break
    case .retry(let error, _):
      let time = max(.zero, max(notBefore[logID] ?? .boot, wait.pausedUntil) - clock.now)
      emit(.retrying(logID: logID, after: time, error: error, sink: sink))
    }
  }
}
