import GatewayAPI
import CLinux
import Foundation
import HostPrimitives
import Synchronization

/// A program that gives feedback, while it runs: nothing on its standard input, a process group of its own.
final class FeedbackProcess: Sendable {
  /// How it ended, and the beginning of what it said.
  struct End: Sendable, Hashable {
    enum How: Sendable, Hashable {
      case exited(Int32)
      case killed(signal: Int32)
      /// It had not ended in time.
      case timeout
      /// Nobody wanted it any more.
      case cancelled
      /// Somebody else has taken its remains away.
      case unknown
    }

    var how: How
    var output: String
  }

  private struct State {
    /// Nil once its remains are taken away.
    var child: clinux_child?
    var isCancelled = false
  }

  /// The most that is kept of what it says; it may say more.
  static let mostOutput = 4_096

  /// Its file.
  let program: String
  private let state: Mutex<State>
  private let output: Int32

  /// Starts a program; returns when its file was read, so on a thread that may wait.
  ///
  /// - Parameter command: The program's file and its arguments.
  /// - Throws: ``FeedbackProblem`` with code `feedback_failed`.
  init(_ command: [String], environment: [String: String]) throws(FeedbackProblem) {
    program = command.first ?? ""
    var pipe: [Int32] = [-1, -1]
    let piped = clinux_output_pipe(&pipe)
    guard piped == 0 else { throw Self.notStarted(program, piped) }
    defer { close(pipe[1]) }
    // Its own end waits: what it says is taken all the time, and few programs expect that a write fails for now.
    _ = fcntl(pipe[1], F_SETFL, fcntl(pipe[1], F_GETFL) & ~O_NONBLOCK)
    var words = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var child = clinux_child(pidfd: -1, number: 0)
    // A person has chosen the program: if its file hangs, the drivers' workers are still to start.
    let spawned = clinux_spawn_here(program, &words, &variables, [pipe[1], pipe[1]], 2, STDOUT_FILENO, &child)
    guard spawned == 0 else {
      close(pipe[0])
      throw Self.notStarted(program, spawned)
    }
    output = pipe[0]
    state = Mutex(State(child: child))
  }

  deinit {
    cancel()
    _ = takeAway()
    close(output)
  }

  private static func notStarted(_ program: String, _ status: Int32) -> FeedbackProblem {
    FeedbackProblem(
      .failed, "\(program) cannot be started: \(String(cString: strerror(-status)))",
      cure: "run it by hand as the same user")
  }

  /// Kills it and all that it has started; ``end(within:)`` tells the rest.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      if let child = state.child { _ = clinux_signal_group(child, SIGKILL) }
    }
  }

  /// Waits for its end, kills it when that does not come in time, and whatever it has left in its group. Called once, on a
  /// thread that may wait.
  func end(within limit: Duration) -> End {
    guard let pidfd = state.withLock({ $0.child?.pidfd }) else { return End(how: .unknown, output: "") }
    let clock = SystemClock()
    let deadline = clock.now + limit
    var said: [UInt8] = []
    var isSilent = false
    var isLate = false
    while true {
      let left = max(.zero, deadline - clock.now).components
      // Rounded up: a wait of no time at the end would turn in circles.
      let milliseconds = left.seconds &* 1000 &+ left.attoseconds / 1_000_000_000_000_000 &+ 1
      var watched = [
        pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isSilent ? -1 : output, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&watched, 2, Int32(clamping: milliseconds))
      if watched[1].revents != 0 { isSilent = !listen(&said) }
      if ready > 0, watched[0].revents != 0 { break }
      if clock.now >= deadline {
        isLate = true
        break
      }
    }
    _ = listen(&said)
    let (how, wasCancelled) = takeAway()
    let text = String(decoding: said, as: UTF8.self)
    return End(how: wasCancelled ? .cancelled : isLate ? .timeout : how, output: text)
  }

  /// Takes what it has said by now, as far as it is kept. A pipe that nobody empties would lose what comes last.
  ///
  /// - Returns: Whether more may come.
  private func listen(_ said: inout [UInt8]) -> Bool {
    var room = [UInt8](repeating: 0, count: 4_096)
    // A program that never stops is listened to again after its time was looked at.
    for _ in 0..<16 {
      let count = read(output, &room, room.count)
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      guard count > 0 else { return false }
      said += room.prefix(min(count, Self.mostOutput - said.count))
    }
    return true
  }

  private func takeAway() -> (End.How, wasCancelled: Bool) {
    state.withLock { state in
      guard let child = state.child else { return (.unknown, state.isCancelled) }
      state.child = nil
      // Its number is the group's as long as its remains are there.
      _ = clinux_signal_group(child, SIGKILL)
      var exit = clinux_exit()
      let reaped = clinux_reap(child.pidfd, 1, &exit)
      close(child.pidfd)
      guard reaped == 0 else { return (.unknown, state.isCancelled) }
      return (exit.how == 1 ? .exited(exit.code) : .killed(signal: exit.code), state.isCancelled)
    }
  }
}
