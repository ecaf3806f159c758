import Foundation

/// What a turn has come to.
struct TurnResult: Sendable {
  var ending: RadioSchedule.Ending
  var summary: ReadSummary
  /// The operation's last event; nil when the meter was another one.
  var event: Result<ReadEvent, BluetoothError>?
  /// Which other one, where the registry knows it.
  var other: String?
  /// The meter, when it came so far that it was known.
  var meter: UUID?

  /// Whether the meter was read to its end; it may have had nothing new.
  var isComplete: Bool { if case .success(.completed) = event { true } else { false } }

  /// Why it failed; nil when it did not, or was stopped.
  var error: BluetoothError? {
    guard case .failure(let error) = event, error.code != .cancelled else { return nil }
    return error
  }
}
