/// A version that the host has installed by itself, as long as it has to prove itself: kept before it is installed, so that a
/// host that is killed in between knows at its next start what it had begun.
package struct UpdateTrial: Sendable, Hashable, Codable {
  /// How far it is.
  package enum Phase: String, Sendable, Hashable, Codable, CaseIterable {
    /// It is about to be installed, or was, and has not been tried.
    case installing
    /// It was tried and found good, and is watched.
    case watched
  }

  /// The next thing to do.
  package enum Step: Sendable, Hashable {
    /// Nothing.
    case wait
    /// Try it: its self-test, and the recordings.
    case tryOut
    /// It is over: another version is in use, or it has proved itself.
    case forget
  }

  /// The package's id.
  package var package: String
  /// The version.
  package var version: String
  /// The version before.
  package var before: String
  /// When it was begun, microseconds since 1970-01-01T00:00Z.
  package var sinceMicroseconds: Int64
  /// How far it is.
  package var phase = Phase.installing
  /// The last fault that was looked into, microseconds since 1970-01-01T00:00Z; 0: none was.
  package var judgedMicroseconds: Int64 = 0

  /// How long a version is watched: two weeks.
  static let patience: Int64 = 14 * 86_400_000_000

  /// A trial that begins.
  package init(package: String, version: String, before: String, sinceMicroseconds: Int64) {
    (self.package, self.version, self.before) = (package, version, before)
    self.sinceMicroseconds = sinceMicroseconds
  }

  /// What to do next.
  ///
  /// A fault is a reason to try the version out again, and never one to go back by itself: anybody can put a radio on the air
  /// and bring a weak driver to a fault. What decides is what the version does with what this gateway's own meters have said.
  ///
  /// - Parameters:
  ///   - installed: The version in use; nil: the package is gone.
  ///   - lastFault: When a driver of the version last failed, with whatever meter; nil: never.
  ///   - now: Microseconds since 1970-01-01T00:00Z.
  package func step(installed: String?, lastFault: Int64?, now: Int64) -> Step {
    guard installed == version else {
      // Not installed yet: the process that wanted to has not come to it, and the next look begins anew.
      return .forget
    }
    if phase == .installing { return .tryOut }
    if let lastFault, lastFault > judgedMicroseconds { return .tryOut }
    return now - sinceMicroseconds > Self.patience ? .forget : .wait
  }
}
