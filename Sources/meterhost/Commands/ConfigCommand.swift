import ArgumentParser
import Foundation
import GatewayAPI
import GatewayTools
import StrictJSON

/// `meterhost config`: the configuration file.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check the configuration file, and show what holds.",
    subcommands: [Check.self, Show.self], defaultSubcommand: Show.self)

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Check a configuration file; nothing else is done.",
      discussion: """
        Each mistake is a line with its place: FILE:LINE:COLUMN. Exits 64 when there is one, and 0
        when there is none. Without FILE it checks what METERHOST_CONFIG names, else
        /etc/meterhost/meterhost.toml.

        EXAMPLES
          meterhost config check
          meterhost config check new.toml && sudo cp new.toml /etc/meterhost/meterhost.toml
          meterhost config check --json
        """)

    @Argument(help: "The file.", completion: .file(extensions: ["toml"]))
    var file: String?
    @OptionGroup var output: OutputOptions

    private struct Mistake: Encodable {
      var file: String
      var line: Int?
      var column: Int?
      var message: String
      var hint: String?
    }

    func run() throws {
      let file = ConfigurationFile(named: file, environment: ProcessInfo.processInfo.environment)
      let (configuration, problems) = file.check()
      let terminal = Terminal()
      for problem in problems {
        guard !output.json else {
          terminal.json(
            Mistake(
              file: file.path, line: problem.position?.line, column: problem.position?.column,
              message: problem.message, hint: problem.hint))
          continue
        }
        terminal.out(problem.text(of: file.path) + (problem.hint.map { "; \($0)" } ?? ""))
      }
      guard problems.isEmpty else { throw ExitCode(64) }
      guard !output.json else { return }
      terminal.out(
        configuration.file == nil ? "there is no \(file.path); nothing is configured" : "\(file.path) is right")
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show every setting that holds, and where it comes from.",
      discussion: """
        The command line wins over the environment, the environment over the configuration file.

        EXAMPLES
          meterhost config show
          meterhost config show --state /srv/meterhost --json
        """)

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      let rows = ConfigurationKey.allCases.map(row)
      let terminal = Terminal()
      guard !output.json else { return rows.forEach(terminal.json) }
      terminal.table(
        ["SETTING", "VALUE", "FROM"], rows.map { [$0.key, $0.value?.text ?? "", $0.place ?? $0.source.rawValue] })
    }

    private struct Row: Encodable {
      enum Source: String, Encodable {
        case option, environment, file
        case standard = "default"
      }

      var key: String
      var value: Value?
      var source: Source
      /// The option, the variable, or FILE:LINE:COLUMN.
      var place: String?
    }

    private enum Value: Encodable {
      case text(String)
      case texts([String])
      case flag(Bool)

      init(_ value: HostConfiguration.Value) {
        switch value {
        case .text(let text): self = .text(text)
        case .texts(let texts): self = .texts(texts)
        case .flag(let flag): self = .flag(flag)
        }
      }

      var text: String {
        switch self {
        case .text(let text): text
        case .texts(let texts): texts.joined(separator: ", ")
        case .flag(let flag): flag ? "true" : "false"
        }
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .texts(let texts): try container.encode(texts)
        case .flag(let flag): try container.encode(flag)
        }
      }
    }

    private func row(_ key: ConfigurationKey) -> Row {
      if let value = named(key) {
        return Row(key: key.rawValue, value: value, source: .option, place: key.option.map { "--\($0)" })
      }
      if let variable = key.variable, ConfigurationInForce.isInEnvironment(key) {
        let value = ProcessInfo.processInfo.environment[variable, default: ""]
        return Row(key: key.rawValue, value: .text(value), source: .environment, place: variable)
      }
      let configuration = ConfigurationInForce.configuration
      if let placed = configuration[key], let file = configuration.file {
        return Row(
          key: key.rawValue, value: Value(placed.value), source: .file,
          place: "\(file):\(placed.position.line):\(placed.position.column)")
      }
      return Row(key: key.rawValue, value: standard(key), source: .standard, place: nil)
    }

    /// What the command line says.
    private func named(_ key: ConfigurationKey) -> Value? {
      switch key {
      case .state: locations.state.map(Value.text)
      case .registry: locations.registry.map(Value.text)
      case .fragments: locations.fragments.map(Value.text)
      case .trust: locations.trust.map(Value.text)
      case .worker: locations.worker.map(Value.text)
      case .inProcess: locations.inProcess ? .flag(true) : nil
      case .radioAdapters: radio.adapter.isEmpty ? nil : .texts(radio.adapter)
      case .radioAir: radio.air.path.map(Value.text)
      case .log, .runJSON, .runMetrics, .runMetricsPerMeter, .runConsole, .runConsoleBehindProxy,
        .runConsoleCertificate, .runConsoleKey:
        nil
      }
    }

    /// What holds when nobody has said anything.
    private func standard(_ key: ConfigurationKey) -> Value? {
      let places = locations.places
      return switch key {
      case .state: .text(places.state)
      case .registry: .text(places.registry)
      case .fragments: places.fragments.map(Value.text)
      case .trust: .text(places.trust)
      case .worker: places.worker.map(Value.text)
      case .inProcess, .runJSON, .runMetricsPerMeter: .flag(false)
      case .radioAdapters: .texts([])
      case .radioAir, .log, .runMetrics, .runConsole, .runConsoleBehindProxy, .runConsoleCertificate, .runConsoleKey:
        nil
      }
    }
  }
}
