/// What every error of the host says, whatever part of it failed.
public protocol HostError: Error, Sendable {
  /// What happened and what to do, for people.
  var message: String { get }
}
