import GatewayAPI
import ArgumentParser
import Foundation
import MeterDrivers
import GatewayTools

extension DriverCommand {
  struct Recordings: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "recordings", abstract: "Show, keep, hand on and remove recordings of sessions with drivers.",
      discussion: """
        A recording is written, encrypted, when a fault of a driver ends a session, and of every session with `settings --all on` or
        `read --record`. It goes with its session, and by age, number and size.
        """,
      subcommands: [List.self, Show.self, Export.self, Keep.self, Remove.self, Settings.self, Support.self, Key.self],
      defaultSubcommand: List.self)

    struct List: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the recordings, the oldest first.",
        discussion: "EXAMPLE\n  meterhost driver recordings list --json")

      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() throws {
        let recordings = try RecordingDesk(locations: locations.locations).list()
        let terminal = Terminal()
        guard !output.json else { return recordings.forEach { terminal.json($0) } }
        guard !recordings.isEmpty else { return terminal.error("there are no recordings") }
        terminal.table(
          ["NAME", "END", "EVENTS", "BYTES", "KEPT"],
          recordings.map { recording in
            [
              recording.name, recording.fault ?? recording.end ?? "cannot be read",
              recording.events.map(String.init) ?? "", "\(recording.size)", recording.kept ? "yes" : "no",
            ]
          })
      }
    }

    struct Show: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what a recording is of; never what the meter sent.",
        discussion: "EXAMPLE\n  meterhost driver recordings show ./from-a-customer.mhrec --key support.key")

      @Argument(
        help: ArgumentHelp("A recording's name, the beginning of it, or a file.", valueName: "name or file"),
        completion: .file())
      var target: String
      @Option(help: ArgumentHelp("The private support key.", valueName: "file"), completion: .file())
      var key: String?
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() throws {
        let desk = try RecordingDesk(locations: locations.locations, keyFile: key)
        let shown = try desk.show(try desk.named(target))
        let terminal = Terminal()
        guard !output.json else { return terminal.json(shown) }
        let head = shown.recording
        let facts = (shown.facts ?? [:]).sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        terminal.list([
          ("name", head.name), ("written", head.created ?? ""),
          ("driver", "\(head.driver ?? "") \(head.version ?? "")"),
          ("bundle", "\(head.bundle ?? "") \(head.sha256 ?? "")"),
          ("peripheral", head.peripheral.map { "\($0)" } ?? ""),
          ("host", head.host ?? ""), ("end", head.fault ?? head.end ?? ""), ("fault", shown.fault ?? ""),
          ("events", head.events.map { "\($0)" } ?? ""), ("of which", facts.joined(separator: ", ")),
          ("records", shown.records.map { "\($0)" } ?? ""), ("answers", shown.answers.map { "\($0)" } ?? ""),
          ("left out", head.truncated == true ? "what came after it was full" : ""),
          ("kept", head.kept ? "until it is removed" : "until its session ends, or 30 days by default"),
          (
            "opens with",
            (shown.keys.filter { $0 == "vault" } + shown.supportKeys.map { "support key \($0)" })
              .joined(separator: ", ")
          ),
          ("closed", shown.problem ?? ""),
        ])
      }
    }

    struct Export: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a copy that only the support key opens.",
        discussion: "EXAMPLE\n  meterhost driver recordings export NAME crash.mhrec --support-key support.key.pub")

      @Argument(help: ArgumentHelp("A recording's name, the beginning of it, or a file.", valueName: "name or file"))
      var target: String
      @Argument(help: ArgumentHelp("The copy; there must be no such file.", valueName: "file"))
      var file: String
      @Option(help: ArgumentHelp("A public support key in place of the one that is set.", valueName: "file"))
      var supportKey: String?
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() throws {
        let desk = try RecordingDesk(locations: locations.locations)
        try desk.export(try desk.named(target), to: file, supportKey: supportKey)
        Recordings.tell(output, ["exported": file], "\(file) is written; the private support key opens it")
      }
    }

    struct Keep: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "keep", abstract: "Keep a recording past its session and all limits, until it is removed.",
        discussion:
          "It is health data of the session's user: ask first.\n\nEXAMPLE\n  meterhost driver recordings keep NAME")

      @Argument(help: "The recording's name, or the beginning of it.")
      var name: String
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() throws {
        let desk = try RecordingDesk(locations: locations.locations)
        let name = try desk.named(self.name)
        try desk.keep(name)
        Recordings.tell(output, ["kept": name], "\(name) stays until `meterhost driver recordings remove \(name)`")
      }
    }

    struct Remove: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove recordings.",
        discussion: "EXAMPLES\n  meterhost driver recordings remove NAME\n  meterhost driver recordings remove --all")

      @Argument(help: "The recordings' names, or the beginning of each.")
      var names: [String] = []
      @Flag(help: "All of them, also those that are kept.")
      var all = false
      @OptionGroup var confirmation: ConfirmOptions
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func validate() throws {
        guard all != !names.isEmpty else { throw ValidationError("Name recordings, or give --all.") }
      }

      func run() throws {
        let desk = try RecordingDesk(locations: locations.locations)
        let removed = try all ? desk.list().map(\.name) : names.map { try desk.named($0) }
        try confirmation.confirmNow(
          removed.count == 1 ? "Remove this recording?" : "Remove these \(removed.count) recordings?",
          json: output.json,
          losing: Array(removed.prefix(10)))
        for name in removed {
          try desk.remove(name)
          Recordings.tell(output, ["removed": name], "\(name) is removed")
        }
      }
    }

    struct Settings: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show or change what is recorded and how long it stays.",
        discussion:
          "EXAMPLES\n  meterhost driver recordings settings\n  meterhost driver recordings settings --all on --days 7")

      enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

      @Option(help: "Write a recording of every session, not only of those that a fault ends.")
      var all: Switch?
      @Option(help: ArgumentHelp("Days after which a recording goes, 1 to 365.", valueName: "number"))
      var days: Int?
      @Option(help: ArgumentHelp("Most recordings, 1 to 10000.", valueName: "number"))
      var number: Int?
      @Option(help: ArgumentHelp("Most MiB of all together, 1 to 10240.", valueName: "number"))
      var megabytes: Int?
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func validate() throws {
        let limits = [("--days", days, 365), ("--number", number, 10_000), ("--megabytes", megabytes, 10_240)]
        for (name, value, most) in limits {
          if let value, !(1...most).contains(value) { throw ValidationError("\(name) takes 1 to \(most).") }
        }
      }

      func run() throws {
        let desk = try RecordingDesk(locations: locations.locations)
        var settings = desk.settings
        if let all { settings.all = all == .on }
        settings.days = days ?? settings.days
        settings.number = number ?? settings.number
        settings.megabytes = megabytes ?? settings.megabytes
        if settings != desk.settings { try desk.set(settings) }
        let terminal = Terminal()
        guard !output.json else { return terminal.json(settings) }
        terminal.list([
          ("recorded", settings.all ? "every session" : "sessions that a driver's fault ends"),
          ("days", "\(settings.days)"), ("number", "\(settings.number)"), ("MiB", "\(settings.megabytes)"),
        ])
      }
    }

    struct Support: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "support-key",
        abstract: "Show, set or remove the public key that recordings are encrypted to, too.",
        discussion: """
          EXAMPLES
            meterhost driver recordings support-key support.key.pub
            meterhost driver recordings support-key --remove
          """)

      @Argument(help: ArgumentHelp("A public support key.", valueName: "file"), completion: .file())
      var file: String?
      @Flag(help: "Encrypt to this gateway only.")
      var remove = false
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func validate() throws {
        guard file == nil || !remove else { throw ValidationError("Give a file, or --remove.") }
      }

      func run() throws {
        let desk = try RecordingDesk(locations: locations.locations)
        let key = file != nil || remove ? try desk.setSupportKey(file: file) : try desk.supportKey()
        Recordings.tell(
          output, ["fingerprint": key],
          key.map { "recordings are encrypted to support key \($0)" } ?? "no support key is set")
      }
    }

    struct Key: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Make a pair of support keys.", subcommands: [Make.self])

      struct Make: ParsableCommand {
        static let configuration = CommandConfiguration(
          commandName: "make", abstract: "Make a pair: the private key in the file, the public one in FILE.pub.",
          discussion: "EXAMPLE\n  meterhost driver recordings key make support.key")

        @Argument(help: ArgumentHelp("The private key; there must be no such file.", valueName: "file"))
        var file: String
        @OptionGroup var output: OutputOptions

        func run() throws {
          let fingerprint = try RecordingDesk.makeSupportKey(at: file)
          Recordings.tell(
            output, ["fingerprint": fingerprint],
            "support key \(fingerprint): keep \(file) secret, and give \(file).pub to the gateways")
        }
      }
    }

    fileprivate static func tell(_ output: OutputOptions, _ json: [String: String?], _ text: String) {
      let terminal = Terminal()
      output.json ? terminal.json(json) : terminal.out(text)
    }
  }
}
