import GatewayAPI
import Foundation

/// Builds the fuzzer: the driver, the bench and the harness in one program, with AddressSanitizer, for C with
/// UndefinedBehaviorSanitizer too; Swift's own checks are traps.
struct FuzzBuild {
  let target: FuzzTarget
  let kit: AuthoringKit

  private static let sanitizers = "-fsanitize=fuzzer,address,undefined"
  private static let swiftFeatures = [
    "-parse-as-library", "-wmo", "-O", "-g", "-swift-version", "6", "-sanitize=address,fuzzer", "-no-static-stdlib",
    "-enable-experimental-feature", "Embedded", "-enable-experimental-feature", "Lifetimes",
    "-enable-upcoming-feature", "ExistentialAny", "-Xcc", "-fPIC",
  ]

  private var log: URL { target.build.appendingPathComponent("build.log") }
  private var sdk: String { kit.folder }

  /// The fuzzer; built anew where anything is newer than it, or it was built of something else.
  ///
  /// - Throws: ``GatewayError`` with code `fuzzer_missing`, `fuzzer_build` or `cannot_write`.
  func program() throws(GatewayError) -> URL {
    let program = target.build.appendingPathComponent("fuzzer")
    try FuzzFolder.make(target.build)
    let recipe = self.recipe
    let note = target.build.appendingPathComponent("fuzzer.inputs")
    guard (try? Data(contentsOf: note)) != recipe || Self.isOlder(program, than: inputs) else { return program }
    // Nobody knows what lies there until it is built to the end.
    try? FileManager.default.removeItem(at: note)
    let clang = try FuzzTool("clang", variable: "CLANG")
    var objects: [String] = []
    switch target.form {
    case .c(let sources): objects = try compile(sources, clang)
    case .swift(let sources): objects = try compileSwift(sources, clang)
    case .library: break
    }
    let harness = try sources(below: "fuzz") + sources(below: "bench")
    try clang.build(
      ["-std=c11", "-g", "-O1", Self.sanitizers, "-fno-sanitize-recover=undefined", "-fuse-ld=lld", "-I\(sdk)/include"]
        + harness + objects.flatMap { ["-Xlinker", $0] } + ["-ldl", "-o", program.path], log: log)
    try FuzzFolder.write(recipe, to: note)
    return program
  }

  /// What the fuzzer is built of: a file that is gone, or another driver in the same folder, makes nothing newer.
  private var recipe: Data {
    Data(([target.driver, target.form.name] + inputs.map(\.path)).map { $0 + "\n" }.joined().utf8)
  }

  private var inputs: [URL] {
    let own: [URL] =
      switch target.form {
      case .c(let sources), .swift(let sources): sources
      case .library(let file): [file]
      }
    let headers = Set(own.map { $0.deletingLastPathComponent() }).flatMap(Self.files)
    let parts = ["fuzz", "bench", "include/meterhost", "MeterDriver", "CMeterDriverNote"]
    return own + headers + parts.flatMap { Self.files(URL(fileURLWithPath: sdk + "/" + $0)) }
  }

  private static func files(_ folder: URL) -> [URL] {
    ((try? BundleTemplate.paths(in: folder.path)) ?? []).map { folder.appendingPathComponent($0) }
  }

  private static func isOlder(_ program: URL, than inputs: [URL]) -> Bool {
    let date = { (file: URL) in
      (try? FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate]) as? Date
    }
    guard let built = date(program) else { return true }
    return inputs.contains { (date($0) ?? .distantFuture) > built }
  }

  private func sources(below folder: String) throws(GatewayError) -> [String] {
    try BundleTemplate.paths(in: sdk + "/" + folder).filter { $0.hasSuffix(".c") }.map { "\(sdk)/\(folder)/\($0)" }
  }

  // MARK: C and C++

  private func compile(_ sources: [URL], _ clang: FuzzTool) throws(GatewayError) -> [String] {
    let root = target.home.appendingPathComponent("Sources").path
    let includes = ["-I\(sdk)/include", "-I\(root)", "-I\(root)/include"]
    var objects: [String] = []
    for (place, source) in sources.enumerated() {
      let object = target.build.appendingPathComponent("\(place).o").path
      let language =
        source.pathExtension == "c" ? ["-std=c11"] : ["-x", "c++", "-std=c++17", "-fno-exceptions", "-fno-rtti"]
      try clang.build(
        language + ["-g", "-O1", Self.sanitizers, "-fno-sanitize-recover=undefined"] + includes
          + ["-c", source.path, "-o", object], log: log)
      objects.append(object)
    }
    return objects
  }

  // MARK: Swift

  private func compileSwift(_ sources: [URL], _ clang: FuzzTool) throws(GatewayError) -> [String] {
    let swiftc = try FuzzTool("swiftc", variable: "SWIFTC")
    let folder = target.build.path
    // The module that SwiftPM would make of the SDK's one C target.
    let note = folder + "/note"
    try FuzzFolder.make(URL(fileURLWithPath: note))
    try FuzzFolder.write(
      Data("module CMeterDriverNote { header \"\(sdk)/CMeterDriverNote/include/CMeterDriverNote.h\" export * }\n".utf8),
      to: URL(fileURLWithPath: note + "/module.modulemap"))
    let modules = [
      "-Xcc", "-fmodule-map-file=\(sdk)/include/module.modulemap", "-Xcc",
      "-fmodule-map-file=\(note)/module.modulemap", "-Xcc", "-I\(sdk)/include",
    ]
    let library = try BundleTemplate.paths(in: sdk + "/MeterDriver").filter { $0.hasSuffix(".swift") }
    try swiftc.build(
      Self.swiftFeatures + modules
        + [
          "-module-name", "MeterDriver", "-emit-module", "-emit-module-path", folder + "/MeterDriver.swiftmodule", "-c",
        ]
        + library.map { "\(sdk)/MeterDriver/\($0)" } + ["-o", folder + "/MeterDriver.o"], log: log)
    try swiftc.build(
      Self.swiftFeatures + modules + ["-I", folder, "-module-name", "FuzzedBundle", "-c"] + sources.map(\.path)
        + ["-o", folder + "/driver.o"], log: log)
    try clang.build(
      [
        "-std=c11", "-O1", "-I\(sdk)/include", "-I\(sdk)/CMeterDriverNote/include", "-c",
        "\(sdk)/CMeterDriverNote/note.c", "-o", folder + "/note.o",
      ],
      log: log)
    return ["MeterDriver.o", "driver.o", "note.o"].map { folder + "/" + $0 }
  }
}

/// Folders and files of a run, with the errors of this part.
enum FuzzFolder {
  static func make(_ folder: URL) throws(GatewayError) {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw GatewayError(.failed, code: "cannot_write", "\(folder.path) cannot be made: \(error.localizedDescription)")
    }
  }

  static func write(_ data: Data, to file: URL) throws(GatewayError) {
    do {
      try data.write(to: file, options: .atomic)
    } catch {
      throw GatewayError(.failed, code: "cannot_write", "\(file.path) cannot be written: \(error.localizedDescription)")
    }
  }

  static func count(_ folder: URL) -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { !$0.hasPrefix(".") }.count
  }
}
