import Foundation
import MeterDrivers

/// What lies in a bundle's folder, told apart by content and not by name: fragments of a registry, virtual meters,
/// vectors, libraries. What an export is only its driver can tell: those lie in a folder of their own.
struct BundleFolder {
  private(set) var fragments: [URL] = []
  private(set) var meters: [URL] = []
  private(set) var vectors: [URL] = []
  private(set) var libraries: [URL] = []
  let exports: [URL]
  let root: URL

  /// Folders that builds fill with what is nobody's business here.
  private static let passedOver: Set<String> = [
    ".git", ".build", "CMakeFiles", "node_modules", "corpus", BundleExports.folder,
  ]
  private static let deepest = 4
  private static let longest = 4 << 20

  init(_ path: String) throws(ConformanceError) {
    root = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    exports = BundleExports.files(of: root)
    try visit(root, depth: 0)
    fragments = try newest(fragments)
    meters = different(meters)
    vectors = different(vectors)
    guard !fragments.isEmpty else {
      throw ConformanceError(
        .unknownTarget,
        "\(path) holds no registry fragment (a *.json with \"registry_version\"); name the bundle's folder, "
          + "its library, or an installed driver's id")
    }
  }

  private mutating func visit(_ folder: URL, depth: Int) throws(ConformanceError) {
    // A copy of the SDK brings meters and templates of its own.
    if depth > 0, FileManager.default.fileExists(atPath: folder.path + "/include/meterhost/driver.h") { return }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []
    for name in names where !Self.passedOver.contains(name) {
      let place = folder.appendingPathComponent(name)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder) else { continue }
      if isFolder.boolValue {
        if depth < Self.deepest { try visit(place, depth: depth + 1) }
      } else if name.hasSuffix(".so") {
        libraries.append(place)
      } else if name.hasSuffix(".json") {
        try sort(place, isAuthors: depth == 0)
      }
    }
  }

  /// A build may lay a copy of the fragment beside the library: of those with the same drivers, the one whose library is
  /// where it says, the newest if there are several.
  ///
  /// - Throws: ``ConformanceError`` with code `not_built` when a copy is another one than what it was made of: what the
  ///   suite found would be about a bundle that the author has left behind.
  private func newest(_ fragments: [URL]) throws(ConformanceError) -> [URL] {
    var chosen: [[String]: URL] = [:]
    for fragment in fragments {
      let drivers = drivers(of: fragment)
      let key = drivers.compactMap { $0["id"] as? String }.sorted()
      guard let other = chosen[key] else {
        chosen[key] = fragment
        continue
      }
      let (isBuilt, otherIsBuilt) = (hasLibraries(fragment), hasLibraries(other))
      if isBuilt != otherIsBuilt { try checkCopy(isBuilt ? fragment : other, of: isBuilt ? other : fragment) }
      if isBuilt && !otherIsBuilt || isBuilt == otherIsBuilt && date(fragment) > date(other) { chosen[key] = fragment }
    }
    return fragments.filter { chosen.values.contains($0) }
  }

  /// A build adds hashes to its copy of a fragment, and lays the library beside it; all else is the author's.
  private func checkCopy(_ copy: URL, of fragment: URL) throws(ConformanceError) {
    guard !NSDictionary(dictionary: written(copy)).isEqual(to: written(fragment)) else { return }
    func place(_ file: URL) -> String { String(file.path.dropFirst(root.path.count + 1)) }
    throw ConformanceError(
      .notBuilt, "\(place(copy)) is older than \(place(fragment)), or was made of another one; run make")
  }

  /// A fragment without what a build writes into it.
  private func written(_ fragment: URL) -> [String: Any] {
    var object = self.object(fragment)
    object["drivers"] = drivers(of: fragment).map { driver in
      var driver = driver.filter { !["sha256", "signatures", "library"].contains($0.key) }
      if let assets = driver["assets"] as? [[String: Any]] {
        driver["assets"] = assets.map { asset in asset.filter { $0.key != "sha256" } }
      }
      return driver
    }
    return object
  }

  private func object(_ fragment: URL) -> [String: Any] {
    let object = (try? Data(contentsOf: fragment)).flatMap { try? JSONSerialization.jsonObject(with: $0) }
    return object as? [String: Any] ?? [:]
  }

  private func drivers(of fragment: URL) -> [[String: Any]] { object(fragment)["drivers"] as? [[String: Any]] ?? [] }

  private func hasLibraries(_ fragment: URL) -> Bool {
    let folder = fragment.deletingLastPathComponent()
    return drivers(of: fragment).compactMap { $0["library"] as? String }
      .allSatisfy { FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path) }
  }

  private func different(_ files: [URL]) -> [URL] {
    var seen: Set<Data> = []
    return files.filter { file in (try? Data(contentsOf: file)).map { seen.insert($0).inserted } ?? false }
  }

  /// - Parameter isAuthors: The file lies right in the folder, where only the author's own are: one that is broken is no
  ///   reason to do without it.
  private mutating func sort(_ file: URL, isAuthors: Bool) throws(ConformanceError) {
    guard let data = try? Data(contentsOf: file), data.count <= Self.longest,
      let content = try? JSONSerialization.jsonObject(with: data)
    else {
      guard isAuthors, !file.lastPathComponent.hasPrefix(".") else { return }
      throw ConformanceError(.unreadable, "\(file.path) is no JSON, or longer than 4 MiB; correct it, or take it away")
    }
    if let object = content as? [String: Any] {
      if object["registry_version"] != nil {
        fragments.append(file)
      } else if object["advertisement"] != nil || object["behaviour"] != nil {
        meters.append(file)
      }
    } else if let list = content as? [[String: Any]], list.contains(where: { $0["hex"] != nil }) {
      vectors.append(file)
    }
  }

  /// The library that a fragment names: where it says, else the newest of that name in the folder.
  func library(_ path: String, of fragment: URL) -> URL? {
    let named = fragment.deletingLastPathComponent().appendingPathComponent(path)
    if FileManager.default.fileExists(atPath: named.path) { return named }
    return libraries.filter { $0.lastPathComponent == named.lastPathComponent }.max { date($0) < date($1) }
  }

  /// A file that goes with a library: where the fragment says, else where it says of the bundle's folder, as a build may
  /// have laid its copy of the fragment elsewhere.
  func asset(_ path: String, of fragment: URL) -> URL? {
    [fragment.deletingLastPathComponent(), root].map { $0.appendingPathComponent(path) }
      .first { FileManager.default.fileExists(atPath: $0.path) }
  }

  private func date(_ file: URL) -> Date {
    (try? file.resourceValues(forKeys: [.contentModificationDateKey]))?.contentModificationDate ?? .distantPast
  }
}
