import ArgumentParser
import BluetoothWire
import Foundation
import MeterBluetooth
import MeterCore
import GatewayAPI

/// `meterhost pair`: pairs a meter and enters what belongs to it.
struct PairCommand: AsyncParsableCommand, InterruptibleCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Pair a meter with this gateway.",
    discussion: """
      Listens for the meter and pairs with it. What the meter or its driver needs from a person, such as a passkey or the meter's own key, is
      asked on the terminal. A key is kept encrypted, and is not kept when the meter refuses it.

      EXAMPLES
        meterhost pair 10500
        meterhost pair 5000 --slot 2                   the second person of a scale, whose code is asked for
        meterhost pair 10500 --allow 7C:01:0A:60:05:00 --json --answers answers.txt
      """)

  @Argument(help: "The peripheral's id in the catalogue.")
  var peripheral: UInt32
  @Option(
    help: ArgumentHelp(
      "Pair only this meter, by its address, or by UUID or name when it is known; may be repeated.", valueName: "meter"),
    completion: .meters)
  var allow: [String] = []
  @Option(help: ArgumentHelp("How long to listen for the meter.", valueName: "seconds"))
  var timeout = 60.0
  @Option(help: ArgumentHelp("Your user slot of a meter that several people share.", valueName: "number"))
  var slot: UInt16?
  @OptionGroup var answers: AnswerOptions
  @OptionGroup var radio: RadioOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func validate() throws {
    guard timeout > 0, timeout <= 86_400 else {
      throw ValidationError("--timeout takes seconds above 0, at most 86400.")
    }
  }

  func run() async throws {
    let answers = try answers.answers(json: output.json)
    var request = PairRequest(peripheral: peripheral)
    request.allow = try await locations.allowed(allow)
    request.timeout = timeout
    request.slot = slot
    request.radio = radio.choice
    request.answersQuestions = answers.isStaffed
    let view = ReadView(json: output.json)
    if !request.answersQuestions {
      view.warn("nobody can be asked here: run this at a terminal, or give the answers with --answers")
    }
    let (asked, locations) = (request, locations)
    try await view.follow(answers) { try await locations.converse(asked, with: $0) }
  }
}

/// Where answers come from; the same on every command that may ask.
struct AnswerOptions: ParsableArguments {
  @Option(
    name: .customLong("answers"),
    help: ArgumentHelp(
      "Answer questions from this file: one answer a line, an empty line refuses.", valueName: "file"),
    completion: .file())
  var file: String?

  func answers(json: Bool) throws(GatewayError) -> Answers { try Answers(file: file, json: json) }
}
