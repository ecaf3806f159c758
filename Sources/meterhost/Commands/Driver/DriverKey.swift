import ArgumentParser
import MeterDrivers

extension DriverCommand {
  struct Key: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "key", abstract: "Make and show the key that a publisher signs packages with.",
      subcommands: [Make.self, Show.self])

    /// What is known of a key.
    struct Description: Encodable {
      var file: String
      var key: String
    }

    struct Make: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Make a key pair in a new file that only you may read.",
        discussion: """
          Keep the file where packages are signed and nowhere else, and a copy under lock. What is printed is the public key: operators put
          it on their trust list.

          EXAMPLE
            meterhost driver key make publisher.key
          """)

      @Argument(help: ArgumentHelp("The new file.", valueName: "file"))
      var file: String
      @OptionGroup var output: OutputOptions

      func run() throws {
        let pair = PublisherKeyPair()
        try pair.write(to: file)
        Key.show(pair, file, asJSON: output.json)
      }
    }

    struct Show: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the public key of a key pair.",
        discussion: "EXAMPLE\n  meterhost driver key show publisher.key")

      @Argument(help: ArgumentHelp("The file with the key pair.", valueName: "file"), completion: .file())
      var file: String
      @OptionGroup var output: OutputOptions

      func run() throws { Key.show(try PublisherKeyPair(file: file), file, asJSON: output.json) }
    }

    private static func show(_ pair: PublisherKeyPair, _ file: String, asJSON: Bool) {
      let terminal = Terminal()
      asJSON ? terminal.json(Description(file: file, key: "\(pair.key)")) : terminal.out("\(pair.key)")
    }
  }
}
