/// What becomes of drivers while the host runs.
extension HostEvent {
  /// A driver package that was updated.
  public struct DriverUpdate: Sendable, Hashable, Codable {
    /// The package's id.
    public let package: String
    /// The version in use now.
    public let version: String
    /// The version before.
    public let before: String
    /// Whether the host has done it by itself.
    public let isAutomatic: Bool

    enum CodingKeys: String, CodingKey {
      case package, version, before
      case isAutomatic = "automatic"
    }

    /// An update.
    package init(package: String, version: String, before: String, isAutomatic: Bool) {
      (self.package, self.version, self.before, self.isAutomatic) = (package, version, before, isAutomatic)
    }
  }

  /// A driver package that the host has gone back from, or has taken out of use, by itself.
  public struct DriverRetreat: Sendable, Hashable, Codable {
    /// The package's id.
    public let package: String
    /// The version that is used no more.
    public let before: String
    /// The version in use now; nil: none is, the package is disabled.
    public let version: String?
    /// Why, for people.
    public let reason: String

    /// A retreat.
    package init(package: String, before: String, version: String?, reason: String) {
      (self.package, self.before, self.version, self.reason) = (package, before, version, reason)
    }
  }
}
