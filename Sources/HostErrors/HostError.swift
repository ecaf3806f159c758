/// What every error of the host says, whatever part of it failed.
///
/// ```swift
/// do { try await delivery.finish() } catch let error as any HostError {
///   log("\(error.codeText): \(error.fullMessage)")
///   if let hint = error.hint { log(hint) }
///   if error.kind == .temporary { retryLater() }
/// }
/// ```
public protocol HostError: Error, CustomStringConvertible {
  /// A type of stable names, or `String`.
  associatedtype Code: Sendable
  /// An error, or the words of the system or a driver.
  associatedtype Cause: Sendable = Never

  /// What kind of failure it is.
  var kind: HostErrorKind { get }
  /// The stable name of the failure, for programs.
  var code: Code { get }
  /// The code as it stands in `--json`, where the type of the error is not known.
  var codeText: String { get }
  /// What happened, for people.
  var message: String { get }
  /// What to do about it; nil where the message says it.
  var hint: String? { get }
  /// What lies beneath.
  var cause: Cause? { get }
  /// The message with what a person needs besides: the place, and the cause where the message does not tell it. By default
  /// a cause in words follows the message, and an error beneath does not.
  var fullMessage: String { get }
}

extension HostError {
  /// None.
  public var hint: String? { nil }
  /// The message alone, of an error without a place and without a cause in words.
  public var fullMessage: String { message }
  /// What a person is shown.
  public var description: String { fullMessage }

  /// The message behind its place, with a broken rule and the cause.
  package func fullMessage(at place: String, rule: String? = nil, cause: String?) -> String {
    "\(place): \(message)" + (rule.map { " [rule \($0)]" } ?? "") + cause.inBrackets
  }
}

extension HostError where Code: RawRepresentable<String> {
  /// The code's raw value.
  public var codeText: String { code.rawValue }
}

extension HostError where Code == String {
  /// The code itself, which is a text already.
  public var codeText: String { code }
}

extension HostError where Cause == Never {
  /// None.
  public var cause: Never? { nil }
}

extension HostError where Cause == String {
  /// The message, and behind it in brackets the words of the system or a driver, where there are any.
  public var fullMessage: String { message + cause.inBrackets }
}

extension String? {
  /// The text as it follows a message.
  package var inBrackets: String { map { " (\($0))" } ?? "" }
}
