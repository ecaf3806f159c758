public import HostErrors

/// Why a virtual meter's script cannot be used.
public struct MeterScriptError: HostError, Hashable {
  /// The kinds of failure.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The file cannot be read, or is too long.
    case unreadable
    /// The file is no JSON.
    case notJSON = "not_json"
    /// A key that the script cannot do without is not there.
    case missingKey = "missing_key"
    /// A key is none that the format knows.
    case unknownKey = "unknown_key"
    /// A value has the wrong type or is not allowed.
    case invalidValue = "invalid_value"
  }

  /// What is wrong, for programs.
  public let code: Code
  /// The script's file; empty if the script did not come from a file.
  public internal(set) var file: String
  /// The JSON path of what is wrong, such as `$.services[0].uuid`.
  public let path: String
  /// What is wrong and what is allowed, for people.
  public let message: String

  init(_ code: Code, path: String, message: String, file: String = "") {
    (self.code, self.file, self.path, self.message) = (code, file, path, message)
  }
}

extension MeterScriptError {
  /// It is the fault of the script.
  public var kind: HostErrorKind { .usage }

  /// The message behind the file's name and the JSON path, as far as there are any.
  public var fullMessage: String { [file, path, message].filter { !$0.isEmpty }.joined(separator: ": ") }
}

extension MeterScriptError {
  /// The path in the manner of `$.services[0].uuid`.
  static func text(of path: [any CodingKey]) -> String {
    path.reduce("$") { text, key in
      key.intValue.map { "\(text)[\($0)]" } ?? "\(text).\(key.stringValue)"
    }
  }

  /// The error in the words of this module.
  init(_ error: DecodingError, file: String) {
    switch error {
    case .keyNotFound(let key, let context):
      self.init(
        .missingKey, path: Self.text(of: context.codingPath + [key]), message: "this key is needed", file: file)
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      self.init(
        .invalidValue, path: Self.text(of: context.codingPath), message: "must be \(Self.name(of: type))", file: file)
    case .dataCorrupted(let context) where context.codingPath.isEmpty:
      let reason = context.underlyingError.map { ": \($0)" } ?? ""
      self.init(.notJSON, path: "$", message: context.debugDescription + reason, file: file)
    case .dataCorrupted(let context):
      self.init(
        .invalidValue, path: Self.text(of: context.codingPath), message: context.debugDescription, file: file)
    @unknown default:
      self.init(.invalidValue, path: "$", message: String(describing: error), file: file)
    }
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    default: String(describing: type).hasPrefix("Array") ? "a list" : "an object"
    }
  }
}
