package import GatewayAPI
import Foundation

/// A run of the fuzzer, and the line of its `--json`.
package struct FuzzReport: Codable, Sendable, Hashable {
  /// The driver's id.
  package let driver: String
  /// `c`, `swift` or `library`; of a library the fuzzer does not see which code runs.
  package let form: String
  /// How long it ran.
  package let seconds: Int
  /// How many inputs were tried.
  package let runs: Int
  /// The folder of kept inputs.
  package let corpus: String
  /// How many it holds now.
  package let units: Int
  /// What was found; nil: nothing.
  package let finding: FuzzFinding?
  /// Shows the finding again.
  package let reproducer: String?
}

/// Fuzzes a driver.
package struct FuzzRun: Sendable {
  /// How long, and with what.
  package struct Settings: Sendable {
    /// How long new inputs are tried, seconds.
    package var seconds = 60
    /// How many fuzzers at a time.
    package var jobs = 1
    /// The folder of kept inputs; nil: `Fuzz/corpus` of the target's home.
    package var corpus: String?
    /// Whether the corpus takes what this run has found worth keeping.
    package var keeps = true
    /// What the author has called `driver fuzz` with to come to this target, for the reproducer.
    package var arguments: [String] = []

    /// A minute, one at a time.
    package init() {}
  }

  private let target: FuzzTarget
  private let settings: Settings
  private let fuzzer: FuzzTool

  /// Builds the fuzzer.
  ///
  /// - Throws: ``GatewayError`` with code `fuzzer_missing`, `fuzzer_build` or `cannot_write`.
  package init(_ target: FuzzTarget, _ settings: Settings, kit: AuthoringKit) throws(GatewayError) {
    self.target = target
    self.settings = settings
    fuzzer = FuzzTool(program: try FuzzBuild(target: target, kit: kit).program())
  }

  private var corpus: URL {
    settings.corpus.map { URL(fileURLWithPath: $0) } ?? target.home.appendingPathComponent("Fuzz/corpus")
  }
  private var findings: URL { target.home.appendingPathComponent("Fuzz/findings") }
  /// What earlier runs found and the corpus has not taken yet.
  private var fresh: URL { target.build.appendingPathComponent("new") }
  private var seeds: URL { target.build.appendingPathComponent("seeds") }

  private var variables: [String: String] {
    // Swift's own report of a crash would come in place of the fuzzer's.
    var variables = ["SWIFT_BACKTRACE": "enable=no", "UBSAN_OPTIONS": "print_stacktrace=1"]
    if case .library(let file) = target.form { variables["METERHOST_FUZZ_BUNDLE"] = file.path }
    if target.readsExports { variables["METERHOST_FUZZ_SOURCE"] = target.family }
    return variables
  }

  /// Tries new inputs until something is found or the time is over; then the corpus takes what showed new code.
  ///
  /// - Throws: ``GatewayError`` with code `fuzzer_failed` or `cannot_write`.
  package func run() throws(GatewayError) -> FuzzReport {
    try settle()
    for folder in [corpus, fresh, seeds] where folder != corpus || settings.keeps { try FuzzFolder.make(folder) }
    let inputs = FuzzSeeds(meters: target.meters, vectors: target.vectors, exports: target.exports).inputs
    for (place, input) in inputs.enumerated() {
      try FuzzFolder.write(Data(input), to: seeds.appendingPathComponent("seed-\(place)"))
    }
    let (log, runs, took) = try tryInputs()
    var finding: FuzzFinding?
    if let log {
      finding = try self.finding(in: log)
    } else if settings.keeps {
      try merge()
    }
    return FuzzReport(
      driver: target.driver, form: target.form.name, seconds: took, runs: runs, corpus: corpus.path,
      units: FuzzFolder.count(corpus), finding: finding, reproducer: finding.map(reproducer))
  }

  /// Runs single inputs.
  ///
  /// - Returns: what was found in the first that shows a fault.
  package func reproduce(_ files: [String]) throws(GatewayError) -> FuzzFinding? {
    for file in files {
      guard access(file, R_OK) == 0 else {
        throw GatewayError(.usage, code: "no_input", "\(file) cannot be read")
      }
      let log = target.build.appendingPathComponent("input.log")
      let process = try fuzzer.start(["-timeout=10", file], log: log, variables: variables)
      process.waitUntilExit()
      guard process.terminationStatus != 0 || process.terminationReason != .exit else { continue }
      let text = FuzzTool.text(log)
      guard let finding = FuzzFinding(log: text, input: file) else { throw failed(text) }
      return finding
    }
    return nil
  }

  // MARK: Trying

  /// The log of the first fuzzer that found something, or nil; how many inputs all of them tried; how long it took.
  private func tryInputs() throws(GatewayError) -> (log: String?, runs: Int, seconds: Int) {
    try FuzzFolder.make(findings)
    let started = Date()
    let arguments =
      [
        "-max_total_time=\(settings.seconds)", "-max_len=\(target.longestInput)", "-timeout=10", "-rss_limit_mb=2048",
        "-use_value_profile=1", "-print_final_stats=1", "-artifact_prefix=\(findings.path)/", fresh.path, seeds.path,
      ] + (FileManager.default.fileExists(atPath: corpus.path) ? [corpus.path] : [])
    let logs = (0..<settings.jobs).map { target.build.appendingPathComponent("fuzz-\($0).log") }
    var processes: [Process] = []
    // Those that run already, too, when another one cannot be started.
    defer { for process in processes where process.isRunning { process.terminate() } }
    for log in logs { processes.append(try fuzzer.start(arguments, log: log, variables: variables)) }
    for process in processes {
      // One that has found something ends the others.
      while process.isRunning, !processes.contains(where: Self.hasFailed) { usleep(50_000) }
    }
    let failed = zip(processes, logs).first { Self.hasFailed($0.0) }
    let runs = logs.reduce(0) { $0 + Self.runs(FuzzTool.text($1)) }
    // A directory without findings is nobody's business.
    if failed == nil { rmdir(findings.path) }
    return (failed.map { FuzzTool.text($0.1) }, runs, Int(Date().timeIntervalSince(started).rounded()))
  }

  private static func hasFailed(_ process: Process) -> Bool {
    !process.isRunning && (process.terminationStatus != 0 || process.terminationReason != .exit)
  }

  private static func runs(_ log: String) -> Int {
    let line = log.split(separator: "\n").last { $0.hasPrefix("stat::number_of_executed_units:") }
    return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
  }

  private func finding(in log: String) throws(GatewayError) -> FuzzFinding {
    let file = log.split(separator: "\n").lazy.compactMap { line -> String? in
      line.range(of: "Test unit written to ").map { String(line[$0.upperBound...]) }
    }.first
    guard let file, let finding = FuzzFinding(log: log, input: file) else { throw failed(log) }
    return finding
  }

  private func failed(_ log: String) -> GatewayError {
    GatewayError(.failed, code: "fuzzer_failed", "the fuzzer ended of itself:\n\(log.suffix(2000))")
  }

  private func reproducer(_ finding: FuzzFinding) -> String {
    (["meterhost", "driver", "fuzz"] + settings.arguments + ["--input", finding.input]).map(NewBundle.shellWord)
      .joined(separator: " ")
  }

  // MARK: Keeping

  /// The corpus while another one takes its place.
  private var formerCorpus: URL { corpus.deletingLastPathComponent().appendingPathComponent(".corpus.old") }

  /// Goes on where a crash has stopped the corpus' change: until the new one has its name, the old one is the corpus.
  private func settle() throws(GatewayError) {
    let files = FileManager.default
    guard files.fileExists(atPath: formerCorpus.path) else { return }
    if files.fileExists(atPath: corpus.path) {
      try? files.removeItem(at: formerCorpus)
    } else {
      guard rename(formerCorpus.path, corpus.path) == 0 else { throw cannotReplace() }
    }
  }

  private func cannotReplace() -> GatewayError {
    GatewayError(
      .failed, code: "cannot_write", "\(corpus.path) cannot be replaced: \(String(cString: strerror(errno)))")
  }

  /// The corpus becomes the fewest inputs that reach what it, the seeds and this run have reached.
  private func merge() throws(GatewayError) {
    let merged = corpus.deletingLastPathComponent().appendingPathComponent(".corpus.new")
    try? FileManager.default.removeItem(at: merged)
    try FuzzFolder.make(merged)
    let log = target.build.appendingPathComponent("merge.log")
    let process = try fuzzer.start(
      [
        "-merge=1", "-use_counters=0", "-max_len=\(target.longestInput)", "-timeout=10", merged.path, corpus.path,
        seeds.path, fresh.path,
      ], log: log,
      variables: variables)
    process.waitUntilExit()
    guard process.terminationStatus == 0, process.terminationReason == .exit, FuzzFolder.count(merged) > 0 else {
      try? FileManager.default.removeItem(at: merged)
      throw failed(FuzzTool.text(log))
    }
    guard rename(corpus.path, formerCorpus.path) == 0, rename(merged.path, corpus.path) == 0 else {
      let error = cannotReplace()
      try? settle()
      throw error
    }
    try? FileManager.default.removeItem(at: formerCorpus)
    try? FileManager.default.removeItem(at: fresh)
  }
}
