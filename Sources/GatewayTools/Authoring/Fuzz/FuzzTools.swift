import GatewayAPI
import Foundation

/// A program of the tool chain that is run to its end, with everything that it says in a file.
struct FuzzTool {
  let program: URL

  /// Looks a program up: what the environment names, else the first on the PATH.
  ///
  /// - Throws: ``GatewayError`` with code `fuzzer_missing`.
  init(_ name: String, variable: String) throws(GatewayError) {
    let environment = ProcessInfo.processInfo.environment
    let named = environment[variable].flatMap { $0.isEmpty ? nil : $0 } ?? name
    let folders = named.contains("/") ? [""] : (environment["PATH"] ?? "").split(separator: ":").map { $0 + "/" }
    guard let found = folders.map({ $0 + named }).first(where: { access($0, X_OK) == 0 }) else {
      throw GatewayError(
        .unavailable, code: "fuzzer_missing", "there is no \(named) on the PATH",
        hint: "the Swift tool chain has clang and swiftc with libFuzzer; name another one with \(variable)")
    }
    program = URL(fileURLWithPath: found)
  }

  init(program: URL) { self.program = program }

  /// Starts the program.
  ///
  /// - Parameter log: Takes standard output and standard error.
  func start(_ arguments: [String], log: URL, variables: [String: String] = [:]) throws(GatewayError) -> Process {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    process.standardInput = FileHandle.nullDevice
    do {
      try Data().write(to: log)
      let output = try FileHandle(forWritingTo: log)
      process.standardOutput = output
      process.standardError = output
      try process.run()
      try output.close()
    } catch {
      throw GatewayError(
        .failed, code: "fuzzer_failed", "\(program.path) cannot be started: \(error.localizedDescription)")
    }
    return process
  }

  /// Runs a compiler.
  ///
  /// - Throws: ``GatewayError`` with code `fuzzer_build` and what the compiler said.
  func build(_ arguments: [String], log: URL) throws(GatewayError) {
    let process = try start(arguments, log: log)
    process.waitUntilExit()
    guard process.terminationStatus != 0 || process.terminationReason != .exit else { return }
    throw GatewayError(
      .failed, code: "fuzzer_build", "\(program.lastPathComponent) cannot build the fuzzer:\n\(Self.text(log))",
      hint: "the compiler must have libFuzzer and the sanitizers, as that of the Swift tool chain does")
  }

  static func text(_ log: URL) -> String {
    String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self)
  }
}
