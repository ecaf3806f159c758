import HostPrimitives

/// Whether deliveries may go out with a token.
enum TokenUse: Sendable, Hashable {
  case allowed
  /// The receiver refuses it.
  case refused
  /// The receiver has not said so yet, and is asked again at this time.
  case later(HostInstant)
}

// What the receiver says of the token, and of the time.
extension DeliveryEngine {
  /// Validates a new token, once for both lanes.
  func validate(_ credential: DeliveryCredential) async -> TokenUse {
    guard !credential.isValidated, unvalidatedToken != credential.tokenSerial else { return .allowed }
    if let validation, validation.tokenSerial == credential.tokenSerial { return await validation.task.value }
    // Whichever lane it is: a receiver that could not answer is left alone for as long as the other lane leaves it.
    restoreOrTell()
    guard clock.now >= wait.pausedUntil else { return .later(wait.pausedUntil) }
    let task = Task { await askReceiver(about: credential) }
    validation = (credential.tokenSerial, task)
    defer { if validation?.tokenSerial == credential.tokenSerial { validation = nil } }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func askReceiver(about credential: DeliveryCredential) async -> TokenUse {
    try? await pacer.waitForTurn()
    let reply = await receiver.check(SinkCredential(user: credential.user, token: credential.token))
    noteClock(reply.clockSkewSeconds)
    do {
      switch reply.verdict {
      case .cannotSay: return deliverUnchecked(credential, reply)
      case .accepted, .otherUser:
        wait.failures = 0
        keepWait()
        // Another user's token: every upload would give one person's readings to another.
        guard reply.verdict == .accepted else {
          try refuse(tokenSerial: credential.tokenSerial)
          return .refused
        }
        try markValidated(credential)
        return .allowed
      case .refused:
        try refuse(tokenSerial: credential.tokenSerial)
        return .refused
      case .outOfReach(let asked):
        wait.failures += 1
        wait.error = reply.text
        pause(.retry(after: policy.wait(asked, failures: wait.failures, jitter: jitter())), isAsked: asked != nil)
      case .unclear:
        wait.failures += 1
        wait.error = reply.text
        // A refusal for good that is none of the token has no wait of its own.
        pauseForFailure()
      }
      keepWait()
      emit(.sessionUnvalidated(credential.user, reason: reply.text))
      return .later(wait.pausedUntil)
    } catch {
      emit(.storeFailed(error))
      pauseForFailure()
      return .later(wait.pausedUntil)
    }
  }

  /// The receiver cannot say whose token it is: its answers to deliveries tell as much.
  private func deliverUnchecked(
    _ credential: DeliveryCredential, _ reply: CredentialReply
  ) -> TokenUse {
    if acceptedToken == credential.tokenSerial {
      do { try markValidated(credential) } catch { emit(.storeFailed(error)) }
      return .allowed
    }
    unvalidatedToken = credential.tokenSerial
    emit(.sessionUnvalidated(credential.user, reason: reply.text))
    wakeImages()
    return .allowed
  }

  private func pauseForFailure() {
    pause(policy.decide(.retry(), failures: wait.failures, jitter: jitter()))
  }

  /// A receiver without the validation call has accepted an upload. It is asked once more: who answered before may have been a
  /// gateway in front of a receiver that was away, and the receiver would have said whose token it is.
  func noteAccepted(_ credential: DeliveryCredential) async {
    guard unvalidatedToken == credential.tokenSerial else { return }
    (unvalidatedToken, acceptedToken) = (nil, credential.tokenSerial)
    _ = await validate(credential)
  }

  private func markValidated(_ credential: DeliveryCredential) throws(StoreError) {
    try store.markValidated(credential, sink: sink)
    emit(.sessionValidated(credential.user))
    wakeImages()
  }

  /// The receiver refuses a token: what follows is the affair of the sink's role.
  func refuse(tokenSerial serial: Int64) throws(StoreError) {
    switch try store.refuse(sink: sink, tokenSerial: serial) {
    case .stale: break
    case .stopped: emit(.sinkRefused(sink: sink))
    case .sessionEnded(let ended):
      totals.sessionEnded = true
      notBefore = [:]
      emit(.sessionEnded(ended))
    }
  }

  func tokenIsRefused(_ serial: Int64) {
    do { try refuse(tokenSerial: serial) } catch { emit(.storeFailed(error)) }
  }

  /// Reports how far the receiver's clock is from this machine's; records go out as they are.
  func noteClock(_ seconds: Int?) {
    guard let seconds, ClockSkew.isNews(seconds, after: skew) else { return }
    let isFirst = skew == nil
    let measured = ClockSkew(seconds: seconds, measuredMicroseconds: clock.unixMicroseconds)
    do { try store.noteClockSkew(measured, sink: sink) } catch { return emit(.storeFailed(error)) }
    skew = measured
    // That the clocks agree is no news at the start.
    if !isFirst || measured.isNotable { emit(.clockSkew(measured, sink: sink)) }
  }
}
