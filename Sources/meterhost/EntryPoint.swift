import ArgumentParser
import CLinux
import Foundation
import HostPrimitives
import GatewayAPI
import ProgramTerminal

/// The program: parses, runs, and turns every error into one line on standard error and a documented exit status.
@main
enum EntryPoint {
  static func main() async {
    // First: whatever is opened then has another number than the standard streams.
    clinux_hold_standard_streams()
    ProcessMemory.keepLittle()
    ProcessMemory.protect()
    keepRights()
    // A reader that has gone away is an error of the write that meets it, not a reason to die.
    signal(SIGPIPE, SIG_IGN)
    do { try LogEnvironment.apply() } catch {
      Terminal().error("warning: \(error)")
    }
    LogOutput.bootstrap()
    if VersionDescription.isAskedFor(CommandLine.arguments) { return Terminal().json(VersionDescription()) }
    if let wrong = WrongCommandLine(helpWith: CommandLine.arguments.dropFirst(), of: MeterHostCommand.self) {
      let failure = Failure(GatewayError(.usage, code: "usage", wrong.message, hint: wrong.hint))
      failure.report(asJSON: CommandLine.arguments.contains("--json"))
      exit(failure.exitStatus)
    }
    do {
      try await run(try await MeterHostCommand.asyncParseAsRoot())
    } catch {
      guard let failure = Failure(error, of: MeterHostCommand.self) else { end(error) }
      failure.report(asJSON: CommandLine.arguments.contains("--json"))
      exit(failure.exitStatus)
    }
  }

  /// Ends as the command has chosen, or with help, which is laid out for the screen.
  private static func end(_ error: any Error) -> Never {
    let text = MeterHostCommand.fullMessage(for: error, columns: 10_000)
    guard text.hasPrefix("OVERVIEW: ") else { MeterHostCommand.exit(withError: error) }
    Terminal().help(text)
    exit(0)
  }

  /// The right to use radios is this process's: workers, and programs that are told of events, get none of it. Comes before there are
  /// other threads.
  private static func keepRights() {
    let status = clinux_pass_no_rights_on()
    guard status != 0 else { return }
    Terminal().error("warning: programs that this one starts inherit its rights: \(String(cString: strerror(-status)))")
  }

  private static func run(_ command: sending any ParsableCommand) async throws {
    try ConfigurationInForce.load()
    try Loudness.apply()
    try OutputLoss.prepare(for: command)
    if command is any InterruptibleCommand {
      Interruption.prepare()
      DescriptorLimit.raise()
    }
    try requireDescriptors()
    guard var asynchronous = command as? any AsyncParsableCommand else {
      var command = command
      try command.run()
      return try OutputLoss.conclude()
    }
    try await asynchronous.run()
    try OutputLoss.conclude()
  }

  /// What a command and the libraries beneath it open before they have done anything, and some more.
  private static let neededDescriptors = 48

  /// With too few of them each part fails in its own way: a meter is not heard, a file seems not to be the host's.
  private static func requireDescriptors() throws(GatewayError) {
    if DescriptorLimit.free < neededDescriptors { DescriptorLimit.raise() }
    let free = DescriptorLimit.free
    guard free < neededDescriptors else { return }
    throw GatewayError(
      .unavailable, code: "descriptors",
      "this process can open \(free) more files and sockets and needs \(neededDescriptors); nothing was done",
      hint: "raise its limit (`ulimit -n`, `LimitNOFILE=` of systemd)")
  }
}
