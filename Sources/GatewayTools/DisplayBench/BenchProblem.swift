import GatewayAPI

/// Why a photograph of a labelled set could not be measured: what is wrong and, where somebody can do something, what.
struct BenchProblem: Error, Sendable, Hashable {
  let message: String

  init(_ message: String) { self.message = message }

  /// What is an error where a command names it is one photograph's problem where a line of the labels does.
  init(_ error: GatewayError) { message = error.hint.map { "\(error.message); \($0)" } ?? error.message }
}
