import Foundation
import MeterDrivers
import StrictJSON

/// The registry that installing a package would make, in a folder that is thrown away: what an installation would be
/// refused for shows before. The drop-in folder is only read.
///
/// Families that the package would share with other publishers' drivers are not judged: whose it is, is known when it
/// is installed.
struct PackageProspect {
  let content: PackageContent
  let sources: RegistrySources

  /// Loads the registry without the package and with it.
  ///
  /// - Parameter passesOverDrafts: Fragments with one of the package's drivers are left out: they are what its author
  ///   builds with, and not what others have.
  /// - Throws: `PackageError`, as an installation would.
  func check(passesOverDrafts: Bool) throws(PackageError) {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("mh-prospect-\(UUID().uuidString.prefix(12))")
    defer { try? FileManager.default.removeItem(at: folder) }
    let own = folder.path + "/" + ownName
    let before: Registry
    let after: Registry
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try linkOthers(to: folder, passesOverDrafts: passesOverDrafts)
      var prospective = sources
      prospective.fragments = folder.path
      before = try Registry.load(prospective)
      try Data(fragment()).write(to: URL(fileURLWithPath: own))
      after = try Registry.load(prospective)
    } catch let error as RegistryError {
      throw PackageError(.registryProblem, error.message)
    } catch {
      throw PackageError(
        .packageFolder, "\(folder.path) cannot be written: \(error.localizedDescription)",
        cure: "make room in the folder of temporary files, or name another one with TMPDIR")
    }
    let known = Set(before.problems.map(\.message))
    if let problem = after.problems.first(where: { $0.file == own || !known.contains($0.message) }) {
      throw PackageError(
        .registryProblem,
        problem.message.replacingOccurrences(of: own, with: "\(content.name): \(PackagePath.fragment)")
          .replacingOccurrences(of: folder.path, with: sources.fragments ?? folder.path))
    }
    let ties = Set(before.ties().map { Set($0) })
    if let tie = after.ties().first(where: { !ties.contains(Set($0)) }) {
      let names = tie.map { "\(after.peripheral(id: $0.id, kind: $0.kind)?.name ?? "") (\($0))" }
      throw PackageError(
        .ambiguousMatch, "the match rules of \(names.joined(separator: " and ")) tie: neither would be read passively",
        cure: "make the rule more specific, or remove or disable the package of the other one")
    }
  }

  /// What the fragment is called when the package is installed.
  private var ownName: String { content.manifest.id + ".json" }

  /// The other fragments under their names: they are read in the order of these.
  private func linkOthers(to folder: URL, passesOverDrafts: Bool) throws {
    guard let place = sources.fragments, FileManager.default.fileExists(atPath: place) else { return }
    for name in try FileManager.default.contentsOfDirectory(atPath: place)
    where name.hasSuffix(".json") && !name.hasPrefix(".") && name != ownName {
      let file = URL(fileURLWithPath: place).appendingPathComponent(name)
      if passesOverDrafts, isDraft(file) { continue }
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent(name), withDestinationURL: file)
    }
  }

  private func isDraft(_ file: URL) -> Bool {
    guard let data = try? Data(contentsOf: file), let root = try? Self.root([UInt8](data)) else { return false }
    let drivers = root.member("drivers")?.elements ?? []
    return drivers.contains { driver in content.manifest.drivers.contains { $0 == driver.member("id")?.asString } }
  }

  /// The package's fragment with the hashes that an installation writes into it: without them it is refused.
  private func fragment() throws -> [UInt8] {
    var bytes = content.files[PackagePath.fragment] ?? []
    let root = try Self.root(bytes)
    let libraries = content.manifest.libraries.values.sorted()
    var hashes: [(place: Int, of: [UInt8])] = []
    for driver in root.member("drivers")?.elements ?? [] {
      if let library = driver.member("library"), let path = libraries.first {
        hashes.append((library.end, content.files[path] ?? []))
      }
      for asset in driver.member("assets")?.elements ?? [] {
        guard let file = asset.member("file"), let path = file.asString else { continue }
        hashes.append((file.end, content.files[path] ?? []))
      }
    }
    for hash in hashes.sorted(by: { $0.place > $1.place }) {
      bytes.insert(contentsOf: Array(", \"sha256\": \"\(BundleHash(of: hash.of))\"".utf8), at: hash.place)
    }
    return bytes
  }

  private static func root(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONElement {
    try JSONDocument(bytes, rules: JSONRules(depth: JSONRules.greatestDepth)).root
  }
}

extension JSONElement {
  /// The place behind a string.
  fileprivate var end: Int { offset + count + 2 }
}
