import Foundation
import Synchronization
import TestSupport

/// What a finished program has left.
struct Outcome: Sendable {
  let status: Int32
  let isSignalled: Bool
  let out: String
  let err: String

  var lines: [String] { out.split(separator: "\n").map(String.init) }
  var errorLines: [String] { err.split(separator: "\n").map(String.init) }

  /// Each line of standard output as a JSON object.
  func objects() throws -> [[String: Any]] { try lines.map(Outcome.object) }

  /// The error that standard error tells with `--json`.
  func jsonError() throws -> [String: Any] {
    let line = try errorLines.last.map(Outcome.object)
    return line?["error"] as? [String: Any] ?? [:]
  }

  static func object(_ line: String) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
  }
}

/// The real `meterhost`, running.
final class Program: Sendable {
  enum Stream: Sendable { case out, err }

  struct Gone: Error {
    let wanted: String
    let outcome: Outcome
  }

  private struct State {
    var bytes: [Stream: [UInt8]] = [.out: [], .err: []]
    var openStreams = 2
    var end: ChildProcess.End?
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// How it ended, when all that it said is there.
    var over: ChildProcess.End? { openStreams == 0 ? end : nil }
  }

  private let process: ChildProcess
  private let state = Mutex(State())

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - input: What stands on standard input before it ends; nil leaves it open.
  ///   - output: Takes standard output instead of the test.
  ///   - program: Its file; nil is `meterhost`.
  init(
    _ arguments: [String], in sandbox: Sandbox, input bytes: [UInt8]? = [], environment: [String: String] = [:],
    standardInput: FileHandle? = nil, output: FileHandle? = nil, program: URL? = nil
  ) throws {
    _ = ChildProcess.ignoresBrokenPipes
    process = try ChildProcess(
      try program ?? Installation.shared().program, arguments,
      environment: try Self.environment(of: sandbox).merging(environment) { $1 }, folder: sandbox.root,
      input: standardInput.map { .file($0) } ?? .pipe, output: output.map { .file($0) } ?? .pipe, errors: .pipe)
    try output?.close()
    if output == nil { collect(try process.output(), .out) } else { change { $0.openStreams -= 1 } }
    collect(try process.errors(), .err)
    Thread { [self] in
      let end = process.waitForEnd()
      change { $0.end = end }
    }.start()
    guard standardInput == nil else { return }
    let handle = try process.input()
    guard let bytes else {
      closeWhenItEnds(handle)
      return
    }
    Thread {
      // A program that does not read its input is no failure of the test.
      try? handle.write(contentsOf: bytes)
      try? handle.close()
    }.start()
  }

  /// What the program is started with in a sandbox.
  static func environment(of sandbox: Sandbox) throws -> [String: String] {
    [
      "HOME": sandbox.root.path, "PATH": "/usr/bin:/bin", "TMPDIR": sandbox.root.path,
      "METERHOST_STATE": sandbox.path("state"), "METERHOST_AIR": sandbox.path("air"),
      "METERHOST_REGISTRY_FRAGMENTS": try Installation.shared().fragments.path, "METERHOST_LOG": "error",
    ]
  }

  /// Its number, while it runs.
  var pid: Int32? { process.pid }

  func kill() { process.signal(SIGKILL) }
  func interrupt() { process.signal(SIGINT) }

  func send(_ text: String) throws { try process.input().write(contentsOf: Data(text.utf8)) }
  func endInput() throws { try process.input().close() }

  /// Waits for a whole line with a text in it.
  ///
  /// - Throws: `Gone` when the program has ended without it.
  @discardableResult
  func line(with text: String, on stream: Stream = .out) async throws -> String {
    let found: Result<String, Gone> = await until { state in
      let all = String(decoding: state.bytes[stream] ?? [], as: UTF8.self)
      let whole = all.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let line = whole.first(where: { $0.contains(text) }) { return .success(String(line)) }
      return state.over.map { .failure(Gone(wanted: text, outcome: self.outcome(of: state, $0))) }
    }
    return try found.get()
  }

  /// Waits for the end.
  func outcome() async -> Outcome { await until { state in state.over.map { self.outcome(of: state, $0) } } }

  private func outcome(of state: State, _ end: ChildProcess.End) -> Outcome {
    Outcome(
      status: end.status, isSignalled: end.isSignalled,
      out: String(decoding: state.bytes[.out] ?? [], as: UTF8.self),
      err: String(decoding: state.bytes[.err] ?? [], as: UTF8.self))
  }

  /// Runs the program to its end.
  static func run(
    _ arguments: [String], in sandbox: Sandbox, input: [UInt8]? = [], environment: [String: String] = [:]
  ) async throws -> Outcome {
    await (try Program(arguments, in: sandbox, input: input, environment: environment)).outcome()
  }

  /// Starts a session whose receiver is out of reach.
  static func startSession(in sandbox: Sandbox) async throws {
    let started = try await run(
      ["session", "start", "--user", "u", "--organization", "o", "--receiver", "http://127.0.0.1:9"], in: sandbox,
      input: Array("token-of-this-user-1".utf8))
    guard started.status == 0 else { throw Gone(wanted: "session", outcome: started) }
  }

  /// Starts a receiver and a session with it. Returns the receiver, which runs, and what the session's start said.
  static func startReceiver(
    in sandbox: Sandbox, options: [String] = []
  ) async throws -> (receiver: Program, started: Outcome) {
    let accounts = try sandbox.file("accounts", "o:u:token-of-this-user-1\n")
    let receiver = try Program(
      ["receive", "--database", sandbox.path("r.sqlite"), "--port", "0", "--accounts", accounts, "--json"],
      in: sandbox)
    let url = try Outcome.object(try await receiver.line(with: "listening"))["url"] as? String ?? ""
    let started = try await run(
      ["session", "start", "--user", "u", "--organization", "o", "--receiver", url, "--json"] + options, in: sandbox,
      input: Array("token-of-this-user-1".utf8))
    return (receiver, started)
  }

  /// Runs the program to its end in a folder of its own.
  static func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) async throws
    -> Outcome
  {
    try await Sandbox.with { try await run(arguments, in: $0, input: Array(input.utf8), environment: environment) }
  }

  private func collect(_ handle: FileHandle, _ stream: Stream) {
    // Threads of their own: blocking ones of a pool would wait for each other.
    Thread { [weak self] in
      while true {
        // A pipe that cannot be read has nothing more to say.
        let data = (try? handle.nextBytes()) ?? Data()
        self?.change { state in
          if data.isEmpty { state.openStreams -= 1 } else { state.bytes[stream, default: []] += data }
        }
        if data.isEmpty { break }
      }
      // A thousand programs later there would be no descriptor left.
      try? handle.close()
    }.start()
  }

  /// Frees the descriptor of an input that stays open as long as the program runs.
  private func closeWhenItEnds(_ handle: FileHandle) {
    Task { [self] in
      _ = await outcome()
      try? handle.close()
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let waiters = state.withLock { state in
      body(&state)
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until what is known of the program gives a value.
  private func until<Value: Sendable>(_ look: (State) -> Value?) async -> Value {
    while true {
      if let value = state.withLock({ look($0) }) { return value }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if look(state) != nil { return true }
          state.waiters.append(continuation)
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }
}
