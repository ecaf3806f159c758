package import GatewayAPI
import Foundation
import HostPrimitives
package import MeterDrivers

/// The index of a folder of packages: what a publisher serves, and gateways look for updates in.
package struct GatewayIndex: Sendable {
  /// What a publisher says of a new index. What it does not say stays as the last index of the folder has it.
  package struct Wishes: Sendable {
    /// How long it counts.
    package var days = 30
    /// What has changed, by `ID` or `ID@VERSION`.
    package var changelogs: [String: String] = [:]
    /// On how many of a hundred gateways a version is installed by itself, by `ID@VERSION`.
    package var percentages: [String: Int] = [:]
    /// Versions for those who try them, `ID@VERSION`.
    package var beta: [String] = []
    /// The oldest MeterHost for a version, by `ID@VERSION`.
    package var hosts: [String: SemanticVersion] = [:]
    /// What nobody is to use any more, `ID@VERSION`, with the reason.
    package var revoked: [String: String] = [:]

    /// Nothing.
    package init() {}
  }

  private let folder: String

  /// The index of a folder.
  package init(folder: String) { self.folder = folder }

  /// Makes the next index of the folder, signs it and writes both files: the signature first, so that a gateway that comes in
  /// between is refused and comes again.
  ///
  /// - Parameters:
  ///   - keys: Files with the keys to sign with; the first is named in the index.
  ///   - now: Microseconds since 1970-01-01T00:00Z.
  /// - Throws: `PackageError`.
  package func write(
    keys: [String], _ wishes: Wishes, now: Int64
  ) throws(PackageError) -> DriverIndexDescription {
    var pairs: [PublisherKeyPair] = []
    for key in keys { pairs.append(try PublisherKeyPair(file: key)) }
    guard let first = pairs.first, pairs.count <= 8 else {
      throw PackageError(.publisherKey, "an index is signed with one to eight keys", cure: "name one with --key")
    }
    let last = try last()
    let known = Dictionary(
      (last?.packages ?? []).map { ("\($0.name)@\($0.version)", $0) }, uniquingKeysWith: { first, _ in first })
    var packages: [UpdateIndex.Package] = []
    for file in try files() { packages.append(try package(file, wishes, known)) }
    let names = Set(packages.map { "\($0.name)@\($0.version)" })
    for name in wishes.percentages.keys.sorted() + wishes.beta + wishes.hosts.keys.sorted() where !names.contains(name)
    {
      throw PackageError(
        .packageSource, "there is no package \(name) in \(folder)", cure: "write it as ID@VERSION, as in the index")
    }
    let index = UpdateIndex(
      number: (last?.number ?? 0) + 1, issuedMicroseconds: now,
      expiresMicroseconds: now + Int64(wishes.days) * 86_400_000_000, key: first.key,
      packages: packages.sorted { ($0.name, $1.version) < ($1.name, $0.version) },
      revoked: try revoked(wishes, last))
    let bytes = index.bytes
    // What no gateway could read must not take the place of a good one.
    _ = try UpdateIndex(bytes, name: UpdateIndex.name)
    try UpdateFile.write(
      IndexSignatures(of: bytes, by: pairs).bytes, to: "\(folder)/\(UpdateIndex.signatureName)")
    try UpdateFile.write(bytes, to: "\(folder)/\(UpdateIndex.name)")
    return DriverIndexDescription(index, folder: folder, keys: pairs.map { "\($0.key)" })
  }

  /// The index that is there; nil: this is the first.
  private func last() throws(PackageError) -> UpdateIndex? {
    let path = "\(folder)/\(UpdateIndex.name)"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try UpdateIndex(UpdateFile.read(path, limit: UpdateIndex.sizeLimit), name: path)
  }

  private func files() throws(PackageError) -> [String] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      throw PackageError(
        .packageFile, "the folder \(folder) cannot be listed", cure: "check the path and its permissions",
        cause: error.localizedDescription)
    }
    return names.filter { $0.hasSuffix(".\(GatewayPackages.fileExtension)") }.sorted()
  }

  private func package(
    _ file: String, _ wishes: Wishes, _ known: [String: UpdateIndex.Package]
  ) throws(PackageError) -> UpdateIndex.Package {
    guard UpdateIndex.Package.isFileName(file) else {
      throw PackageError(
        .packageSource, "\(file.oneLine(atMost: 100)) has a name that an index cannot have",
        cure: "use letters, digits, dots, dashes and underscores")
    }
    let content = try PackageContent(path: "\(folder)/\(file)")
    guard try !content.signers().isEmpty else {
      throw PackageError(
        .unsigned, "nobody has signed \(file), so no gateway would install it",
        cure: "sign it first: `meterhost driver sign \(file) --key FILE`")
    }
    let (manifest, bytes) = (content.manifest, content.bytes)
    let name = "\(manifest.id)@\(manifest.version)"
    let last = known[name]
    let changelog = wishes.changelogs[name] ?? last?.changelog ?? wishes.changelogs[manifest.id] ?? ""
    return UpdateIndex.Package(
      name: manifest.id, version: manifest.version, file: file, size: bytes.count, sha256: BundleHash(of: bytes),
      abi: manifest.abi, host: wishes.hosts[name] ?? last?.host ?? SemanticVersion(0, 0, 0),
      channel: wishes.beta.contains(name) ? .beta : .stable,
      percentage: wishes.percentages[name] ?? last?.percentage ?? 100, changelog: changelog)
  }

  /// A revocation is never taken back.
  private func revoked(_ wishes: Wishes, _ last: UpdateIndex?) throws(PackageError) -> [RevokedVersion] {
    var revoked = last?.revoked ?? []
    for (name, reason) in wishes.revoked.sorted(by: { $0.key < $1.key }) {
      let parts = name.split(separator: "@", maxSplits: 1).map(String.init)
      guard parts.count == 2, let version = SemanticVersion(parts[1]) else {
        throw PackageError(
          .packageSource, "\"\(name.oneLine(atMost: 100))\" is no version of a package", cure: "write ID@VERSION")
      }
      guard !revoked.contains(where: { $0.package == parts[0] && $0.version == version }) else { continue }
      revoked.append(RevokedVersion(package: parts[0], version: version, reason: reason.oneLine(atMost: 120)))
    }
    return revoked
  }
}

extension DriverIndexDescription {
  fileprivate init(_ index: UpdateIndex, folder: String, keys: [String]) {
    self.init(
      file: "\(folder)/\(UpdateIndex.name)", number: index.number,
      issued: CivilMoment.utcSeconds(microseconds: index.issuedMicroseconds),
      expires: CivilMoment.utcSeconds(microseconds: index.expiresMicroseconds), keys: keys,
      packages: index.packages.map {
        .init(name: $0.name, version: "\($0.version)", percentage: $0.percentage, channel: $0.channel.rawValue)
      }, revoked: index.revoked.map { .init(package: $0.package, version: "\($0.version)", reason: $0.reason) })
  }
}
