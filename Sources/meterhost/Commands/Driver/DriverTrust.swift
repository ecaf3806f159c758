import ArgumentParser
import MeterDrivers
import GatewayAPI
import GatewayTools

extension DriverCommand {
  struct Trust: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "trust", abstract: "Say whose drivers may be installed.",
      subcommands: [List.self, Add.self, Remove.self, Revoke.self, Floor.self, Policy.self],
      defaultSubcommand: List.self)

    static func tell(_ list: TrustDescription, asJSON: Bool) {
      let terminal = Terminal()
      guard !asJSON else { return terminal.json(list) }
      terminal.list([
        ("file", list.file), ("unsigned packages", list.allowsUnsigned ? "with --unsigned" : "refused"),
        ("signatures", list.requiresSignatures ? "required of every fragment" : "optional"),
      ])
      for publisher in list.publishers {
        let scope = publisher.drivers.isEmpty ? "for nothing" : "for \(publisher.drivers.joined(separator: ", "))"
        terminal.out("\(publisher.id): \(publisher.name), \(scope)")
        for key in publisher.keys { terminal.out("  key     \(key)") }
        for key in publisher.indexKeys ?? [] { terminal.out("  index   \(key)") }
        for key in publisher.revoked { terminal.out("  revoked \(key)") }
      }
      for floor in list.floors { terminal.out("\(floor.drivers): \(floor.version) or newer") }
    }

    struct List: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the trust list.", discussion: "EXAMPLE\n  meterhost driver trust list")

      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() throws { Trust.tell(try GatewayTrust(locations: locations.locations).show(), asJSON: output.json) }
    }

    struct Add: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a publisher, or keys and drivers to one that is there.",
        discussion: """
          Get the key on another way than the package, such as the publisher's web site.

          EXAMPLES
            meterhost driver trust add example --name "Example Ltd" --key 3b6a...29 --drivers org.example.
            meterhost driver trust add example --key 9f01...7c
          """)

      @Argument(help: "A short name for the publisher.")
      var id: String
      @Option(help: "What people call it.") var name: String?
      @Option(help: ArgumentHelp("A public key, 64 hex digits; may be given again.", valueName: "key"))
      var key: [PublisherKey] = []
      @Option(
        help: ArgumentHelp(
          "A public key that signs the publisher's indexes and no packages; may be given again.", valueName: "key"))
      var indexKey: [PublisherKey] = []
      @Option(
        help: ArgumentHelp(
          "A driver's id, or the beginning of ids that ends with a dot; may be given again.", valueName: "id"))
      var drivers: [String] = []
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() throws {
        let trust = GatewayTrust(locations: locations.locations)
        Trust.tell(
          try trust.add(id, name: name, keys: key, indexKeys: indexKey, drivers: drivers), asJSON: output.json)
      }
    }

    struct Remove: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take a publisher, or one of its keys, off the list.",
        discussion: """
          What it has signed is no longer loaded. A key that somebody else may have is revoked instead. Keys that were revoked stay on
          the list.

          EXAMPLE
            meterhost driver trust remove example
          """)

      @Argument(help: "The publisher's short name.")
      var id: String
      @Option(help: ArgumentHelp("Only this key; may be given again.", valueName: "key"))
      var key: [PublisherKey] = []
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() throws {
        Trust.tell(try GatewayTrust(locations: locations.locations).remove(id, keys: key), asJSON: output.json)
      }
    }

    struct Revoke: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Say that a publisher's key counts no more, for good.",
        discussion: """
          Whatever it has signed, at any time, is neither installed nor loaded any more; a package that another key of the publisher
          has signed too still is.

          EXAMPLE
            meterhost driver trust revoke example --key 3b6a...29
          """)

      @Argument(help: "The publisher's short name.")
      var id: String
      @Option(help: ArgumentHelp("The key; may be given again.", valueName: "key"))
      var key: [PublisherKey]
      @OptionGroup var confirmation: ConfirmOptions
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() throws {
        try confirmation.confirmNow(
          "Revoke \(key.count == 1 ? "this key" : "these \(key.count) keys") of \(id) for good?", json: output.json,
          losing: ["drivers that nobody else has signed are not loaded any more"])
        Trust.tell(try GatewayTrust(locations: locations.locations).revoke(id, keys: key), asJSON: output.json)
      }
    }

    struct Floor: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "floor", abstract: "Set the oldest version of drivers that is used.",
        discussion: """
          Older ones are neither installed nor loaded, whoever has signed them. Without a version the floor is taken away.

          EXAMPLES
            meterhost driver trust floor org.example.scale 1.2.0
            meterhost driver trust floor org.example.
          """)

      @Argument(help: "A driver's id, or the beginning of ids that ends with a dot.")
      var drivers: String
      @Argument(help: "The version.")
      var version: SemanticVersion?
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() throws {
        let trust = GatewayTrust(locations: locations.locations)
        Trust.tell(try trust.setFloor(version, drivers: drivers), asJSON: output.json)
      }
    }

    struct Policy: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "policy", abstract: "Say what holds for drivers that nobody has signed.",
        discussion: """
          EXAMPLES
            meterhost driver trust policy --unsigned allowed
            meterhost driver trust policy --signatures required
          """)

      enum Unsigned: String, ExpressibleByArgument, CaseIterable { case allowed, refused }
      enum Signatures: String, ExpressibleByArgument, CaseIterable { case required, optional }

      @Option(help: "Whether `driver install --unsigned` takes packages that nobody has signed.")
      var unsigned: Unsigned?
      @Option(help: "Whether drivers of fragments are loaded only with a signature that counts.")
      var signatures: Signatures?
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() throws {
        let trust = GatewayTrust(locations: locations.locations)
        Trust.tell(
          try trust.setPolicy(
            allowsUnsigned: unsigned.map { $0 == .allowed }, requiresSignatures: signatures.map { $0 == .required }),
          asJSON: output.json)
      }
    }
  }
}
