import HostPrimitives
import StrictJSON

/// What a publisher offers: the content of `index.json` in a folder that is served as it is.
///
/// It is signed as a whole, ends on a day, and has a number that only rises: who serves the folder can neither change it nor
/// bring an old one back, and cannot keep a gateway from noticing for long that nothing new comes.
package struct UpdateIndex: Sendable, Hashable {
  /// For whom a version is meant.
  package enum Channel: String, Sendable, Hashable, CaseIterable {
    /// Everybody.
    case stable
    /// Gateways that take versions that are still being tried.
    case beta
  }

  /// A package that is there to be fetched.
  package struct Package: Sendable, Hashable {
    /// The package's id.
    package var name: String
    /// The version of its drivers.
    package var version: SemanticVersion
    /// What its file is called in the folder of the index.
    package var file: String
    /// How many bytes the file has.
    package var size: Int
    /// The SHA-256 of the file.
    package var sha256: BundleHash
    /// The driver contract that its libraries were built for.
    package var abi: ABIVersion
    /// The oldest MeterHost that it is meant for.
    package var host: SemanticVersion
    /// For whom it is meant.
    package var channel: Channel
    /// On how many of a hundred gateways it is installed by itself.
    package var percentage: Int
    /// What has changed, for people.
    package var changelog: String

    /// A package from its parts.
    package init(
      name: String, version: SemanticVersion, file: String, size: Int, sha256: BundleHash, abi: ABIVersion,
      host: SemanticVersion, channel: Channel, percentage: Int, changelog: String
    ) {
      (self.name, self.version, self.file, self.size) = (name, version, file, size)
      (self.sha256, self.abi, self.host, self.channel) = (sha256, abi, host, channel)
      (self.percentage, self.changelog) = (percentage, changelog)
    }
  }

  /// The number of this index; a later one has a higher number.
  package var number: UInt64
  /// When it was made, microseconds since 1970-01-01T00:00Z.
  package var issuedMicroseconds: Int64
  /// From when on it says nothing any more, microseconds since 1970-01-01T00:00Z.
  package var expiresMicroseconds: Int64
  /// The key that has signed it.
  package var key: PublisherKey
  /// What is offered.
  package var packages: [Package]
  /// What nobody is to use.
  package var revoked: [RevokedVersion]

  /// An index from its parts.
  package init(
    number: UInt64, issuedMicroseconds: Int64, expiresMicroseconds: Int64, key: PublisherKey, packages: [Package],
    revoked: [RevokedVersion]
  ) {
    (self.number, self.key, self.packages, self.revoked) = (number, key, packages, revoked)
    (self.issuedMicroseconds, self.expiresMicroseconds) = (issuedMicroseconds, expiresMicroseconds)
  }

  /// The version of the format.
  static let format: UInt64 = 1
  /// What it is called in the folder.
  package static let name = "index.json"
  /// What its signatures are called.
  package static let signatureName = "index.json.sig"
  /// Largest index, in bytes.
  package static let sizeLimit = 1 << 20
  /// Most packages of an index.
  package static let packageLimit = 1_000
  /// Most revoked versions of an index.
  static let revocationLimit = 4_096
  /// Bytes of a changelog.
  package static let changelogLimit = RegistryLimits.text
  /// The longest time for which an index counts: one that never ends would be no protection.
  package static let longestMicroseconds: Int64 = 400 * 86_400_000_000

  /// The index as it is written.
  package var bytes: [UInt8] {
    PackageJSON.object([
      ("index_version", .number(Self.format)), ("number", .number(number)),
      ("issued", .text(CivilMoment.utcSeconds(microseconds: issuedMicroseconds))),
      ("expires", .text(CivilMoment.utcSeconds(microseconds: expiresMicroseconds))), ("key", .text("\(key)")),
      ("packages", .list(packages.map(\.json))), ("revoked", .list(revoked.map(\.json))),
    ]).bytes
  }

  /// What is signed: the first line keeps it apart from everything else that a key may sign.
  package static func statement(_ bytes: [UInt8]) -> [UInt8] { Array("MeterHost driver index 1\n".utf8) + bytes }
}

extension UpdateIndex.Package {
  fileprivate var json: PackageJSON {
    .object([
      ("name", .text(name)), ("version", .text("\(version)")), ("file", .text(file)), ("size", .number(UInt64(size))),
      ("sha256", .text("\(sha256)")),
      ("abi", .object([("major", .number(UInt64(abi.major))), ("minor", .number(UInt64(abi.minor)))])),
      ("host", .text("\(host)")), ("channel", .text(channel.rawValue)), ("percentage", .number(UInt64(percentage))),
      ("changelog", .text(changelog)),
    ])
  }
}
