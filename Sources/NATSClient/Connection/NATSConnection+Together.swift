import HostPrimitives

// Several messages at once.
extension NATSConnection {
  /// A message without headers and without an answer.
  package struct Note: Sendable, Hashable {
    package let subject: String
    package let payload: [UInt8]

    package init(subject: String, payload: [UInt8]) { (self.subject, self.payload) = (subject, payload) }
  }

  /// Sends messages over one and the same connection, in their order: where one of them has arrived, so have those before it. Waits for a
  /// connection, as long as an answer may take; whether anybody gets them nobody says.
  ///
  /// - Throws: ``NATSError`` as ``publish(_:headers:payload:reply:)`` does; then none of them was sent.
  package func publish(together notes: [Note]) async throws(NATSError) {
    for note in notes {
      guard NATSSubject.isPublishable(note.subject) else { throw .noSubject(note.subject) }
    }
    try await ready(by: clock.now + options.requestTimeout)
    while let link, link.outgoing.count >= options.sendLimit {
      await withCheckedContinuation { senders.append($0) }
      if Task.isCancelled { throw .gaveUp }
    }
    guard let info = serverInfo else { throw .ended }
    var bytes: [UInt8] = []
    for note in notes {
      guard note.payload.count <= info.maxPayload else { throw .tooLong(note.payload.count, limit: info.maxPayload) }
      bytes +=
        NATSClientOperation.publish(
          subject: note.subject, reply: nil, headers: NATSHeaders(), payload: note.payload
        ).bytes
    }
    send(bytes)
  }
}
