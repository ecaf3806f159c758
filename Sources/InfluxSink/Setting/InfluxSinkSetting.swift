package import SinkHTTP

/// Which database readings are written to, and how (docs/reference/influx.md). Token or password are the sink's credential.
///
/// ```swift
/// var setting = InfluxSinkSetting(address: "https://influx.example:8086")
/// (setting.organization, setting.bucket) = ("clinic", "readings")
/// let sink = InfluxSink(try setting.checked(in: place))
/// ```
package struct InfluxSinkSetting: Sendable, Hashable {
  /// The interface that the database has.
  package enum Version: String, Sendable, Hashable, Codable, CaseIterable {
    /// `/write`, with a database.
    case one = "1"
    /// `/api/v2/write`, with an organisation and a bucket.
    case two = "2"
  }

  /// How the database is reached.
  package var reach: SinkReach
  /// The interface that it has.
  package var version = Version.two
  /// Of version 2: the organisation.
  package var organization: String?
  /// Of version 2: the bucket.
  package var bucket: String?
  /// Of version 1: the database.
  package var database: String?
  /// Of version 1: the retention policy; nil for the database's own.
  package var retentionPolicy: String?
  /// Of version 1: the user whose password the credential is.
  package var user: String?
  /// What keeps two readings of one time apart.
  package var identity = PointIdentity.tag
  /// The tag `subject`; nil for one that is made of the user's id and does not show it.
  package var subject: String?

  /// A setting for an address, with defaults for all else.
  package init(address: String) { reach = SinkReach(address) }

  /// The members as they are written.
  enum Member: String, CodingKey {
    case version, bucket, database, user, identity, subject
    case organization = "org"
    case retentionPolicy = "retention_policy"
  }
}

extension InfluxSinkSetting: Codable {
  /// Reads a setting; what is left out has its default.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    reach = try SinkReach(from: decoder)
    version = try members.decodeIfPresent(Version.self, forKey: .version) ?? version
    organization = try members.decodeIfPresent(String.self, forKey: .organization)
    bucket = try members.decodeIfPresent(String.self, forKey: .bucket)
    database = try members.decodeIfPresent(String.self, forKey: .database)
    retentionPolicy = try members.decodeIfPresent(String.self, forKey: .retentionPolicy)
    user = try members.decodeIfPresent(String.self, forKey: .user)
    identity = try members.decodeIfPresent(PointIdentity.self, forKey: .identity) ?? identity
    subject = try members.decodeIfPresent(String.self, forKey: .subject)
  }

  /// Writes a setting; what has its default is left out.
  package func encode(to encoder: any Encoder) throws {
    try reach.encode(to: encoder)
    var members = encoder.container(keyedBy: Member.self)
    if version != .two { try members.encode(version, forKey: .version) }
    try members.encodeIfPresent(organization, forKey: .organization)
    try members.encodeIfPresent(bucket, forKey: .bucket)
    try members.encodeIfPresent(database, forKey: .database)
    try members.encodeIfPresent(retentionPolicy, forKey: .retentionPolicy)
    try members.encodeIfPresent(user, forKey: .user)
    if identity != .tag { try members.encode(identity, forKey: .identity) }
    try members.encodeIfPresent(subject, forKey: .subject)
  }
}
