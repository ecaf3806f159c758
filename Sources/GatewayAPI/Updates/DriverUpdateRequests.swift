/// What a source offers for one installed package, as `--json` shows it.
public struct DriverOfferDescription: Codable, Sendable, Hashable {
  /// The package's id.
  public var package: String
  /// The version in use.
  public var installed: String
  /// The version that is offered; left out when there is none that is newer.
  public var version: String?
  /// `available`, `up_to_date`, `staged`, `gone_back`, `host_too_old`, `contract`, `below_floor`, `revoked` or
  /// `publisher_not_allowed`. A later version may have other words.
  public var standing: String
  /// Why it is not installed by itself; left out where nothing speaks against it.
  public var reason: String?
  /// What has changed, for people.
  public var changelog: String?
  /// `stable` or `beta`.
  public var channel: String?
  /// Where its file is.
  public var address: String?
  /// How many bytes the file has.
  public var size: Int?
  /// The SHA-256 of the file in hexadecimal.
  public var sha256: String?
  /// Why the installed version is not to be used any more; left out when it may be.
  public var revoked: String?
  /// The source that offers it.
  public var source: String

  package init(package: String, installed: String, standing: String, source: String) {
    (self.package, self.installed, self.standing, self.source) = (package, installed, standing, source)
  }
}

/// A version that nobody is to use any more, as its publisher says.
public struct RevokedVersionDescription: Codable, Sendable, Hashable {
  /// The package's id.
  public var package: String
  /// The version.
  public var version: String
  /// Why.
  public var reason: String

  package init(package: String, version: String, reason: String) {
    (self.package, self.version, self.reason) = (package, version, reason)
  }
}

/// What looking for updates has found.
public struct DriverUpdateCheck: Codable, Sendable, Hashable {
  /// What there is for each installed package that a source speaks of.
  public var offers: [DriverOfferDescription]
  /// Versions of installed packages that were revoked.
  public var revoked: [RevokedVersionDescription]
  /// The sources, with what was wrong with each.
  public var sources: [DriverSourceDescription]
  /// Whether the running host installs by itself what is available.
  public var isAutomatic: Bool

  private enum CodingKeys: String, CodingKey {
    case offers, revoked, sources
    case isAutomatic = "automatic"
  }

  package init(
    offers: [DriverOfferDescription], revoked: [RevokedVersionDescription], sources: [DriverSourceDescription],
    isAutomatic: Bool
  ) {
    (self.offers, self.revoked, self.sources, self.isAutomatic) = (offers, revoked, sources, isAutomatic)
  }
}

/// Looks for updates at all sources. Nothing is installed; which index was seen is kept.
public struct DriverUpdateCheckRequest: ControlRequest {
  /// What was found.
  public typealias Answer = DriverUpdateCheck

  /// Its name on the socket.
  public static let name = "drivers.update-check"
  /// Looking twice finds the same.
  public static let isRepeatable = true

  /// Looks.
  public init() {}
}

/// Shows or changes whether the running host installs updates by itself.
public struct DriverUpdateAutoRequest: ControlRequest {
  /// Whether it does now.
  public typealias Answer = Bool

  /// Its name on the socket.
  public static let name = "drivers.update-auto"
  /// What is switched twice is switched.
  public static let isRepeatable = true
  /// Whether it is to; left out: leave it.
  public var automatic: Bool?

  /// Asks, or switches.
  public init(automatic: Bool? = nil) { self.automatic = automatic }
}

/// Tells the host what a command has installed, so that whoever listens to events hears of it.
public struct DriverUpdateNoteRequest: ControlRequest {
  /// Always true.
  public typealias Answer = Bool

  /// Its name on the socket.
  public static let name = "drivers.update-note"
  /// The package's id.
  public var package: String
  /// The version in use now.
  public var version: String
  /// The version before.
  public var before: String

  /// Tells.
  public init(package: String, version: String, before: String) {
    (self.package, self.version, self.before) = (package, version, before)
  }
}
