import Foundation
import HostErrors

/// What the unit, or whoever starts the program, says by variables. Options of the command line win over them.
struct Environment: Sendable {
  private static let prefix = "METERHOST_RECEIVER_"

  let variables: [String: String]

  init(_ variables: [String: String] = ProcessInfo.processInfo.environment) { self.variables = variables }

  /// The variable of an option: of `--tls-key` it is `METERHOST_RECEIVER_TLS_KEY`. An empty one is none.
  func text(_ option: String) -> String? {
    let value = variables[Self.prefix + Self.name(of: option)]
    return value?.isEmpty == false ? value : nil
  }

  /// - Throws: ``ProgramError`` `environment` for what is no number.
  func number(_ option: String) throws(ProgramError) -> Int? {
    guard let text = text(option) else { return nil }
    guard let number = Int(text) else { throw wrong(option, text, "a number") }
    return number
  }

  /// - Throws: ``ProgramError`` `environment` for what is neither yes nor no.
  func flag(_ option: String) throws(ProgramError) -> Bool {
    switch text(option)?.lowercased() {
    case nil, "no", "false", "0": false
    case "yes", "true", "1": true
    case let other?: throw wrong(option, other, "yes or no")
    }
  }

  /// The file of a credential that systemd hands to the unit (systemd.exec(5)), where it is there.
  func credential(_ name: String) -> String? {
    guard let folder = variables["CREDENTIALS_DIRECTORY"], !folder.isEmpty else { return nil }
    let path = "\(folder)/\(name)"
    return access(path, R_OK) == 0 ? path : nil
  }

  private static func name(of option: String) -> String { option.uppercased().replacing("-", with: "_") }

  private func wrong(_ option: String, _ text: String, _ wanted: String) -> ProgramError {
    ProgramError(
      .usage, code: "environment", "\(Self.prefix)\(Self.name(of: option)) must be \(wanted), not \(text.prefix(60))")
  }
}
