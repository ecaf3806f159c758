import ArgumentParser
import GatewayTools

/// What the argument parser says of a wrong command line, in the form that all errors have.
struct WrongCommandLine {
  let message: String
  let hint: String

  /// - Parameter root: The program's command.
  init(_ error: any Error, of root: any ParsableCommand.Type) {
    if let unknown = Self.unknown(in: CommandLine.arguments.dropFirst(), of: root) {
      (message, hint) = Self.words(unknown)
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

  /// Help that is asked about a word that is no command, to which the argument parser answers with the help of what stands before it; nil
  /// where that is not so.
  ///
  /// - Parameter arguments: Without the program's name.
  init?(helpWith arguments: some Collection<String>, of root: any ParsableCommand.Type) {
    guard arguments.first == "help", let unknown = Self.unknown(in: arguments, of: root) else { return nil }
    (message, hint) = Self.words(unknown)
  }

  private static func words(_ unknown: CommandName.Unknown) -> (message: String, hint: String) {
    let path = unknown.path.joined(separator: " ")
    let guess = unknown.guess.map { "did you mean `\(path) \($0)`? " } ?? ""
    return ("there is no command `\(path) \(unknown.word)`", guess + "`\(path) --help` lists what there is")
  }

  /// The word that is no command; `help` is followed by commands as the program's name is.
  private static func unknown(
    in arguments: some Collection<String>, of root: any ParsableCommand.Type
  ) -> CommandName.Unknown? {
    names(root).unknown(in: Array(arguments.drop { $0 == "help" }))
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
