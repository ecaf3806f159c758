/// A question to the person at the gateway; answer it with ``PeripheralController/answer(_:_:)`` or refuse it.
public struct ReadQuestion: Sendable, Hashable, Identifiable {
  /// What is asked for.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Decimal digits: a passkey, a consent code.
    case passkey
    /// Hexadecimal digits; spaces, colons and hyphens between them do not count.
    case hexKey = "hex_key"
    /// The text of a QR code, scanned or typed.
    case qr
    /// One of ``ReadQuestion/choices``, by its number from 1.
    case choice
  }

  /// Names the question; every question has a new one.
  public let id: UInt64
  /// What is asked for.
  public let kind: Kind
  /// The words to show.
  public let prompt: String
  /// The answers to choose from; empty for the other kinds.
  public let choices: [String]
  /// The answer must not be shown while it is typed, nor logged.
  public let isSecret: Bool
  /// Least and greatest length: digits, or bytes of a text.
  public let lengths: ClosedRange<Int>
  /// Why the answer before was not taken; nil for the first question.
  public let problem: String?
}
