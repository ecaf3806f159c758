import GatewayEngine
package import GatewayAPI
import Foundation
import MeterCore
import MeterDrivers

/// One file for whoever helps: versions, checks, drivers, counts and log lines, without anything that belongs to a person.
/// It is put together from parts that are meant to be in it, never by leaving parts out of a whole.
package struct SupportReport: Sendable, Codable, Hashable {
  package struct Driver: Sendable, Codable, Hashable {
    package var id: String
    package var version: String
    /// SHA-256 of its bundle.
    package var sha256: String?
    /// Whether a package has brought it.
    package var isPackaged: Bool
    /// Whether the registry has it.
    package var isEnabled: Bool
    /// Whether a publisher whom the operator trusts vouches for it.
    package var isVouchedFor: Bool

    private enum CodingKeys: String, CodingKey {
      case id, version, sha256
      case isPackaged = "packaged"
      case isEnabled = "enabled"
      case isVouchedFor = "vouched_for"
    }
  }

  /// The state folder.
  package struct State: Sendable, Codable, Hashable {
    /// Whether there is a session.
    package var session: Bool
    /// Whether the receiver has accepted its token.
    package var validated: Bool
    /// How many further receivers it has.
    package var sinks: Int
    /// Readings by their state.
    package var queue: [String: Int]
    /// How much the queue holds and may hold.
    package var limits: QueueLimitsDescription
    /// The last thousand events, by name.
    package var events: [String: Int]
    /// How many keys and licences are stored.
    package var credentials: Int
    /// How many meters are paired.
    package var paired: Int
  }

  /// What a report holds beyond the usual.
  package struct Options: Sendable, Hashable {
    /// Paired meters with their names and addresses.
    package var hasMeters = false
    /// Lines of a log, as the host writes it.
    package var log: [String] = []

    /// The usual.
    package init() {}
  }

  /// The version of the format.
  package var reportVersion = 1
  /// The host's version and its contract's.
  package var host: String
  /// The kernel, its machine, and the distribution.
  package var system: [String: String]
  /// Parts of the host that are built in.
  package var features: [String]
  /// What the doctor has found.
  package var findings: [DoctorFinding]
  package var drivers: [Driver]
  /// The state folder; nil: it does not exist, or cannot be looked into, as a finding says.
  package var state: State?
  /// Paired meters, where they were asked for.
  package var meters: [PairedDescription]?
  /// The names of recorded sessions; what is in them never is.
  package var recordings: [String]
  /// Lines of the log.
  package var log: [String]

  private enum CodingKeys: String, CodingKey {
    case host, system, features, findings, drivers, state, meters, recordings, log
    case reportVersion = "report_version"
  }

  /// The last lines that are taken of a log.
  static let logLimit = 5_000

  /// Checks whose findings name what belongs to people.
  private static let checksOfState: Set<String> = ["state", "repair"]
  private static let leftOut = "[left out: the state folder could not be looked into]"

  /// Puts a report together.
  init(
    _ locations: GatewayLocations, findings: [DoctorFinding], state: SupportState?, options: Options = Options()
  ) {
    // Without a folder there is nobody yet whom anything could belong to.
    let isUnknown = state == nil && FileManager.default.fileExists(atPath: locations.state)
    var known = state?.privateTexts ?? []
    if options.hasMeters { known.removeAll { text in state?.meters.contains { $0.name == text } == true } }
    let redaction = Redaction(known: isUnknown ? nil : known)
    host = GatewayVersion.text
    system = Self.systemFacts()
    features = HostFeature.allCases.filter(\.isBuiltIn).map(\.rawValue)
    self.findings = findings.map { finding in
      // What is said of the state folder names users and receivers.
      let isLeftOut = isUnknown && Self.checksOfState.contains(finding.check)
      return DoctorFinding(
        check: redaction.text(finding.check), status: finding.status,
        message: isLeftOut ? Self.leftOut : redaction.text(finding.message),
        cure: isLeftOut ? nil : finding.cure.map(redaction.text))
    }
    let installed = (try? Gateway(locations: locations).driverList()) ?? []
    drivers = installed.map {
      Driver(
        id: $0.id, version: $0.version, sha256: $0.sha256, isPackaged: $0.package != nil, isEnabled: $0.isEnabled,
        isVouchedFor: $0.publisher != nil)
    }
    self.state = state.map {
      State(
        session: $0.hasSession, validated: $0.isValidated, sinks: $0.sinks, queue: $0.queue, limits: $0.limits,
        events: $0.events, credentials: $0.credentials, paired: $0.meters.count)
    }
    meters = options.hasMeters ? state?.meters : nil
    recordings = Self.recordings(in: locations.state).map { isUnknown ? Self.leftOut : redaction.text($0) }
    log = options.log.suffix(Self.logLimit).map(redaction.logLine)
  }

  /// The file's content: JSON for people and programs.
  func text() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }

  private static func recordings(in state: String) -> [String] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: "\(state)/recordings")) ?? []
    return names.filter { $0.hasSuffix(".mhrec") }.sorted()
  }

  private static func systemFacts() -> [String: String] {
    var name = utsname()
    uname(&name)
    func text<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }
    var facts = ["kernel": text(name.release), "machine": text(name.machine)]
    let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
    for line in release.split(separator: "\n") where line.hasPrefix("PRETTY_NAME=") {
      facts["distribution"] = line.dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: .init(charactersIn: "\""))
    }
    return facts
  }
}

extension SupportReport {
  /// Writes the file: new, for its owner only.
  ///
  /// - Throws: ``GatewayError`` with code `report_file`: it is there already, or cannot be written.
  package func write(to path: String) throws {
    let content = try text()
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.cannotWrite(path) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do { try file.write(contentsOf: content) } catch {
      unlink(path)
      throw Self.cannotWrite(path)
    }
  }

  private static func cannotWrite(_ path: String) -> GatewayError {
    let words = String(cString: strerror(errno))
    return GatewayError(
      .usage, code: "report_file", "the report cannot be written to \(path) (\(words))",
      hint: "name a new file in a folder that you may write")
  }
}
