import HostPrimitives

// What a receiver says at last of readings that somebody in between has taken for it.
extension DeliveryEngine {
  /// Files a confirmation as the answer that was left open. One that comes too late, or for another revision, changes nothing.
  func take(_ confirmation: SinkConfirmation) async {
    do {
      let ticket = try store.unconfirmed(confirmation.logID, revision: confirmation.revision, sink: sink)
      guard let ticket else { return }
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

  /// When the first delivery that waits for its confirmation is sent again.
  func nextUnconfirmed() throws(StoreError) -> HostInstant? {
    guard receiver.capabilities.confirmsLater, let moment = try store.nextUnconfirmed(sink: sink) else { return nil }
    let (left, overflows) = moment.subtractingReportingOverflow(clock.unixMicroseconds)
    return clock.now + .microseconds(overflows ? 0 : max(0, left))
  }
}
