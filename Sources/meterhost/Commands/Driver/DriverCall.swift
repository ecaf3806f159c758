import ArgumentParser
import MeterDrivers
import GatewayAPI
import GatewayTools

extension DriverCommand {
  struct Call: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "call", abstract: "Call a function that a driver offers beside reading meters.",
      discussion: """
        Without a function, lists those of the driver. The driver runs in a worker of its own, and is given nothing but the
        arguments. Bytes are hex digits, or @FILE; write -- in front of arguments of which one begins with a hyphen.

        EXAMPLES
          meterhost driver call org.meterhost.glucose
          meterhost driver call org.meterhost.glucose self_test
          meterhost driver call org.meterhost.glucose clock_time --describe
          meterhost driver call org.meterhost.glucose clock_time e907030a153400 --json
        """, helpNames: [])

    @Argument(help: "The driver's id.", completion: .custom { _, _, prefix in InstalledNames.drivers(prefix) })
    var id: String?
    @Argument(help: "The function's name.", completion: .custom { InstalledNames.functions($0, $2) })
    var function: String?
    @Argument(help: "What it is given, in its order.")
    var arguments: [String] = []
    @Flag(help: "Say what the function takes and gives, and call nothing.")
    var describe = false
    @Flag(name: [.short, .long], help: "Show help information; with a driver's id, also what its functions take.")
    var help = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let terminal = Terminal()
      if help {
        terminal.help(MeterHostCommand.helpMessage(for: Self.self, columns: 10_000))
        if let id { try describeAll(of: id, terminal) }
        return
      }
      guard let id else { throw ValidationError("Missing expected argument '<id>'") }
      guard let function else {
        if describe { return try describeAll(of: id, terminal) }
        return try list(of: id, terminal)
      }
      guard !describe else {
        let found = try locations.gateway().function(function, of: id)
        return output.json ? terminal.json(found) : show(found, terminal)
      }
      let answer: CallDescription
      do throws(GatewayError) {
        answer = try await locations.gateway().call(function, of: id, arguments: arguments)
      } catch {
        if function == "self_test" { await noteSelfTest(error, of: id, terminal) }
        throw error
      }
      guard !output.json else { return terminal.json(answer) }
      for line in answer.log { terminal.error("\(line.level): \(line.message)") }
      terminal.list(
        answer.outputs.map { output in
          let value = output.value.text
          return (
            output.name,
            (value.isEmpty ? "(empty)" : value) + (output.unit.map { " \(UnitSpelling.readable($0))" } ?? "")
          )
        })
    }

    /// A bundle that fails its own test is kept away from patients.
    private func noteSelfTest(_ error: GatewayError, of id: String, _ terminal: Terminal) async {
      let failure = DriverFault(.brokeRule, driver: id, rule: "R24", message: error.message)
      let fault = error.cause as? DriverFault ?? (error.code == "function_failed" ? failure : nil)
      guard let request = fault.flatMap({ SelfTestFaultRequest(driver: id, $0) }) else { return }
      do {
        for offence in try await locations.perform(request) where offence.state == .quarantined {
          terminal.error("\(id) is in quarantine now; `meterhost driver quarantine` shows and lifts it")
        }
      } catch {
        terminal.error("the fault could not be noted: \(GatewayError(describing: error)?.message ?? "\(error)")")
      }
    }

    private func list(of id: String, _ terminal: Terminal) throws {
      let functions = try locations.gateway().functions(of: id)
      guard !output.json else { return functions.forEach { terminal.json($0) } }
      guard !functions.isEmpty else { return terminal.error("\(id) has no functions") }
      terminal.table(["FUNCTION", "SUMMARY"], functions.map { [$0.usage, $0.summary] })
    }

    private func describeAll(of id: String, _ terminal: Terminal) throws {
      let functions = try locations.gateway().functions(of: id)
      guard !output.json else { return functions.forEach { terminal.json($0) } }
      for function in functions { show(function, terminal) }
    }

    private func show(_ function: FunctionDescription, _ terminal: Terminal) {
      terminal.out(function.usage)
      terminal.out("  \(function.summary)")
      for argument in function.arguments {
        terminal.out("  takes  \(head(argument))")
        if let form = argument.form { terminal.out("         \(form)") }
      }
      for output in function.outputs { terminal.out("  gives  \(head(output))") }
      terminal.out("  signature \(function.signature)")
      terminal.out("")
    }

    private func head(_ value: FunctionDescription.Value) -> String {
      let unit = value.unit.map { ", in \(UnitSpelling.readable($0))" } ?? ""
      return "\(value.name) (\(value.type)\(unit))" + (value.summary.isEmpty ? "" : ": \(value.summary)")
    }
  }
}

/// What a shell can complete: names of the registry that the environment or the installation names.
private enum InstalledNames {
  static func drivers(_ prefix: String) -> [String] {
    ((try? LocalCatalogue.installed().drivers()) ?? []).map(\.id).filter { $0.hasPrefix(prefix) }
  }

  /// The functions of the driver whose id stands among the words.
  static func functions(_ words: [String], _ prefix: String) -> [String] {
    guard let catalogue = try? LocalCatalogue.installed() else { return [] }
    let drivers = catalogue.driverIDs
    guard let id = words.first(where: drivers.contains) else { return [] }
    return (try? catalogue.functions(of: id))?.map(\.name).filter { $0.hasPrefix(prefix) } ?? []
  }
}
