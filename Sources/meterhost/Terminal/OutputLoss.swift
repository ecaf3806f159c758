import ArgumentParser
import Foundation
import GatewayAPI
import ProgramTerminal
import Synchronization

/// A command that only looks: without its output nothing is left of it, and doing it again does no harm. Every other command is
/// taken to change something.
protocol LookingCommand {
  /// Whether it does so with these arguments.
  var onlyLooks: Bool { get }
}

extension LookingCommand {
  var onlyLooks: Bool { true }
}

/// A command whose work matters more than its output, and goes on when nobody can read that any more.
protocol OutlivingCommand {
  /// Whether it goes on until it is ended: then there is no result that nobody has heard.
  var isService: Bool { get }
}

extension OutlivingCommand {
  var isService: Bool { false }
}

/// What becomes of a command whose standard output cannot be written: a full disk, a reader that has gone, a closed descriptor.
///
/// One that changes something must not just fail. Who hears only that does it again, and a reading is there twice.
enum OutputLoss {
  private enum Manner {
    /// The command ends: quietly where its reader has gone.
    case ends
    /// It is finished; what it has to say goes to standard error.
    case tells
    /// It is finished without a word for each event, of which there may be thousands.
    case goesOn(isService: Bool)
  }

  private struct State {
    var manner = Manner.ends
    /// Why standard output could not be written.
    var reason: Int32?
  }

  /// What was asked for is done, and nobody was told on standard output.
  struct Done: Error {
    let reason: Int32
    /// Whether standard error has the result.
    let isTold: Bool
  }

  /// The exit status of ``Done``; EX_IOERR of sysexits(3).
  static let exitStatus: Int32 = 74

  private static let state = Mutex(State())

  /// Says what the process is going to do, before it does it.
  ///
  /// - Throws: `GatewayError` `output_closed` when it would change something, and its standard output is known not to take the
  ///   result.
  static func prepare(for command: any ParsableCommand) throws(GatewayError) {
    let manner = manner(of: command)
    state.withLock { $0.manner = manner }
    guard case .tells = manner, let reason = StandardStream.refusal else { return }
    throw GatewayError(
      .unavailable, code: "output_closed",
      "standard output takes nothing (\(reason)), and nothing was done: its result could not be told",
      hint: "send it to a file, or to /dev/null")
  }

  private static func manner(of command: any ParsableCommand) -> Manner {
    if let looking = command as? any LookingCommand, looking.onlyLooks { return .ends }
    return (command as? any OutlivingCommand).map { .goesOn(isService: $0.isService) } ?? .tells
  }

  /// Whether standard output is lost already.
  static var isNoted: Bool { state.withLock { $0.reason != nil } }

  /// Whether the result goes to standard error then.
  static var tellsElsewhere: Bool { state.withLock { if case .tells = $0.manner { true } else { false } } }

  /// Notes that standard output could not be written, and ends the process where nothing is left to do.
  static func note(_ reason: Int32) {
    let manner = state.withLock { state -> Manner in
      if state.reason == nil { state.reason = reason }
      return state.manner
    }
    let (terminal, words) = (Terminal(), StandardStream.words(reason))
    switch manner {
    case .ends:
      guard reason != EPIPE else { exit(0) }
      let error = GatewayError(.failed, code: "output", "standard output cannot be written: \(words)")
      Failure(error).report(asJSON: CommandLine.arguments.contains("--json"))
      exit(1)
    case .tells: terminal.error("standard output cannot be written (\(words)); its result is:")
    case .goesOn: terminal.error("standard output cannot be written (\(words)); the work goes on without it")
    }
  }

  /// When the command has done its work.
  static func conclude() throws(Done) {
    let (manner, reason) = state.withLock { ($0.manner, $0.reason) }
    guard let reason else { return }
    switch manner {
    case .ends, .goesOn(isService: true): return
    // Whoever looked at the beginning only has been told that it goes on.
    case .goesOn: if reason == EPIPE { return }
    case .tells: break
    }
    throw Done(reason: reason, isTold: tellsElsewhere)
  }
}

extension OutputLoss.Done {
  var message: String {
    "standard output could not be written (\(StandardStream.words(reason))), and what was asked for is done: do not do it again"
  }

  var hint: String {
    let shown = "`meterhost queue list` and `events` show it"
    return isTold ? "what it would have said is above, or \(shown)" : shown
  }
}
