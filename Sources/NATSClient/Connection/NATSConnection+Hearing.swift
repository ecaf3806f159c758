package import HostPrimitives

// Whether what was subscribed to is heard. A server answers a subscription only where it refuses it, and may take back what it has
// let a key hear, or let it again, while the connection stands.
extension NATSConnection {
  /// Makes sure that the server lets this key hear a subject that is subscribed to. One that was refused is asked for anew: whoever runs the
  /// servers may have mended it.
  ///
  /// - Throws: ``NATSError`` with code `nats_permission`; as ``ready(by:)``.
  package func checkHearing(_ subject: String, by deadline: HostInstant) async throws(NATSError) {
    try await ready(by: deadline)
    guard let current = link, !current.heard.contains(subject) else { return }
    if link?.refused.remove(subject) != nil { subscribeAgain(subject) }
    try await roundTrip(by: deadline)
    guard let now = link, now.number == current.number else { throw .ended }
    guard !now.refused.contains(subject) else { throw .mayNotSubscribe(subject) }
    link?.heard.insert(subject)
  }

  private func subscribeAgain(_ subject: String) {
    if subject == answers { send(inboxSubscription.bytes) }
    for (number, subscription) in subscriptions where subscription.subject == subject {
      send(subscription.operation(number).bytes)
    }
  }

  /// Waits until the server has dealt with all that was sent.
  private func roundTrip(by deadline: HostInstant) async throws(NATSError) {
    let number = nextNumber()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let timer = Task { if await clock.elapsed(until: deadline) { settleTrip(number, .failure(.timeout)) } }
        trips[number] = NATSPending(continuation: continuation, timer: timer)
        guard link?.isReady == true, !Task.isCancelled else {
          return settleTrip(number, .failure(Task.isCancelled ? .gaveUp : .ended))
        }
        link?.pings.append(number)
        send(NATSClientOperation.ping.bytes)
      }
    } onCancel: {
      Task { await settleTrip(number, .failure(.gaveUp)) }
    }
    try result.get()
  }

  /// A PONG came.
  func answered() {
    guard link?.pings.isEmpty == false, let number = link?.pings.removeFirst() else { return }
    settleTrip(number, .success(()))
  }

  private func settleTrip(_ number: UInt64, _ result: Result<Void, NATSError>) {
    trips.removeValue(forKey: number)?.settle(result)
  }
}
