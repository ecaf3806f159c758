import ArgumentParser
import MeterReceiver

extension UserCommand {
  struct Suspend: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "suspend",
      abstract: "Refuse a user's uploads; what is stored stays, and stays readable to the organisation.",
      discussion: """
        The user's gateway is answered with 401, and ends its session.

        EXAMPLE
          meterhost-receiver user suspend clinic patient-1 --json
        """)

    @OptionGroup var user: UserOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try UserCommand.setStatus(.suspended, of: user, in: database, asJSON: output.json) }
  }

  struct Resume: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resume", abstract: "Take a suspended user's uploads again, with the same token.",
      discussion: """
        EXAMPLE
          meterhost-receiver user resume clinic patient-1 --json
        """)

    @OptionGroup var user: UserOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try UserCommand.setStatus(.active, of: user, in: database, asJSON: output.json) }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Delete a user; with readings only if that is said.",
      discussion: """
        A user who has readings is not removed (has_readings) unless
        --with-readings says that the readings and their images go, too. Nothing of
        it can be read again afterwards, other than from a backup. `user suspend`
        keeps everything.

        EXAMPLES
          meterhost-receiver user remove clinic patient-1
          meterhost-receiver user remove clinic patient-1 --with-readings --yes
        """)

    @OptionGroup var user: UserOptions
    @Flag(help: "Delete the user's readings and images, too.")
    var withReadings = false
    @Flag(help: "Do not ask.")
    var yes = false
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    private struct Removed: Encodable {
      var organization: String
      var uid: String
      var removed = true
      var readings: Int
    }

    func run() throws {
      let store = try database.open()
      let (organization, uid) = (user.organization, user.user)
      if !yes, let found = try store.overview(organization: organization, uid: uid) {
        let readings = withReadings ? found.readings : 0
        // Of one who is not removed anyway nobody is asked.
        if readings == found.readings {
          try Confirmation.require(
            "Delete \(uid) of \(organization) and \(readings) stored readings, for good?", isGiven: yes,
            asksPerson: !output.json)
        }
      }
      let readings = try store.deleteUser(organization: organization, uid: uid, withReadings: withReadings)
      let terminal = Terminal()
      output.json
        ? terminal.json(Removed(organization: organization, uid: uid, readings: readings))
        : terminal.error("\(uid) of \(organization) is removed, and \(readings) readings")
    }
  }

  fileprivate static func setStatus(
    _ status: ReceiverAccount.Status, of user: UserOptions, in database: DatabaseOptions, asJSON: Bool
  ) throws {
    let store = try database.open()
    try store.setStatus(status, organization: user.organization, uid: user.user)
    let account = try user.account(in: store)
    UserDescription(account).tell("\(account.uid) of \(account.organization) is \(status.rawValue)", asJSON: asJSON)
  }
}
