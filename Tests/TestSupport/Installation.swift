public import Foundation

/// MeterHost laid out as scripts/build does it, from what the build has made, once a process.
public struct Installation: Sendable {
  /// What the build has not made.
  public struct Missing: Error {
    /// Which file.
    public let file: String
  }

  /// The folder with `bin`, `lib`, `libexec` and `share`.
  public let root: URL

  /// The installation of this process.
  public static func shared() throws -> Installation { try made.get() }

  /// An installation of its own, for a test that damages it.
  public init() throws {
    root = FileManager.default.temporaryDirectory.appending(path: "mh-\(UUID().uuidString.prefix(8))")
    for folder in ["bin", "libexec/meterhost", "lib/meterhost/drivers", "share/meterhost", "lib/meterhost/registry.d"] {
      try FileManager.default.createDirectory(
        at: root.appending(path: folder), withIntermediateDirectories: true)
    }
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    for program in ["meterhost", "meterhost-receiver"] {
      try place(products.appending(path: program), "bin/\(program)")
    }
    for program in ["meterhost-worker", "meterhost-driver-probe"] {
      try place(products.appending(path: program), "libexec/meterhost/\(program)")
    }
    for driver in BuildProducts.allBundles {
      try copy(products.appending(path: "libmh-\(driver).so"), "lib/meterhost/drivers/libmh-\(driver).so")
    }
    try copy(CompiledBundle.root.appending(path: "registry.json"), "lib/meterhost/registry.json")
    try copy(CompiledBundle.root.appending(path: "pictures"), "lib/meterhost/pictures")
    try BuildProducts.copyAssets(to: root.appending(path: "lib/meterhost"))
    try copy(CompiledBundle.root.appending(path: "SDK/meters"), "share/meterhost/meters")
    try copy(CompiledBundle.root.appending(path: "SDK"), "share/meterhost/sdk")
    try seal()
  }

  /// The program.
  public var program: URL { root.appending(path: "bin/meterhost") }
  /// The receiver's program.
  public var receiver: URL { root.appending(path: "bin/meterhost-receiver") }
  /// The worker.
  public var worker: URL { root.appending(path: "libexec/meterhost/meterhost-worker") }
  /// The sealed registry.
  public var registry: URL { root.appending(path: "lib/meterhost/registry.json") }
  /// An empty drop-in folder.
  public var fragments: URL { root.appending(path: "lib/meterhost/registry.d") }
  /// The virtual meters.
  public var meters: URL { root.appending(path: "share/meterhost/meters") }
  /// A driver's library.
  public func library(_ driver: String) -> URL { root.appending(path: "lib/meterhost/drivers/libmh-\(driver).so") }

  private static let made: Result<Installation, any Error> = Result {
    let installation = try Installation()
    atexit { if case .success(let installation) = Installation.made { installation.remove() } }
    return installation
  }

  /// Removes the installation.
  public func remove() { try? FileManager.default.removeItem(at: root) }

  private func copy(_ source: URL, _ path: String) throws {
    guard FileManager.default.fileExists(atPath: source.path) else { throw Missing(file: source.path) }
    try FileManager.default.copyItem(at: source, to: root.appending(path: path))
  }

  /// A second name where the file system allows it: debug programs are large.
  private func place(_ source: URL, _ path: String) throws {
    guard link(source.path, root.appending(path: path).path) != 0 else { return }
    try copy(source, path)
  }

  private func seal() throws {
    let sealed = try ChildProcess.run(CompiledBundle.root.appending(path: "scripts/seal-registry"), [registry.path])
    guard sealed.status == 0 else { throw Missing(file: "a sealed registry: \(sealed.err)") }
  }
}

/// A folder of its own for one test: state, air and whatever the test puts there.
public struct Sandbox: Sendable {
  /// The folder; short, because sockets lie in it.
  public let root: URL

  /// A new folder.
  public init() throws {
    root = FileManager.default.temporaryDirectory.appending(path: "mhs-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
  }

  /// Removes the folder.
  public func remove() { try? FileManager.default.removeItem(at: root) }

  /// A path in the folder.
  public func path(_ name: String) -> String { root.appending(path: name).path }

  /// Writes a file and gives its path.
  public func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
    if mode & 0o100 == 0 {
      try Data(text.utf8).write(to: root.appending(path: name))
    } else {
      try WrittenProgram.write(text, to: path(name))
    }
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    return path(name)
  }

  /// Runs a body when the machine has room for it, and removes the folder.
  public static func with<Value>(_ body: (Sandbox) async throws -> Value) async throws -> Value {
    try await Crowd.machine.join {
      let sandbox = try Sandbox()
      defer { sandbox.remove() }
      return try await body(sandbox)
    }
  }
}
