public import Foundation

/// Compiles the C bundles of Tests/Fixtures with the system's or the toolchain's compiler, each variant once a process.
public enum CompiledBundle {
  /// A compiler said no, or there is none.
  public struct Failure: Error {
    /// Its words.
    public let message: String

    /// A failure in words.
    public init(message: String) { self.message = message }
  }

  /// Compiles sources of a folder of Tests/Fixtures into a shared object.
  ///
  /// - Parameters:
  ///   - sources: File names.
  ///   - folder: The folder's name.
  ///   - defines: Macros to define.
  ///   - isMapped: Linked with SDK/driver.map, as a bundle should be.
  ///   - extra: More arguments of the compiler.
  public static func make(
    _ sources: [String] = ["drivers.c"], in folder: String = "DriverBundle", defines: [String] = [],
    isMapped: Bool = true, extra: [String] = []
  ) throws -> URL {
    lock.lock()
    defer { lock.unlock() }
    let key = (sources + [folder] + defines + ["\(isMapped)"] + extra).joined(separator: " ")
    if let known = built[key] { return known }
    let folder = root.appending(path: "Tests/Fixtures/\(folder)")
    let output = try outputFolder.get().appending(path: "bundle\(built.count).so")
    var arguments = ["clang", "-shared", "-fPIC", "-O1", "-std=gnu11", "-fvisibility=hidden", "-o", output.path]
    arguments += ["-I", root.appending(path: "SDK/include").path] + defines.map { "-D\($0)" }
    if isMapped { arguments.append("-Wl,--version-script=\(root.appending(path: "SDK/driver.map").path)") }
    arguments += ["-Wl,-z,noexecstack"] + sources.map { folder.appending(path: $0).path } + extra
    try run(arguments)
    built[key] = output
    return output
  }

  /// Compiles a program or a shared object from a source of its own, as strictly as a driver's author should.
  ///
  /// - Parameters:
  ///   - source: The C file; those that are named after it, `NAME_*.c` beside `NAME.c`, belong to it.
  ///   - include: The folder with the headers `meterhost/*.h`.
  ///   - isBundle: Linked as a bundle; otherwise a program.
  ///   - defines: Macros to define.
  public static func compile(
    _ source: URL, include: URL, isBundle: Bool, defines: [String] = []
  ) throws -> URL {
    lock.lock()
    defer { lock.unlock() }
    let key = ([source.path, include.path] + defines).joined(separator: " ")
    if let known = built[key] { return known }
    let output = try outputFolder.get().appending(path: "own\(built.count)\(isBundle ? ".so" : "")")
    let parts = try FileManager.default.contentsOfDirectory(atPath: source.deletingLastPathComponent().path).filter {
      $0.hasPrefix(source.deletingPathExtension().lastPathComponent + "_") && $0.hasSuffix(".c")
    }
    let sources = [source] + parts.sorted().map { source.deletingLastPathComponent().appending(path: $0) }
    var arguments = ["clang", "-O1", "-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-o", output.path]
    arguments += ["-I", include.path] + defines.map { "-D\($0)" }
    if isBundle {
      let map = root.appending(path: "SDK/driver.map").path
      arguments += ["-shared", "-fPIC", "-fvisibility=hidden", "-Wl,--version-script=\(map)", "-Wl,-z,noexecstack"]
    }
    try run(arguments + sources.map(\.path) + ["-ldl"])
    built[key] = output
    return output
  }

  /// A copy of a file's bytes after a change, as a file of its own.
  public static func patched(_ original: URL, _ change: (inout [UInt8]) throws -> Void) throws -> URL {
    var bytes = [UInt8](try Data(contentsOf: original))
    try change(&bytes)
    let copy = try outputFolder.get().appending(path: "patched-\(UUID().uuidString).so")
    try Data(bytes).write(to: copy)
    return copy
  }

  /// The package's folder.
  public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static let lock = NSLock()
  // Guarded by `lock`.
  private nonisolated(unsafe) static var built: [String: URL] = [:]

  private static let outputFolder = Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "meterhost-bundles-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  private static func run(_ arguments: [String]) throws {
    let done = try ChildProcess.run(URL(filePath: "/usr/bin/env"), arguments)
    guard done.status == 0 else { throw Failure(message: done.err) }
  }
}
