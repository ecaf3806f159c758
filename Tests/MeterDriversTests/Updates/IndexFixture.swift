import Foundation

@testable import MeterDrivers

/// An index of one version of the example scale, and whoever signs it.
struct IndexFixture {
  static let day: Int64 = 86_400_000_000
  /// 2026-03-01T00:00:00Z.
  static let now: Int64 = 1_772_323_200_000_000

  let pair = PublisherKeyPair()

  func publisher(_ id: String = "example", drivers: [String] = ["org.example."]) -> TrustList.Publisher {
    TrustList.Publisher(id: id, name: "\(id) Ltd", drivers: drivers, keys: [pair.key])
  }

  var list: TrustList { TrustList(publishers: [publisher()]) }

  static func package(
    _ version: String = "1.1.0", name: String = "org.example.scale", percentage: Int = 100,
    channel: UpdateIndex.Channel = .stable, host: SemanticVersion = SemanticVersion(0, 0, 0),
    abi: ABIVersion = ABIVersion(major: 1, minor: 0)
  ) -> UpdateIndex.Package {
    UpdateIndex.Package(
      name: name, version: SemanticVersion(version) ?? SemanticVersion(0, 0, 0), file: "\(name)-\(version).mhdriver",
      size: 4_711, sha256: BundleHash(of: Array(version.utf8)), abi: abi, host: host, channel: channel,
      percentage: percentage, changelog: "Reads the second user, too.\nAnd more.")
  }

  func index(
    number: UInt64 = 7, issued: Int64 = now - day, expires: Int64 = now + 29 * day,
    packages: [UpdateIndex.Package] = [package()], revoked: [RevokedVersion] = []
  ) -> UpdateIndex {
    UpdateIndex(
      number: number, issuedMicroseconds: issued, expiresMicroseconds: expires, key: pair.key, packages: packages,
      revoked: revoked)
  }

  func verified(
    _ index: UpdateIndex, list: TrustList? = nil, memory: IndexMemory? = nil, now: Int64 = now,
    signedBy pairs: [PublisherKeyPair]? = nil
  ) throws(PackageError) -> VerifiedIndex {
    let bytes = index.bytes
    return try VerifiedIndex(
      bytes, signatures: IndexSignatures(of: bytes, by: pairs ?? [pair]).bytes, list: list ?? self.list,
      memory: memory, now: now)
  }
}
