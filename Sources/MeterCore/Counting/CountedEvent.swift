package import Foundation

/// What a host does, as somebody hears it who counts: no health value, no user and no reading's name.
///
/// What has to be heard of once, also after a crash, is in the event log (``HostEvent``). This is told to whoever listens at that moment,
/// and kept by nobody.
package enum CountedEvent: Sendable, Hashable {
  /// A transaction that has changed something is on disk.
  case committed(took: Duration)
  /// A reading is on disk.
  case filed(RecordType, FiledState)
  /// A read is over: one that a person asked for, or a turn of passive reading. The outcome is a stable word.
  case read(peripheral: UInt32, outcome: String)
  /// A radio has had its turn with a meter, whoever asked for it.
  case turnEnded(took: Duration)
  /// A pairing that a person asked for is over. The outcome is a stable word.
  case paired(outcome: String)
  /// A meter has said how full its battery is, from 0 to 1.
  case batteryTold(meter: UUID, ratio: Double)
  /// A worker has got a driver.
  case workerStarted(driver: String)
  /// A driver or its worker has failed; the rule is that of the contract, where one was broken.
  case workerFailed(driver: String, rule: String?)
  /// A receiver was asked to take a reading. The delay is from the measurement until it had it, in microseconds; nil where it has not, or
  /// nobody can say.
  case sent(sink: String, SendOutcome, delayMicroseconds: Int64?)
  /// A receiver was asked to take a picture.
  case sentImage(sink: String, SendOutcome)
  /// How long a receiver took to answer, and how far its clock is ahead where it says so.
  case answered(sink: String, took: Duration, skewSeconds: Int?)
}

/// What has become of a reading when it was filed.
package enum FiledState: String, Sendable, Hashable, CaseIterable {
  /// It waits for its receivers.
  case pending
  /// It waits for a person.
  case held
  /// It is never delivered.
  case excluded
  /// It was known, and is delivered again with another content.
  case revised

  init(_ disposition: Disposition) {
    self =
      switch disposition {
      case .pending: .pending
      case .held: .held
      case .excluded: .excluded
      }
  }
}

/// What has come of sending something to a receiver.
package enum SendOutcome: String, Sendable, Hashable, CaseIterable {
  /// It has it.
  case delivered
  /// Somebody in between has it.
  case unconfirmed
  /// Not now; it is sent again.
  case retry
  /// It will never take it.
  case refused
  /// It refuses the credential.
  case credentialRefused = "credential_refused"
}
