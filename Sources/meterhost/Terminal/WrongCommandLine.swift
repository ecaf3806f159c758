import ArgumentParser
import GatewayTools

/// What the argument parser says of a wrong command line, in the form that all errors have.
struct WrongCommandLine {
  let message: String
  let hint: String

  /// - Parameter root: The program's command.
  init(_ error: any Error, of root: any ParsableCommand.Type) {
    let names = Self.names(root)
    if let unknown = names.unknown(in: Array(CommandLine.arguments.dropFirst())) {
      let path = unknown.path.joined(separator: " ")
      message = "there is no command `\(path) \(unknown.word)`"
      let guess = unknown.guess.map { "did you mean `\(path) \($0)`? " } ?? ""
      hint = guess + "`\(path) --help` lists what there is"
      return
    }
    let lines = root.fullMessage(for: error, columns: 10_000).split(separator: "\n").map(String.init)
    // "Unknown option '--limt'. Did you mean '--limit'?" is an error and a hint, and so is "The value 'x' is invalid for
    // '--type <type>'. Please provide one of the following:" with a list below it.
    var told = root.message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
    var hints: [String] = []
    for (words, beginning) in [(". Did you mean ", "did you mean "), (". Please provide one of ", "it is one of ")] {
      guard let place = told.firstRange(of: words) else { continue }
      let rest = told[place.upperBound...].replacing("the following:", with: "").replacing("   - ", with: ", ")
      hints.append(beginning + Self.trimmed(String(rest.drop { $0 == "," || $0 == " " })))
      told = String(told[..<place.lowerBound])
    }
    message = Self.sentence(told.isEmpty ? "the command line is wrong" : told)
    // "Help:  <peripheral>  The peripheral's id."
    if let help = lines.first(where: { $0.hasPrefix("Help:") }) {
      let words = help.dropFirst("Help:".count).split(separator: "  ", maxSplits: 1).map(String.init)
      hints.append(Self.trimmed(words.joined(separator: ": ")))
    }
    // "  See 'meterhost read --help' for more information."
    let command = lines.last { $0.hasPrefix("  See '") }?.split(separator: "'").dropFirst().first.map(String.init)
    hints.append("see `\(command ?? "meterhost --help")`")
    hint = hints.joined(separator: "; ")
  }

  /// The commands by their names.
  private static func names(_ command: any ParsableCommand.Type) -> CommandName {
    let configuration = command.configuration
    return CommandName(
      command._commandName, configuration.subcommands.map(names), hasDefault: configuration.defaultSubcommand != nil)
  }

  /// As all errors are written: no capital at the beginning, no full stop at the end.
  private static func sentence(_ text: String) -> String {
    let text = trimmed(text)
    guard let first = text.first, text.dropFirst().first?.isLowercase == true else { return text }
    return first.lowercased() + text.dropFirst()
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.first == " " { text = text.dropFirst() }
    while text.last == "." || text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
