import ArgumentParser
import MeterReceiver

/// `meterhost-receiver user`: whose readings are taken.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user",
    abstract: "Make, list, suspend and remove users, in the database of a receiver that runs or not.",
    subcommands: [List.self, Add.self, Token.self, Suspend.self, Resume.self, Remove.self], defaultSubcommand: List.self
  )

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show the users, and how many readings each has.",
      discussion: """
        EXAMPLES
          meterhost-receiver user list
          meterhost-receiver user list --organization clinic --json
        """)

    @Option(help: "Only users of this organisation.")
    var organization: String?
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let users = try database.open().overview(organization: organization)
      let terminal = Terminal()
      if output.json {
        for user in users { terminal.json(UserDescription(user.account, readings: user.readings)) }
      } else if users.isEmpty {
        terminal.error("there are no users")
      } else {
        terminal.table(
          ["ORGANISATION", "USER", "STATUS", "READINGS", "CREATED"],
          users.map {
            [
              $0.account.organization, $0.account.uid, $0.account.status.rawValue, "\($0.readings)",
              "\($0.account.createdAt.prefix(10))",
            ]
          })
      }
    }
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Make a user, and show the token with which their gateway uploads, once.",
      discussion: """
        The database keeps the token's SHA-256 only: what is lost is replaced by
        `user token`. The organisation must be there (`organization add`).

        EXAMPLES
          meterhost-receiver user add clinic patient-1 > patient-1.token
          meterhost-receiver user add clinic patient-1 --json
        """)

    @OptionGroup var user: UserOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try Terminal.requireOutput()
      let (account, token) = try database.open().createUser(organization: user.organization, uid: user.user)
      UserDescription(account, token: token).tell(
        "\(account.uid) of \(account.organization) uploads with this token, which is shown once:", asJSON: output.json)
    }
  }

  struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "token",
      abstract: "Give a user another token, and show it once; the old one is refused from then on.",
      discussion: """
        The user's readings stay theirs. Their gateway ends its session when the old
        token is refused, keeps what it has not delivered in its recovery file, and
        takes the new token by `meterhost session start`.

        EXAMPLES
          meterhost-receiver user token clinic patient-1 > patient-1.token
          meterhost-receiver user token clinic patient-1 --json
        """)

    @OptionGroup var user: UserOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try Terminal.requireOutput()
      let store = try database.open()
      let token = try store.replaceToken(organization: user.organization, uid: user.user)
      let account = try user.account(in: store)
      UserDescription(account, token: token).tell(
        "\(account.uid) of \(account.organization) uploads with this token from now on, which is shown once:",
        asJSON: output.json)
    }
  }
}
