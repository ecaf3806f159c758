import Foundation
package import GatewayAPI
import GatewayEngine
import StrictJSON

/// The configuration file of this machine, or one that was named.
package struct ConfigurationFile: Sendable, Hashable {
  /// Where an installation has it.
  package static let usual = "/etc/meterhost/meterhost.toml"
  /// The variable that names another one.
  package static let variable = "METERHOST_CONFIG"
  private static let largest = 256 << 10

  package let path: String
  /// A file that was named has to be there; the usual one may be missing.
  package let isNamed: Bool

  /// The file that holds.
  ///
  /// - Parameter named: What the command line says.
  package init(named: String?, environment: [String: String]) {
    let variable = environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
    path = URL(fileURLWithPath: named ?? variable ?? Self.usual).standardizedFileURL.path
    isNamed = named != nil || variable != nil
  }

  /// What the file says, and what is wrong with it; a usual file that is missing says nothing.
  package func check() -> (configuration: HostConfiguration, problems: [HostConfiguration.Problem]) {
    guard let facts = FileFacts(following: path) else {
      guard isNamed || FileManager.default.fileExists(atPath: path) else { return (HostConfiguration(), []) }
      return (HostConfiguration(), [.init("there is no such file, or it cannot be looked at")])
    }
    guard facts.isRegular, facts.size <= Self.largest else {
      return (HostConfiguration(), [.init("that is no file, or one of more than \(Self.largest) bytes")])
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      return (HostConfiguration(), [.init("the file cannot be read", hint: "let the host's user read it")])
    }
    var (configuration, problems) = ConfigurationReader.read(Array(data), file: path)
    problems = Self.rights(facts, user: geteuid(), holdsSecret: problems.contains(where: \.isAboutSecret)) + problems
    if !problems.isEmpty { configuration = HostConfiguration() }
    return (configuration, problems)
  }

  /// What is wrong with who can write and read the file: it says which programs the host runs.
  static func rights(_ facts: FileFacts, user: UInt32, holdsSecret: Bool) -> [HostConfiguration.Problem] {
    var problems: [HostConfiguration.Problem] = []
    if facts.owner != 0, facts.owner != user {
      problems.append(
        .init("the file belongs to user \(facts.owner), who could say what the host runs", hint: "`chown root` it"))
    }
    if facts.mode & 0o022 != 0 {
      problems.append(.init("other users can write the file, and say what the host runs", hint: "`chmod go-w` it"))
    }
    if holdsSecret, facts.mode & 0o044 != 0 {
      problems.append(
        .init("other users can read the file, which holds a secret", hint: "get a new secret: this one may be known"))
    }
    return problems
  }

  /// What the file says.
  ///
  /// - Throws: ``GatewayError`` with code `configuration`, which tells the first mistake with its place.
  package func load() throws(GatewayError) -> HostConfiguration {
    let (configuration, problems) = check()
    guard let first = problems.first else { return configuration }
    let more = problems.count == 1 ? "" : ", and \(problems.count - 1) more (`meterhost config check`)"
    throw GatewayError(.usage, code: "configuration", first.text(of: path) + more, hint: first.hint)
  }
}
