import Foundation
import TestSupport
import Testing

/// The keyed test meter, its host and its person, each as a process or a file.
struct KeyedMeterFixture {
  static let id = "10500"
  static let key = "8f1d2c3b4a5968778695a4b3c2d1e0f0"
  static let wrongKey = "00000000000000000000000000000001"
  static let passkey = "042817"
  static let licenceName = "keyed-meter.license"
  static let licence = licence(
    expires: "2099-12-31", mac: "2f71a31b66f6f2c50243ff75724e56299b2be5f4bfc69bd2a9b78db0a891b811")
  static let expiredLicence = licence(
    expires: "2020-02-29", mac: "ee1d03d6a3394d7fca7c5206469a3706a65bd986ac1706eb3a823590d13ba45a")

  let sandbox: Sandbox
  let meter: Program

  static func licence(expires: String, mac: String) -> String {
    """
    meterhost-licence 1
    product: org.meterhost.keyed-meter
    licensee: Example Clinic
    expires: \(expires)
    mac: \(mac)

    """
  }

  /// Runs a body while the meter advertises.
  ///
  /// - Parameter change: Changes the meter's script.
  static func with(
    licence: String? = licence, change: (String) -> String = { $0 },
    _ body: (KeyedMeterFixture) async throws -> Void
  ) async throws {
    try await Sandbox.with { sandbox in
      let fixture = KeyedMeterFixture(sandbox: sandbox, meter: try await startMeter(in: sandbox, change))
      if let licence { #expect(try await fixture.set(licenceName, licence).status == 0) }
      try await body(fixture)
      fixture.meter.interrupt()
      _ = await fixture.meter.outcome()
    }
  }

  static func startMeter(in sandbox: Sandbox, _ change: (String) -> String = { $0 }) async throws -> Program {
    let shipped = try Installation.shared().meters.appending(path: "keyed-meter.json")
    let file = try sandbox.file("meter.json", change(try String(contentsOf: shipped, encoding: .utf8)))
    let meter = try Program(["meter", "run", file], in: sandbox)
    try await meter.line(with: "advertising")
    return meter
  }

  /// Runs a command and sees that it shows no key, whatever came of it.
  func run(_ arguments: [String], input: String = "", log: String = "trace") async throws -> Outcome {
    let done = try await Program.run(
      arguments, in: sandbox, input: Array(input.utf8), environment: ["METERHOST_LOG": log])
    let said = (done.out + done.err).lowercased()
    for secret in [Self.key, Self.wrongKey, String(Self.key.prefix(12))] {
      #expect(!said.contains(secret), "\(arguments) shows a key")
    }
    return done
  }

  func set(_ name: String, _ value: String, peripheral: String = id, meter: String? = nil) async throws -> Outcome {
    try await run(
      ["key", "set", peripheral, name] + (meter.map { ["--meter", $0] } ?? []) + ["--json"], input: value)
  }

  /// Pairs with these answers, an empty one refuses.
  func pair(_ answers: [String]) async throws -> Outcome {
    let file = try sandbox.file("answers", answers.joined(separator: "\n") + "\n")
    return try await run(["pair", Self.id, "--answers", file, "--timeout", "20", "--json"])
  }

  func read() async throws -> Outcome { try await run(["read", Self.id, "--timeout", "20", "--json"]) }

  func keys() async throws -> [[String: Any]] { try await run(["key", "list", "--json"]).objects() }

  /// The UUID of the one paired meter.
  func pairedMeter() async throws -> String {
    let meters = try await run(["meters", "list", "--paired", "--json"]).objects()
    return try #require(meters.first?["uuid"] as? String)
  }

  /// Every file below the state folder, by its name.
  func stateFiles() throws -> [(name: String, bytes: Data)] {
    let folder = sandbox.root.appending(path: "state")
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
    return try (all?.allObjects ?? []).compactMap { entry in
      guard let file = entry as? URL, try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
      else { return nil }
      return (file.lastPathComponent, try Data(contentsOf: file))
    }
  }
}

extension Outcome {
  /// The readings of a read's events, by value.
  func inrValues() throws -> [Double] {
    try objects().flatMap { $0["readings"] as? [[String: Any]] ?? [] }
      .compactMap { ($0["values"] as? [[String: Any]])?.first?["value"] as? Double }
  }

  /// The code of the error with `--json`.
  func errorCode() throws -> String? { try jsonError()["code"] as? String }

  func errorMessage() throws -> String { try jsonError()["message"] as? String ?? "" }
}
