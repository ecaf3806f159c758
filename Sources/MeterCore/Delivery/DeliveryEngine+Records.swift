import HostPrimitives

// One pass over the records that wait.
extension DeliveryEngine {
  func deliverAll() async {
    do {
      try restoreWaits()
      while !Task.isCancelled {
        nextLook = wait.pausedUntil
        guard clock.now >= wait.pausedUntil else { return }
        try fileUnfiled()
        nextLook = nil
        guard try !store.isPaused(), let credential = try store.credential(sink: sink, target: target) else { return }
        switch await validate(credential) {
        case .allowed: break
        case .refused: return
        case .later(let time): return nextLook = time
        }
        let now = clock.now
        notBefore = notBefore.filter { $0.value > now }
        if receiver.capabilities.confirmsLater {
          try store.releaseUnconfirmed(sink: sink, now: clock.unixMicroseconds)
        }
        let tickets = try store.claim(
          sink: sink, limit: settings.concurrency * receiver.capabilities.batchSize, excluding: Set(notBefore.keys),
          target: target)
        if tickets.isEmpty {
          nextLook = try [notBefore.values.min(), nextUnconfirmed()].compactMap(\.self).min()
          // A backlog that has gone; what a day's readings take is kept for the next ones.
          try store.giveBackSpace(keeping: 1_000)
          return
        }
        try await deliver(tickets, credential)
      }
    } catch {
      emit(.storeFailed(error))
      wait.failures += 1
      pause(policy.decide(.retry(), failures: wait.failures, jitter: jitter()))
      nextLook = wait.pausedUntil
    }
  }

  private func deliver(_ tickets: [DeliveryTicket], _ credential: DeliveryCredential) async throws(StoreError) {
    isSending = true
    defer { isSending = false }
    let round = await send(tickets)
    let decisions = round.map { ticket, reply in
      policy.decide(reply.outcome, failures: ticket.attempts, jitter: jitter())
    }
    for (_, reply) in round { noteClock(reply.clockSkewSeconds) }
    pauseAfter(zip(round, decisions).map { ($0.0, $0.1, $1) })
    for ((ticket, reply), decision) in zip(round, decisions) {
      unfiled.append((ticket, resolution(ticket, reply, decision)))
    }
    try fileUnfiled()
    isSending = false
    await takeEarly()
    keepWait()
    if zip(round, decisions).contains(where: { $0.0.pin.tokenSerial == credential.tokenSerial && $1 == .delivered }) {
      await noteAccepted(credential)
    }
    let refused = zip(round, decisions).first { $0.1 == .credentialRefused }
    if let ticket = refused?.0.0 { try refuse(tokenSerial: ticket.pin.tokenSerial) }
  }

  /// Sends tickets in batches side by side.
  private func send(_ tickets: [DeliveryTicket]) async -> [(DeliveryTicket, SinkReply)] {
    let size = receiver.capabilities.batchSize
    return await withTaskGroup(of: [(DeliveryTicket, SinkReply)].self) { group in
      for start in stride(from: 0, to: tickets.count, by: size) {
        let batch = Array(tickets[start..<min(start + size, tickets.count)])
        group.addTask { [receiver, pacer] in
          // All of one claim are of one session.
          guard let first = batch.first else { return [] }
          try? await pacer.waitForTurn()
          let replies = await receiver.deliver(
            batch.map(\.record), with: SinkCredential(user: first.user, token: first.token))
          // One that says nothing of a reading has not delivered it.
          return batch.enumerated().map { index, ticket in
            (ticket, index < replies.count ? replies[index] : SinkReply(.retry(), text: "the sink says nothing of it"))
          }
        }
      }
      var answers: [(DeliveryTicket, SinkReply)] = []
      for await some in group { answers += some }
      return answers
    }
  }

  /// A round in which the receiver judged one record at least shows that it works; else everything waits, but for records that
  /// fail for themselves: those wait alone, and what comes meanwhile is sent at once.
  private func pauseAfter(_ round: [(DeliveryTicket, SinkReply, DeliveryDecision)]) {
    var failed: Set<LogID> = []
    for (ticket, reply, decision) in round {
      guard case .retry = decision else {
        lonely.judged(ticket.record.logID)
        continue
      }
      failed.insert(ticket.record.logID)
      guard reply.isAsked else { continue }
      pause(decision, isAsked: true)
      wait.error = reply.text
    }
    let isAlive = failed.count < round.count
    if isAlive { wait.failures = 0 }
    let isOutOfReach = lonely.failed(failed, besideJudged: isAlive)
    guard isOutOfReach, let first = round.first else { return }
    wait.failures += 1
    wait.error = first.1.text
    pause(policy.decide(first.1.outcome, failures: wait.failures, jitter: jitter()))
  }

  /// - Parameter isAsked: Whether the receiver itself has asked for the wait.
  func pause(_ decision: DeliveryDecision, isAsked: Bool = false) {
    guard case .retry(let time) = decision else { return }
    wait.pause(until: clock.now + time, isAsked: isAsked)
  }

  func resolution(
    _ ticket: DeliveryTicket, _ reply: SinkReply, _ decision: DeliveryDecision
  ) -> DeliveryResolution {
    switch decision {
    case .delivered: return .delivered(receiverID: reply.deliveredID, keptUntilMicroseconds: keptUntil())
    case .dead(let reason): return .dead(reason: reason, error: reply.text)
    case .unconfirmed(let limit):
      return .unconfirmed(byMicroseconds: clock.unixMicroseconds + Int64(limit.milliseconds) * 1000)
    // Ending the session takes the record away; pending is right if that fails or a newer token is there.
    case .credentialRefused: return .retry(error: reply.text, nextTryMicroseconds: nil)
    case .retry(let wait):
      let time = clock.now + wait
      notBefore[ticket.record.logID] = time
      return .retry(error: reply.text, nextTryMicroseconds: clock.unixMicroseconds + Int64(wait.milliseconds) * 1000)
    }
  }

  /// Until when the content of what is delivered now stays; nil for not at all.
  private func keptUntil() -> Int64? {
    let time = receiver.capabilities.keepsContent
    guard time > .zero else { return nil }
    return clock.unixMicroseconds + Int64(time.milliseconds) * 1000
  }

  func fileUnfiled() throws(StoreError) {
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
    case .delivered(let receiverID, _):
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
    case .unconfirmed: notBefore[logID] = nil
    // Nothing is tried again with a refused token: the end of the session is what there is to tell.
    case .retry(_, nil): break
    case .retry(let error, _):
      let time = max(.zero, max(notBefore[logID] ?? .boot, wait.pausedUntil) - clock.now)
      emit(.retrying(logID: logID, after: time, error: error, sink: sink))
    }
  }
}
