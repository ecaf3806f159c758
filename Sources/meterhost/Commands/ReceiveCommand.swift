import ArgumentParser
import Foundation
import GatewayAPI

/// `meterhost receive`: the receiver's own program, `meterhost-receiver serve`.
struct ReceiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive", abstract: "Run a receiver that stores every reading once.",
    discussion: """
      Becomes `meterhost-receiver serve`, which has to be installed beside this
      program; `meterhost-receiver serve --help` says what it takes, --json among
      it. That program makes users, too, and speaks TLS.

      EXAMPLE
        meterhost receive --database receiver.sqlite --port 8080
      """)

  @Argument(parsing: .captureForPassthrough, help: "What `meterhost-receiver serve` takes.")
  var arguments: [String] = []

  func run() throws {
    // What is passed on is not the argument parser's, and neither is a question for help among it.
    if ["--help", "-h"].contains(arguments.first) { throw CleanExit.helpRequest(self) }
    let words = ["meterhost-receiver", "serve"] + arguments
    guard let program = Self.places.first(where: { access($0, X_OK) == 0 }) else {
      throw GatewayError(
        .unavailable, code: "no_receiver_program",
        "the program meterhost-receiver is not installed at \(Self.places.joined(separator: " or "))",
        hint: "install the package meterhost-receiver")
    }
    let pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    execv(program, pointers)
    throw GatewayError(
      .unavailable, code: "no_receiver_program", "\(program) cannot be started: \(String(cString: strerror(errno)))")
  }

  /// Beside this program, or where programs lie that people do not call.
  private static var places: [String] {
    let folder = URL(fileURLWithPath: LocalPlaces.program).deletingLastPathComponent().path
    return ["\(folder)/meterhost-receiver", "\(folder)/../libexec/meterhost/meterhost-receiver"]
  }
}
