import ArgumentParser

/// The name of a receiver.
struct SinkNameOptions: ParsableArguments {
  @Argument(help: "The receiver's name, or the beginning of it.", completion: .sinks)
  var name: String
}
