import ArgumentParser
import MeterReceiver

/// `meterhost-receiver organization`: who reads users' records and makes users over HTTP.
struct OrganizationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "organization", abstract: "Make and list organisations, to which users belong.",
    subcommands: [List.self, Add.self, Token.self], defaultSubcommand: List.self)

  /// An organisation as JSON.
  private struct Described: Encodable {
    var organization: String
    var users: Int?
    var token: String?
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show the organisations, and how many users each has.",
      discussion: """
        EXAMPLE
          meterhost-receiver organization list --json
        """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let organizations = try database.open().organizations()
      let terminal = Terminal()
      if output.json {
        for each in organizations { terminal.json(Described(organization: each.id, users: each.users)) }
      } else if organizations.isEmpty {
        terminal.error("there are no organisations")
      } else {
        terminal.table(["ORGANISATION", "USERS"], organizations.map { [$0.id, "\($0.users)"] })
      }
    }
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Make an organisation, and show its token once.",
      discussion: """
        With that token the organisation reads its users' records and makes users
        over HTTP. Makes the database where there is none.

        EXAMPLES
          meterhost-receiver organization add clinic > clinic.token
          meterhost-receiver organization add clinic --json
        """)

    @Argument(help: "Its id: 1 to 128 letters, digits and -._~@+.")
    var organization: String
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try Terminal.requireOutput()
      let token = try database.open(isNew: true).createOrganization(organization)
      OrganizationCommand.tell(organization, token, asJSON: output.json)
    }
  }

  struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "token",
      abstract: "Give an organisation another token, and show it once; the old one is refused from then on.",
      discussion: """
        EXAMPLES
          meterhost-receiver organization token clinic > clinic.token
          meterhost-receiver organization token clinic --json
        """)

    @Argument(help: "The organisation's id.")
    var organization: String
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try Terminal.requireOutput()
      let token = try database.open().replaceToken(organization: organization)
      OrganizationCommand.tell(organization, token, asJSON: output.json)
    }
  }

  private static func tell(_ organization: String, _ token: String, asJSON: Bool) {
    let terminal = Terminal()
    guard !asJSON else { return terminal.json(Described(organization: organization, token: token)) }
    terminal.error("\(organization) reads its users' records and makes users with this token, which is shown once:")
    terminal.out(token)
  }
}
