import ArgumentParser

/// How results are shown; the same on every command.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON: one object, or one object a line for lists.")
  var json = false
}
