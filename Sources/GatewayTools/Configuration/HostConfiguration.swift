package import StrictJSON

/// What a configuration file says, each value with its place.
package struct HostConfiguration: Sendable, Hashable {
  /// The value of a key.
  package enum Value: Sendable, Hashable {
    case text(String)
    case texts([String])
    case flag(Bool)
  }

  /// A value, and where it stands.
  package struct Placed: Sendable, Hashable {
    package let value: Value
    /// The place of the value.
    package let position: TextPosition
  }

  /// Something that is wrong in the file.
  package struct Problem: Error, Sendable, Hashable {
    /// Nil: it is about the whole file.
    package let position: TextPosition?
    /// What is wrong.
    package let message: String
    /// What to do about it.
    package let hint: String?
    /// Whether a secret stands in the file.
    let isAboutSecret: Bool

    init(_ message: String, at position: TextPosition? = nil, hint: String? = nil, isAboutSecret: Bool = false) {
      (self.message, self.position, self.hint) = (message, position, hint)
      self.isAboutSecret = isAboutSecret
    }

    /// `FILE:LINE:COLUMN: what is wrong`.
    package func text(of file: String) -> String {
      let place = position.map { ":\($0.line):\($0.column)" } ?? ""
      return "\(shown(file, limit: 1024))\(place): \(message)"
    }
  }

  /// The file; nil: there is none, and nothing is configured.
  package let file: String?
  private let values: [ConfigurationKey: Placed]

  /// Nothing is configured.
  package init() { (file, values) = (nil, [:]) }

  init(file: String, values: [ConfigurationKey: Placed]) {
    self.file = file
    self.values = values
  }

  /// What the file says for a key; nil: nothing.
  package subscript(_ key: ConfigurationKey) -> Placed? { values[key] }

  /// A text that the file says.
  package func text(_ key: ConfigurationKey) -> String? {
    if case .text(let text) = values[key]?.value { text } else { nil }
  }

  /// Texts that the file says.
  package func texts(_ key: ConfigurationKey) -> [String]? {
    if case .texts(let texts) = values[key]?.value { texts } else { nil }
  }

  /// A switch that the file sets.
  package func flag(_ key: ConfigurationKey) -> Bool? {
    if case .flag(let flag) = values[key]?.value { flag } else { nil }
  }
}
