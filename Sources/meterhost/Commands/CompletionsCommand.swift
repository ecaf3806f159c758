import ArgumentParser

/// `meterhost completions`: shell completion.
struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Print a completion script for a shell.",
    discussion: """
      EXAMPLES
        meterhost completions bash > /etc/bash_completion.d/meterhost
        meterhost completions fish > ~/.config/fish/completions/meterhost.fish
      """)

  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash
    case zsh
    case fish
  }

  @Argument(help: "bash, zsh or fish.")
  var shell: Shell

  func run() {
    let known: [Shell: CompletionShell] = [.bash: .bash, .zsh: .zsh, .fish: .fish]
    Terminal().out(MeterHostCommand.completionScript(for: known[shell] ?? .bash))
  }
}
