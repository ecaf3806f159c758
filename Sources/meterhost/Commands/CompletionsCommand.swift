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

  @Argument(help: "bash, zsh or fish.")
  var shell: CompletionShell

  func run() { Terminal().out(MeterHostCommand.completionScript(for: shell)) }
}

