public import Foundation

/// Where the build has put what the tests run.
public enum BuildProducts {
  /// The folder of the test executable, which is also that of the worker and of the bundles.
  public static var folder: URL {
    let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let isThere = FileManager.default.fileExists(atPath: executable.appending(path: "meterhost-worker").path)
    return isThere ? executable : CompiledBundle.root.appending(path: ".build/debug")
  }

  /// The worker's executable.
  public static var worker: URL { folder.appending(path: "meterhost-worker") }

  /// What registry.json says of a bundle's driver.
  private struct Registered: Decodable {
    struct Asset: Decodable { let file: String }
    let library: String
    let capabilities: [String]
    let assets: [Asset]?
    var name: String { String(((library as NSString).lastPathComponent).dropFirst("libmh-".count).dropLast(3)) }
  }

  private static let registered: [Registered] = {
    struct File: Decodable { let drivers: [Registered] }
    let file = try? Data(contentsOf: CompiledBundle.root.appending(path: "registry.json"))
    return file.flatMap { try? JSONDecoder().decode(File.self, from: $0).drivers } ?? []
  }()

  /// The bundles that registry.json names and that read meters in the air, by what stands between `libmh-` and `.so`.
  public static let registeredBundles = registered.filter { !$0.capabilities.isEmpty }.map(\.name)

  /// Every bundle that registry.json names.
  public static let allBundles = registered.map(\.name)

  /// The files that go with bundles, by their paths in an installation, and where they stand in the tree: those of
  /// `drivers/segment-display` in Plugins/SegmentDisplay/assets.
  public static let assets: [String: URL] = {
    var assets: [String: URL] = [:]
    for file in registered.flatMap({ $0.assets ?? [] }).map(\.file) {
      let parts = file.split(separator: "/")
      guard parts.count > 2 else { continue }
      let folder = parts[1].split(separator: "-").map(\.capitalized).joined()
      let path = "Plugins/\(folder)/assets/\(parts[2...].joined(separator: "/"))"
      assets[file] = CompiledBundle.root.appending(path: path)
    }
    return assets
  }()

  /// Puts the files that go with bundles into the folder of a registry.
  public static func copyAssets(to folder: URL) throws {
    for (path, source) in assets {
      let target = folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: source, to: target)
    }
  }

  /// A first-party bundle, such as `glucose`.
  public static func bundle(_ name: String) -> URL { folder.appending(path: "libmh-\(name).so") }

  /// A script of SDK/meters.
  public static func meterScript(_ name: String) -> URL {
    CompiledBundle.root.appending(path: "SDK/meters/\(name).json")
  }
}
