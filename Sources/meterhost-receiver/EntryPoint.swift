import ArgumentParser
import CLinux
import Foundation
import HostPrimitives
import Logging
import ProgramTerminal

/// The program: parses, runs, and turns every error into one line on standard error and a documented exit status.
@main
enum EntryPoint {
  static func main() async {
    // First: whatever is opened then has another number than the standard streams.
    clinux_hold_standard_streams()
    if let reason = PrivateMemory.protect() {
      Terminal().error("warning: the system does not keep this process's memory out of core files: \(reason)")
    }
    // A reader that has gone away is an error of the write that meets it, not a reason to die.
    signal(SIGPIPE, SIG_IGN)
    let environment = Environment().variables
    LoggingSystem.bootstrap { _ in ProgramLog(environment: environment) }
    do {
      try await run(try ReceiverCommand.parseAsRoot())
    } catch {
      guard let failure = Failure(error, of: ReceiverCommand.self) else { ReceiverCommand.exit(withError: error) }
      failure.report(asJSON: CommandLine.arguments.contains("--json"))
      exit(failure.exitStatus)
    }
  }

  private static func run(_ command: sending any ParsableCommand) async throws {
    if let serving = command as? ServeCommand {
      Interruption.prepare(hearsHangup: serving.hearsHangup)
      DescriptorLimit.raise()
    }
    guard var asynchronous = command as? any AsyncParsableCommand else {
      var command = command
      return try command.run()
    }
    try await asynchronous.run()
  }
}
