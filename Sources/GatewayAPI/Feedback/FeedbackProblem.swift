public import HostErrors
import Foundation

/// Why feedback could not be given.
public struct FeedbackProblem: HostError, Hashable, Codable {
  /// What went wrong, for programs.
  public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
    /// There is no program that shows notifications.
    case notifierMissing = "notifier_missing"
    /// There is no program that plays sounds.
    case playerMissing = "player_missing"
    /// The sound file is not there, or is none that can be read.
    case soundFile = "feedback_sound"
    /// The hook is no program that can be run.
    case hookFile = "feedback_hook"
    /// A program said that it failed, or died.
    case failed = "feedback_failed"
    /// A program did not end in time and was killed, or the file system of a file does not answer.
    case timeout = "feedback_timeout"
  }

  /// What went wrong.
  public var code: Code
  /// The same for people.
  public var message: String
  /// What to do about it.
  public var cure: String

  package init(_ code: Code, _ message: String, cure: String) {
    (self.code, self.message, self.cure) = (code, message, cure)
  }

  /// It is the fault of the choice, unless it may pass.
  public var kind: HostErrorKind { code == .timeout ? .temporary : .usage }
  /// The cure.
  public var hint: String? { cure }
}
