import Foundation
import TestSupport
import Testing

/// The real `meterhost-receiver` in a sandbox.
struct ReceiverProgram: Sendable {
  let sandbox: Sandbox
  let database: String

  init(_ sandbox: Sandbox, database: String? = nil) {
    self.sandbox = sandbox
    self.database = database ?? sandbox.path("receiver.sqlite")
  }

  /// Runs a command on the database to its end.
  func run(_ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:]) async throws -> Outcome {
    try await run(arguments + ["--database", database], input: input, environment: environment)
  }

  func run(_ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:]) async throws -> Outcome {
    await (try start(arguments, input: input, environment: environment)).outcome()
  }

  func start(
    _ arguments: [String], input: [UInt8]? = [], environment: [String: String] = [:], standardInput: FileHandle? = nil
  ) throws -> Program {
    try Program(
      arguments, in: sandbox, input: input, environment: environment, standardInput: standardInput,
      program: try Installation.shared().receiver)
  }

  /// Starts a receiver on a free port. Returns it with its address.
  func serve(_ options: [String] = [], environment: [String: String] = [:]) async throws -> (Program, url: String) {
    let receiver = try start(
      ["serve", "--database", database, "--port", "0", "--json"] + options, environment: environment)
    let line = try await receiver.line(with: "listening")
    return (receiver, try Outcome.object(line)["url"] as? String ?? "")
  }

  /// Makes an organisation with a user. Returns their tokens.
  func makeUser(_ organization: String = "clinic", _ uid: String = "anna") async throws -> (
    organization: String, user: String
  ) {
    let made = try await run("organization", "add", organization)
    let user = try await run("user", "add", organization, uid)
    try #require(made.status == 0 && user.status == 0, "\(made.err)\(user.err)")
    return (made.lines.last ?? "", user.lines.last ?? "")
  }

  /// What `curl` gets; status 0 and the text of the body.
  func curl(_ arguments: String...) async throws -> ChildProcess.Outcome {
    try await onOwnThread { try ChildProcess.run(tool: "curl", ["--silent", "--show-error"] + arguments) }
  }

  /// A certificate for this machine that has signed itself.
  func certificate(_ name: String = "server", days: Int = 30) async throws -> (certificate: String, key: String) {
    let files = (certificate: sandbox.path("\(name).pem"), key: sandbox.path("\(name).key"))
    let made = try await onOwnThread {
      try ChildProcess.run(
        tool: "openssl",
        [
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "\(days)",
          "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", files.key, "-out",
          files.certificate,
        ])
    }
    try #require(made.status == 0, "\(made.err)")
    return files
  }
}

/// A measurement as a gateway sends it.
enum SentMeasurement {
  static func json(_ number: Int) -> String {
    """
    {"log_id":"0189d8a1-5b0c-8f00-8000-00000000000\(number)","type":"measurement","start_time":"2018-09-20T05:27:07Z",\
    "end_time":"2018-09-20T05:27:07Z","utc_offset":-25200,"offset_origin":"source","metrics":[{"type":"blood_glucose",\
    "origin":"device","unit":"mg/dL","value":111}],"tags":[],"user_notes":[],"source":{"type":"meterhost","device":\
    {"id":"1000","model":"Contour Next One","manufacturer":"Ascensia"}},"version":"1.0"}
    """
  }
}
