import ArgumentParser
import Foundation
import GatewayAPI
import GatewayTools

/// `meterhost setup`: from nothing to the first reading.
struct SetupCommand: AsyncParsableCommand, InterruptibleCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Set a gateway up, question by question, up to its first reading.",
    discussion: """
      Starts a session, looks at the radio, finds and pairs a meter, reads it, and has meters like it read by themselves. An empty line
      takes what stands in brackets. It can be broken off with Ctrl-C at any time and run again: what is there already is kept.

      Without a person, --answers names a file of answers, TOML or JSON, and --yes takes the default of every question without one. The
      keys of the file:

        session.keep            yes, or no: another one begins, which ends a session of another user
        session.user            whose readings they are
        session.organization    the organisation
        session.destination     folder or receiver
        session.folder          the folder, from the root
        session.receiver        the receiver's address
        session.token_file      the file with its token
        radio.without           yes: go on where Bluetooth cannot be used
        meter.read              yes or no
        meter.listen_again      yes or no, where no meter was heard
        meter.address           the meter's address, or its number in the list
        meter.peripheral        the entry of the catalogue, where several fit
        meter.ready             yes: pair now
        meter.history           yes: take what it measured before, too
        passive.on              yes or no
        service.enable          yes or no

      EXAMPLES
        meterhost setup
        meterhost setup --answers answers.toml --yes
        meterhost setup --answers answers.json --yes --air air --json
      """)

  @Option(
    help: ArgumentHelp("Answers to the questions, TOML or JSON.", valueName: "file"),
    completion: .file(extensions: ["toml", "json"]))
  var answers: String?
  @Flag(help: "Ask nothing: what --answers does not say is answered by its default.")
  var yes = false
  @Option(
    help: ArgumentHelp(
      "What the meter asks for while it is paired, such as a passkey: one answer a line, an empty line refuses.",
      valueName: "file"), completion: .file())
  var pairingAnswers: String?
  @Option(help: ArgumentHelp("How long to listen for meters.", valueName: "seconds"))
  var timeout = 10.0
  @OptionGroup var radio: RadioOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func validate() throws {
    guard timeout > 0, timeout <= 600 else { throw ValidationError("--timeout takes seconds above 0, at most 600.") }
  }

  func run() async throws {
    let terminal = Terminal()
    var person = SetupPerson(
      answers: try answers.map(Self.read) ?? SetupAnswers(), takesDefaults: yes, json: output.json)
    let work = SetupWork(
      locations: locations, radio: radio, timeout: timeout, json: output.json,
      answers: try Answers(file: pairingAnswers, json: output.json || yes))
    var setup = SetupMachine()
    steps: while true {
      switch setup.turn {
      case .ask(let question): try await ask(question, &setup, &person)
      case .act(let action):
        setup.report(await work.perform(action))
        // Nobody is there to try it another way.
        if let failure = setup.failure, !person.isThere { throw failure }
        if let failure = setup.failure, setup.isOver { throw failure }
      case .over: break steps
      }
      for line in setup.takeNotices() where !output.json { terminal.notice(line) }
    }
    guard !output.json else { return terminal.json(Done(steps: setup.summary)) }
    for step in setup.summary { terminal.out(step) }
  }

  private struct Done: Encodable {
    let event = "done"
    let steps: [String]
  }

  /// Asks until there is an answer; one of a file that is none ends the setup.
  private func ask(_ question: SetupQuestion, _ setup: inout SetupMachine, _ person: inout SetupPerson) async throws {
    let (answer, isPersons) = try await person.answer(question)
    do throws(GatewayError) { try setup.answer(answer) } catch {
      guard isPersons else { throw error }
      Terminal().error("\(error.message)" + (error.hint.map { ": \($0)" } ?? ""))
    }
  }

  private static func read(_ file: String) throws(GatewayError) -> SetupAnswers {
    guard let handle = FileHandle(forReadingAtPath: file), let data = try? handle.read(upToCount: (64 << 10) + 1),
      data.count <= 64 << 10
    else {
      throw GatewayError(.usage, code: "answers_file", "the file with answers \(file) cannot be read or is too long")
    }
    return try SetupAnswers(Array(data), file: file)
  }
}
