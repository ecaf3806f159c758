import ArgumentParser

/// `meterhost fleet`: the receiver's own program, `meterhost-receiver fleet`. A fleet is the receiver's machine's matter.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Gateways that send readings through a message server (NATS).",
    discussion: """
      Becomes `meterhost-receiver fleet`, which has to be installed beside this
      program; `meterhost-receiver fleet --help` says what it takes, --json among
      it. docs/run-a-fleet.md is the guide.

      EXAMPLES
        meterhost fleet add --organization clinic gw0001 --folder seeds
        meterhost fleet list --database receiver.sqlite
      """)

  @Argument(parsing: .captureForPassthrough, help: "What `meterhost-receiver fleet` takes.")
  var arguments: [String] = []

  func run() throws {
    // What is passed on is not the argument parser's, and neither is a question for help among it.
    if ["--help", "-h"].contains(arguments.first) { throw CleanExit.helpRequest(self) }
    throw ReceiverProgram.become(["fleet"] + arguments)
  }
}
