import ArgumentParser

/// `meterhost receive`: the receiver's own program, `meterhost-receiver serve`.
struct ReceiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive", abstract: "Run a receiver that stores every reading once.",
    discussion: """
      Becomes `meterhost-receiver serve`, which has to be installed beside this
      program; `meterhost-receiver serve --help` says what it takes, --json among
      it. That program makes users, too, and speaks TLS.

      EXAMPLES
        meterhost receive --database receiver.sqlite --port 8080
        meterhost receive --from tls://nats.example --seed-file main.seed \\
          --database 'postgres:///readings?host=/run/postgresql'
      """)

  @Argument(parsing: .captureForPassthrough, help: "What `meterhost-receiver serve` takes.")
  var arguments: [String] = []

  func run() throws {
    // What is passed on is not the argument parser's, and neither is a question for help among it.
    if ["--help", "-h"].contains(arguments.first) { throw CleanExit.helpRequest(self) }
    throw ReceiverProgram.become(["serve"] + arguments)
  }
}
