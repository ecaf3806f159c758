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

  /// A first-party bundle, `glucose` or `thermometer`.
  public static func bundle(_ name: String) -> URL { folder.appending(path: "libmh-\(name).so") }

  /// A script of SDK/meters.
  public static func meterScript(_ name: String) -> URL {
    CompiledBundle.root.appending(path: "SDK/meters/\(name).json")
  }
}
