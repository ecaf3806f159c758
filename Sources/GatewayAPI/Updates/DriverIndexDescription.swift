/// An index of packages that was written, as `--json` shows it.
public struct DriverIndexDescription: Codable, Sendable, Hashable {
  /// A package that it offers.
  public struct Package: Codable, Sendable, Hashable {
    /// The package's id.
    public var name: String
    /// The version.
    public var version: String
    /// On how many of a hundred gateways it is installed by itself.
    public var percentage: Int
    /// `stable` or `beta`.
    public var channel: String

    package init(name: String, version: String, percentage: Int, channel: String) {
      (self.name, self.version, self.percentage, self.channel) = (name, version, percentage, channel)
    }
  }

  /// Its path.
  public var file: String
  /// Its number.
  public var number: UInt64
  /// When it was made, RFC 3339 in UTC.
  public var issued: String
  /// When it ends, RFC 3339 in UTC.
  public var expires: String
  /// The public keys that have signed it, in hexadecimal.
  public var keys: [String]
  /// What it offers.
  public var packages: [Package]
  /// What nobody is to use any more.
  public var revoked: [RevokedVersionDescription]

  package init(
    file: String, number: UInt64, issued: String, expires: String, keys: [String], packages: [Package],
    revoked: [RevokedVersionDescription]
  ) {
    (self.file, self.number, self.issued, self.expires) = (file, number, issued, expires)
    (self.keys, self.packages, self.revoked) = (keys, packages, revoked)
  }
}
