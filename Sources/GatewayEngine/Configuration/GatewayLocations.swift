import Foundation
public import MeterDrivers

/// Where a gateway finds what it needs. Explicit settings win over the environment, the environment over the places that an
/// installation uses.
public struct GatewayLocations: Sendable, Hashable {
  /// The registry file.
  public var registry: String
  /// The drop-in folder with registry fragments of third-party drivers.
  public var fragments: String?
  /// The list of trusted publishers.
  public var trust: String
  /// The folder that holds readings, session and cursors.
  public var state: String
  /// The worker program; nil: beside this program or where an installation puts it.
  public var worker: String?

  /// What a caller has set explicitly.
  public struct Settings: Sendable, Hashable {
    /// The registry file.
    public var registry: String?
    /// The drop-in folder.
    public var fragments: String?
    /// The list of trusted publishers.
    public var trust: String?
    /// The state folder.
    public var state: String?
    /// The worker program.
    public var worker: String?

    /// Nothing set.
    public init() {}
  }

  /// Resolves the locations.
  ///
  /// - Parameters:
  ///   - settings: What the caller has set.
  ///   - environment: `METERHOST_REGISTRY`, `METERHOST_REGISTRY_FRAGMENTS`, `METERHOST_TRUST`, `METERHOST_STATE`,
  ///     `METERHOST_WORKER`, `XDG_STATE_HOME` and `HOME` are read.
  ///   - executable: The path of the running program, links resolved.
  ///   - isRoot: Whether the program runs as root, whose state belongs to the machine.
  public init(settings: Settings, environment: [String: String], executable: String, isRoot: Bool) {
    let value = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    registry =
      settings.registry ?? value("METERHOST_REGISTRY")
      ?? Self.installed("lib/meterhost/registry.json", executable) ?? "/usr/lib/meterhost/registry.json"
    let fragments = settings.fragments ?? value("METERHOST_REGISTRY_FRAGMENTS") ?? "/etc/meterhost/registry.d"
    self.fragments = fragments
    // Beside the drop-in folder: whoever may install drivers there says whom to trust for it.
    trust =
      settings.trust ?? value("METERHOST_TRUST")
      ?? URL(fileURLWithPath: fragments).deletingLastPathComponent().appendingPathComponent("trust.json").path
    state =
      settings.state ?? value("METERHOST_STATE") ?? (isRoot ? Self.machineState : nil)
      ?? value("XDG_STATE_HOME").map { $0 + "/meterhost" } ?? Self.state(ofHome: value("HOME") ?? "/var/tmp")
    worker =
      settings.worker ?? value("METERHOST_WORKER")
      ?? Self.installed("libexec/meterhost/meterhost-worker", executable)
  }

  /// The state folder of the machine: root's, and the service's.
  private static let machineState = "/var/lib/meterhost"

  /// The user that the service runs as has the machine's state folder as its home: what a person does as that user is done there.
  private static func state(ofHome home: String) -> String {
    home == machineState ? machineState : home + "/.local/state/meterhost"
  }

  /// What the registry is read from.
  public var registrySources: RegistrySources { RegistrySources(base: registry, fragments: fragments, trust: trust) }

  /// The locations of the running process.
  public init(settings: Settings = Settings()) {
    self.init(
      settings: settings, environment: ProcessInfo.processInfo.environment, executable: Self.runningExecutable,
      isRoot: geteuid() == 0)
  }

  /// The path of the running program, links resolved.
  public static var runningExecutable: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
  }

  /// The folder with the virtual meters that ship with MeterHost; nil when this is no installation.
  public static var shippedMeters: String? { installed("share/meterhost/meters", runningExecutable) }

  /// A file of the installation that the program belongs to: `bin/` and `lib/` are neighbours.
  private static func installed(_ path: String, _ executable: String) -> String? {
    let prefix = URL(fileURLWithPath: executable).deletingLastPathComponent().deletingLastPathComponent()
    let candidate = prefix.appendingPathComponent(path).path
    return FileManager.default.fileExists(atPath: candidate) ? candidate : nil
  }
}
