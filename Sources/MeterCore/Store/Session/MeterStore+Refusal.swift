internal import GRDB

extension MeterStore {
  /// What comes of a refused credential.
  enum Refusal: Sendable {
    /// The session has ended: its own receiver has refused.
    case sessionEnded(EndedSession)
    /// Nothing is sent to that receiver any more.
    case stopped
    /// The credential was not in force any more, or had been refused before.
    case stale
  }

  /// Does what a sink's role says of a refused credential, if that is still the one.
  func refuse(sink name: String, tokenSerial: Int64) throws(StoreError) -> Refusal {
    guard name != Self.defaultSink else {
      return try endSession(refusedToken: tokenSerial).map { .sessionEnded($0) } ?? .stale
    }
    return try transaction { db in
      try db.execute(
        sql: "UPDATE sink SET refused = 1 WHERE name = ? AND token_serial = ? AND refused = 0",
        arguments: [name, tokenSerial])
      guard db.changesCount > 0 else { return .stale }
      try Self.log(.sinkRefused(HostEvent.SinkRefusal(sink: name)), db)
      return .stopped
    }
  }
}
