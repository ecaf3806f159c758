/// What the service understands: what its features declare.
package enum ControlTable {
  static let features: [ControlFeature] = [
    .queue, .keys, .meters, .feedback, .submission, .displays, .session, .sinks, .receiverCalls, .logging, .service,
    .metrics, .backup,
    .quarantine, .driverUpdates, .health, .healthFeeds, .fhir,
    .diagnosis, .radio, .passive, .reading, .scanning, .events, .console,
  ]
  /// Requests by their names.
  package static let requests: [any HandledRequest.Type] = features.flatMap { $0.requests }
  /// Conversations by their names.
  package static let conversations: [any HandledConversation.Type] = features.flatMap { $0.conversations }
}
