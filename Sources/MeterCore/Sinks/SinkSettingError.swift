public import HostErrors

/// Why a sink's setting cannot be used.
public struct SinkSettingError: HostError, Hashable {
  /// Stable names of the reasons.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// No kind of sink has this name.
    case unknownKind = "unknown_sink_kind"
    /// A setting lacks something, or says something that its kind does not know.
    case setting = "sink_setting"
    /// A kind wants a credential and has none, or knows none and got one.
    case credential = "sink_credential"
  }

  /// The reason.
  public let code: Code
  /// What is wrong, for people.
  public let message: String
  /// What to do about it.
  public let hint: String?
  /// What lies beneath.
  public let cause: String?

  /// An error.
  public init(_ code: Code, _ message: String, hint: String? = nil, cause: String? = nil) {
    (self.code, self.message, self.hint, self.cause) = (code, message, hint, cause)
  }

  /// Somebody has written the setting.
  public var kind: HostErrorKind { .usage }
}

extension SinkSettingError {
  /// A setting that does not say what its kind wants.
  init(reading error: DecodingError, kind: SinkKind) {
    let (what, path): (String, [any CodingKey]) =
      switch error {
      case .keyNotFound(let key, let context): ("has no \(key.stringValue)", context.codingPath)
      case .valueNotFound(_, let context): ("has nothing for \(Self.text(context.codingPath))", [])
      case .typeMismatch(_, let context): ("has another kind of value for \(Self.text(context.codingPath))", [])
      case .dataCorrupted(let context) where !context.codingPath.isEmpty:
        ("has a value for \(Self.text(context.codingPath)) that it cannot be", [])
      default: ("is no JSON of a setting", [])
      }
    let place = path.isEmpty ? "" : " in \(Self.text(path))"
    var hint = "it says " + kind.members.map { $0.isRequired ? $0.name : "[\($0.name)]" }.joined(separator: ", ")
    if case .dataCorrupted(let context) = error,
      case .word(let words)? = kind.members.first(where: { $0.name == context.codingPath.first?.stringValue })?.form
    {
      hint = "it is one of " + words.joined(separator: ", ")
    }
    self.init(.setting, "the setting of the kind \(kind.name) \(what)\(place)", hint: hint)
  }

  private static func text(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
}
