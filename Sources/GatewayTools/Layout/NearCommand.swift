import HostPrimitives

/// A command among commands, by names alone.
package struct CommandName: Sendable {
  package let name: String
  package let subcommands: [CommandName]
  /// Whether something is done without a further word.
  package let hasDefault: Bool

  package init(_ name: String, _ subcommands: [CommandName], hasDefault: Bool) {
    (self.name, self.subcommands, self.hasDefault) = (name, subcommands, hasDefault)
  }

  /// A word that is no command, where one was expected.
  package struct Unknown: Sendable, Hashable {
    /// The commands before it.
    package let path: [String]
    package let word: String
    /// A command with nearly that name; nil: there is none.
    package let guess: String?
  }

  /// Finds the word of a command line that is no command; nil where every word that has to be one is.
  ///
  /// - Parameter arguments: Without the program's name.
  package func unknown(in arguments: [String]) -> Unknown? {
    var (command, path) = (self, [name])
    for word in arguments {
      // What stands behind an option may be its value.
      guard !word.hasPrefix("-"), !command.subcommands.isEmpty else { return nil }
      if let next = command.subcommands.first(where: { $0.name == word }) {
        (command, path) = (next, path + [word])
        continue
      }
      let known = command.subcommands.map(\.name)
      let guess = nearest(to: word, among: known) ?? known.first { word.count > 2 && $0.hasPrefix(word) }
      guard !command.hasDefault || guess != nil else { return nil }
      return Unknown(path: path, word: word, guess: guess)
    }
    return nil
  }
}
