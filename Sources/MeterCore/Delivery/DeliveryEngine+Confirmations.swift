import HostPrimitives

// What a receiver says at last of readings that somebody in between has taken for it.
extension DeliveryEngine {
  /// Files a confirmation as the answer that was left open. One that comes too late, or for another revision, changes nothing.
  func take(_ confirmation: SinkConfirmation) async {
    do {
      let ticket = try store.unconfirmed(confirmation.logID, revision: confirmation.revision, sink: sink)
      guard let ticket else {
        // It may be of what is on its way at this moment: the receiver was quicker than the sink's reply.
        if isSending, early.count < Self.earlyLimit { early.append(confirmation) }
        return
      }
      let decision = policy.decide(confirmation.reply.outcome, failures: ticket.attempts, jitter: jitter())
      unfiled.append((ticket, resolution(ticket, confirmation.reply, decision)))
      try fileUnfiled()
      if decision == .credentialRefused { try refuse(tokenSerial: ticket.pin.tokenSerial) }
    } catch {
      // What could not be filed is filed with the next pass, or the reading is sent again under its name.
      emit(.storeFailed(error))
    }
    wakeRecords()
  }

  /// The most confirmations that are kept for replies which are still to come.
  private static let earlyLimit = 10_000

  /// Takes what has overtaken the replies that were filed just now.
  func takeEarly() async {
    let confirmations = early
    early = []
    for confirmation in confirmations { await take(confirmation) }
  }

  /// When the first delivery that waits for its confirmation is sent again.
  func nextUnconfirmed() throws(StoreError) -> HostInstant? {
    guard receiver.capabilities.confirmsLater, let moment = try store.nextUnconfirmed(sink: sink) else { return nil }
    let (left, overflows) = moment.subtractingReportingOverflow(clock.unixMicroseconds)
    return clock.now + .microseconds(overflows ? 0 : max(0, left))
  }
}
