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

  /// The bundles that registry.json names, by what stands between `libmh-` and `.so`.
  public static let registeredBundles: [String] = {
    struct File: Decodable {
      struct Driver: Decodable { let library: String }
      let drivers: [Driver]
    }
    let file = try? Data(contentsOf: CompiledBundle.root.appending(path: "registry.json"))
    let drivers = file.flatMap { try? JSONDecoder().decode(File.self, from: $0).drivers } ?? []
    return drivers.map { String((($0.library as NSString).lastPathComponent).dropFirst("libmh-".count).dropLast(3)) }
  }()

  /// A first-party bundle, such as `glucose`.
  public static func bundle(_ name: String) -> URL { folder.appending(path: "libmh-\(name).so") }

  /// A script of SDK/meters.
  public static func meterScript(_ name: String) -> URL {
    CompiledBundle.root.appending(path: "SDK/meters/\(name).json")
  }
}
