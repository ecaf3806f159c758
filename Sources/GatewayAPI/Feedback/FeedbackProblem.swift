public import HostErrors
import Foundation

/// Why feedback could not be given.
public struct FeedbackProblem: HostError, Hashable, Codable {
  /// What went wrong, for programs. A later version may have other codes: they are kept by their names.
  public struct Code: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    /// There is no program that shows notifications.
    public static let notifierMissing = Code(rawValue: "notifier_missing")
    /// There is no program that plays sounds.
    public static let playerMissing = Code(rawValue: "player_missing")
    /// The sound file is not there, or is none that can be read.
    public static let soundFile = Code(rawValue: "feedback_sound")
    /// The hook is no program that can be run.
    public static let hookFile = Code(rawValue: "feedback_hook")
    /// A program said that it failed, or died.
    public static let failed = Code(rawValue: "feedback_failed")
    /// A program did not end in time and was killed, or the file system of a file does not answer.
    public static let timeout = Code(rawValue: "feedback_timeout")
    /// The codes that this version knows.
    public static let allCases = [notifierMissing, playerMissing, soundFile, hookFile, failed, timeout]

    /// The code's name.
    public let rawValue: String

    /// A code by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
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
  /// What to do about it, which every problem of feedback says.
  public var hint: String? { cure }
}
