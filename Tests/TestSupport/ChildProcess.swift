import CLinux
public import Foundation
import Synchronization

/// A program that a test starts.
///
/// Foundation's `Process` looks for its highest descriptor with whole copies of directory entries, whose last one is
/// shorter than its type: with some thousand descriptors, as many tests at once have them, it reads past a page and ends
/// the tests.
public final class ChildProcess: Sendable {
  /// What one of its three standard streams is.
  public enum Channel: Sendable {
    /// The tests' own.
    case inherited
    /// `/dev/null`.
    case null
    /// The other end of `input`, `output` or `errors`.
    case pipe
    /// An open file, which stays the caller's.
    case file(FileHandle)
  }

  /// How it ended.
  public struct End: Sendable, Hashable {
    /// The exit status, or the number of the signal.
    public let status: Int32
    /// Whether a signal has ended it.
    public let isSignalled: Bool
  }

  /// A finished program.
  public struct Outcome: Sendable, Hashable {
    /// How it ended.
    public let end: End
    /// What it said on standard output.
    public let out: String
    /// What it said on standard error.
    public let err: String

    /// The exit status, or the number of the signal.
    public var status: Int32 { end.status }
    /// Standard output by lines, without empty ones.
    public var lines: [String] { out.split(separator: "\n").map(String.init) }
  }

  /// The program cannot be started, or has no pipe there.
  public struct Failure: Error {
    /// Its file; empty of one that runs.
    public let program: String
    /// Why.
    public let reason: String
  }

  private enum State {
    case running(clinux_child)
    case ended(End)
  }

  private let pipes: [Int32: FileHandle]
  private let state: Mutex<State>

  /// Starts a program in a process group of its own, with no descriptors but its standard streams.
  ///
  /// - Parameters:
  ///   - program: The file; nothing is looked up.
  ///   - environment: All of its variables; nil gives it the tests' own.
  ///   - folder: Where it works; nil is where the tests do.
  public init(
    _ program: URL, _ arguments: [String] = [], environment: [String: String]? = nil, folder: URL? = nil,
    input: Channel = .null, output: Channel = .inherited, errors: Channel = .inherited
  ) throws {
    var (pipes, given): ([Int32: FileHandle], [FileHandle]) = ([:], [])
    for (stream, channel) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
      switch channel {
      case .inherited: given.append(FileHandle(fileDescriptor: stream))
      // Foundation's `nullDevice` has no descriptor.
      case .null: given.append(try FileHandle(forUpdating: URL(filePath: "/dev/null")))
      case .file(let handle): given.append(handle)
      case .pipe:
        let pipe = Pipe()
        let ends = (own: pipe.fileHandleForReading, other: pipe.fileHandleForWriting)
        pipes[stream] = stream == STDIN_FILENO ? ends.other : ends.own
        given.append(stream == STDIN_FILENO ? ends.own : ends.other)
      }
    }
    let command = (folder.map { ["/usr/bin/env", "-C", $0.path] } ?? []) + [program.path] + arguments
    let child = try Self.spawn(command, environment ?? ProcessInfo.processInfo.environment, given)
    self.pipes = pipes
    state = Mutex(.running(child))
    // The reader of a pipe sees its end only when nobody else can write.
    for (handle, channel) in zip(given, [input, output, errors]) {
      if case .pipe = channel { try handle.close() }
    }
  }

  deinit {
    signal(SIGKILL)
    waitForEnd()
  }

  /// Its number, while it runs; nil later, when the number may be another one's.
  public var pid: Int32? {
    state.withLock { if case .running(let child) = $0 { child.number } else { nil } }
  }

  /// The writing end of its standard input, which is a pipe.
  public func input() throws -> FileHandle { try pipe(STDIN_FILENO) }
  /// The reading end of its standard output, which is a pipe.
  public func output() throws -> FileHandle { try pipe(STDOUT_FILENO) }
  /// The reading end of its standard error, which is a pipe.
  public func errors() throws -> FileHandle { try pipe(STDERR_FILENO) }

  private func pipe(_ stream: Int32) throws -> FileHandle {
    guard let handle = pipes[stream] else { throw Failure(program: "", reason: "stream \(stream) is no pipe") }
    return handle
  }

  /// Sends it a signal, when it has not been waited for.
  public func signal(_ number: Int32) {
    state.withLock { if case .running(let child) = $0 { _ = clinux_signal(child.pidfd, number) } }
  }

  /// Waits for its end, so it belongs on a thread of its own.
  @discardableResult
  public func waitForEnd() -> End {
    let pidfd = state.withLock { state -> Int32 in if case .running(let child) = state { dup(child.pidfd) } else { -1 }
    }
    if pidfd >= 0 {
      var end = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
      while poll(&end, 1, -1) < 0, errno == EINTR {}
      close(pidfd)
    }
    return state.withLock { state in
      switch state {
      case .ended(let end): return end
      case .running(let child):
        var how = clinux_exit()
        let reaped = clinux_reap(child.pidfd, 1, &how)
        close(child.pidfd)
        let end = End(status: how.code, isSignalled: reaped != 0 || how.how != 1)
        state = .ended(end)
        return end
      }
    }
  }

  /// Runs a program to its end; it waits, so it belongs on a thread of its own.
  ///
  /// - Parameter input: All that stands on its standard input, which it need not read.
  public static func run(
    _ program: URL, _ arguments: [String] = [], environment: [String: String]? = nil, folder: URL? = nil,
    input: String = ""
  ) throws -> Outcome {
    let child = try ChildProcess(
      program, arguments, environment: environment, folder: folder, input: .pipe, output: .pipe, errors: .pipe)
    let (standardInput, errors) = (try child.input(), try child.errors())
    _ = ignoresBrokenPipes
    Thread {
      try? standardInput.write(contentsOf: Data(input.utf8))
      try? standardInput.close()
    }.start()
    let said = Mutex(Data())
    let isRead = DispatchSemaphore(value: 0)
    Thread {
      let bytes = (try? errors.bytesToEnd()) ?? Data()
      said.withLock { $0 = bytes }
      isRead.signal()
    }.start()
    let out = try child.output().bytesToEnd()
    isRead.wait()
    let end = child.waitForEnd()
    return Outcome(
      end: end, out: String(decoding: out, as: UTF8.self), err: said.withLock { String(decoding: $0, as: UTF8.self) })
  }

  /// Runs a program of the search path to its end.
  public static func run(tool: String, _ arguments: [String], folder: URL? = nil) throws -> Outcome {
    try run(URL(filePath: "/usr/bin/env"), [tool] + arguments, folder: folder)
  }

  /// A program that ends before it has read its input is no reason for the tests to die.
  public static let ignoresBrokenPipes: Void = { _ = Foundation.signal(SIGPIPE, SIG_IGN) }()

  private static func spawn(_ command: [String], _ environment: [String: String], _ streams: [FileHandle]) throws
    -> clinux_child
  {
    var words = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var child = clinux_child(pidfd: -1, number: 0)
    let spawned = clinux_spawn(
      command[0], &words, &variables, streams.map(\.fileDescriptor), Int32(streams.count), STDIN_FILENO, &child)
    guard spawned == 0 else { throw Failure(program: command[0], reason: String(cString: strerror(-spawned))) }
    return child
  }
}
