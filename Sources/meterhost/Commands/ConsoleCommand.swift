import ArgumentParser
import Foundation
import GatewayAPI
import GatewayTools

/// How `meterhost run` serves the console.
struct ConsoleOptions: ParsableArguments {
  @Option(
    // The next word only: further ones are values of other options.
    name: .customLong("console"), defaultAsFlag: ConsoleAddress.standard, parsing: .next,
    help: ArgumentHelp(
      "Serve the console: pages for a browser. Without an address at a free port of 127.0.0.1; an address with its port, or the path of a Unix socket.",
      valueName: "address"))
  var address: String?

  @Option(
    name: .customLong("console-behind-proxy"),
    help: ArgumentHelp(
      "People reach the console by this https address, through a proxy that speaks TLS. Needs a password.",
      valueName: "url"))
  var proxy: String?

  @Option(
    name: .customLong("console-certificate"),
    help: ArgumentHelp(
      "The console speaks TLS itself, with this certificate in PEM. Needs a password. Written anew, it is read again within a minute.",
      valueName: "file"), completion: .file())
  var certificate: String?

  @Option(
    name: .customLong("console-key"),
    help: ArgumentHelp("The private key of --console-certificate in PEM.", valueName: "file"), completion: .file())
  var key: String?

  /// - Throws: ``GatewayError`` with code `console_address` or `console_certificate`.
  func settings() throws(GatewayError) -> ConsoleSettings? {
    guard let address = address ?? ConfigurationInForce.text(.runConsole) else {
      guard proxy == nil, certificate == nil, key == nil else {
        throw GatewayError(
          .usage, code: "console_address", "there is no console for which the proxy or the certificate could stand",
          hint: "add --console ADDRESS")
      }
      return nil
    }
    // What the command line says of one way to the network takes the place of the other way in the file.
    let hasCertificate = certificate != nil || key != nil
    return try ConsoleSettings(
      address: address,
      behindProxy: proxy ?? (hasCertificate ? nil : ConfigurationInForce.text(.runConsoleBehindProxy)),
      certificate: proxy != nil && !hasCertificate
        ? nil
        : ConsoleSettings.Certificate(
          file: certificate ?? ConfigurationInForce.text(.runConsoleCertificate),
          key: key ?? ConfigurationInForce.text(.runConsoleKey)))
  }
}

/// `meterhost console`: the way to the pages of the running host.
struct ConsoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console", abstract: "Open the console of the running host, or set its password.",
    discussion: """
      The console is pages for a browser, served by `meterhost run --console`.

      EXAMPLES
        meterhost console
        meterhost console password
      """,
    subcommands: [Link.self, Password.self], defaultSubcommand: Link.self)

  struct Link: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "link", abstract: "Show a link that opens the console once.",
      discussion: """
        Who has the link first has the console: open it at once, and send it to nobody. It opens nothing any more after five minutes.

        EXAMPLES
          meterhost console
          xdg-open "$(meterhost console)"
        """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let answer = try await locations.perform(ConsoleLinkRequest())
      let terminal = Terminal()
      guard !output.json else { return terminal.json(answer) }
      terminal.out(answer.link)
      if let socket = answer.socket {
        terminal.error(
          "the console listens at the Unix socket \(socket): lead a port of your machine to it, and put that into the link"
        )
      }
      terminal.error("it opens once, within \(answer.seconds / 60) minutes")
    }
  }

  struct Password: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "password", abstract: "Set the password of the console, or take it away.",
      discussion: """
        The password is asked for at the terminal, or read from standard input as one line. A hash of it is kept in the state folder. A console
        that others in the network can reach needs one.

        EXAMPLES
          meterhost console password
          meterhost console password --remove
        """)

    @Flag(help: "Take the password away: only links open the console then.")
    var remove = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let terminal = Terminal()
      var password: String?
      if !remove {
        if SecretInput.isThere { terminal.error("the new password, which is not shown:") }
        guard let line = await SecretInput.line(isSecret: true) else {
          throw GatewayError(.cancelled, code: "cancelled", "no password was given; nothing was changed")
        }
        password = line
      }
      let isSet = try await locations.perform(ConsolePasswordRequest(password))
      output.json
        ? terminal.json(["password": isSet])
        : terminal.error(isSet ? "the console opens by this password from now on" : "the console opens by links only")
    }
  }
}
