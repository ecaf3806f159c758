import HostPrimitives

// What the receiver says of the token, and of the time.
extension Uploader {
  /// Validates a new token, once for both lanes.
  ///
  /// - Returns: Whether deliveries may go out.
  func validate(_ credential: DeliveryCredential) async -> Bool {
    guard !credential.isValidated, unvalidatedToken != credential.tokenSerial else { return true }
    if let validation, validation.tokenSerial == credential.tokenSerial { return await validation.task.value }
    let task = Task { await askReceiver(about: credential) }
    validation = (credential.tokenSerial, task)
    defer { if validation?.tokenSerial == credential.tokenSerial { validation = nil } }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func askReceiver(about credential: DeliveryCredential) async -> Bool {
    let endpoint = calls.endpoint
    let attempt = await send(
      endpoint.request("GET", endpoint.user, token: credential.token), hiding: credential.token)
    noteClock(attempt)
    if attempt.isWithoutValidation {
      if acceptedToken == credential.tokenSerial {
        do { try markValidated(credential) } catch { emit(.storeFailed(error)) }
        return true
      }
      // Its answers to uploads tell as much.
      unvalidatedToken = credential.tokenSerial
      emit(.sessionUnvalidated(credential.user, reason: attempt.text))
      return true
    }
    let decision = policy.decide(attempt.outcome, failures: wait.failures + 1, jitter: jitter())
    do {
      switch decision {
      case .delivered:
        wait.failures = 0
        keepWait()
        // Another user's token: every upload would give one person's readings to another.
        guard !TokenOwner.contradicts(credential.user, in: attempt.answer) else {
          try refuse(tokenSerial: credential.tokenSerial)
          return false
        }
        try markValidated(credential)
        return true
      case .endSession:
        try refuse(tokenSerial: credential.tokenSerial)
        return false
      case .retry, .dead:
        wait.failures += 1
        wait.error = attempt.text
        pause(decision, askedBy: attempt)
        keepWait()
        emit(.sessionUnvalidated(credential.user, reason: attempt.text))
        return false
      }
    } catch {
      emit(.storeFailed(error))
      pause(policy.decide(.failed(TransportError(.interrupted, "store")), failures: wait.failures, jitter: jitter()))
      return false
    }
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
  }

  /// The receiver refuses a token: that of the session's own receiver ends the session, that of another one stops
  /// deliveries there.
  func refuse(tokenSerial serial: Int64) throws(StoreError) {
    guard sink == MeterStore.defaultSink else {
      if try store.refuseSink(sink, tokenSerial: serial) { emit(.sinkRefused(sink: sink)) }
      return
    }
    guard let ended = try store.endSession(refusedToken: serial) else { return }
    totals.sessionEnded = true
    notBefore = [:]
    emit(.sessionEnded(ended))
  }

  func tokenIsRefused(_ serial: Int64) {
    do { try refuse(tokenSerial: serial) } catch { emit(.storeFailed(error)) }
  }

  /// Reports how far the receiver's clock is from this machine's; records go out as they are.
  func noteClock(_ attempt: Attempt) {
    guard let seconds = attempt.clockSkewSeconds, ClockSkew.isNews(seconds, after: skew) else { return }
    let isFirst = skew == nil
    let measured = ClockSkew(seconds: seconds, measuredMicroseconds: clock.unixMicroseconds)
    do { try store.noteClockSkew(measured, sink: sink) } catch { return emit(.storeFailed(error)) }
    skew = measured
    // That the clocks agree is no news at the start.
    if !isFirst || measured.isNotable { emit(.clockSkew(measured, sink: sink)) }
  }
}
