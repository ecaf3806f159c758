import Foundation
import TestSupport
import Testing

/// `meterhost key`: what is taken as a key, what is said about it, and what is not.
@Suite(.serialized, .timeLimit(.minutes(60))) struct KeyCommandTests {
  private static let meter = "5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11"

  /// What may be entered under a name, and what becomes of it: nil is stored, else the error's code.
  struct Entry: CustomTestStringConvertible, Sendable {
    let arguments: [String]
    let value: String
    let code: String?
    var testDescription: String { "\(arguments.joined(separator: " ")) \(value.prefix(40)): \(code ?? "stored")" }

    init(_ arguments: [String], _ value: String, _ code: String? = "key_format") {
      (self.arguments, self.value, self.code) = (arguments, value, code)
    }
  }

  private static let authKey = ["32", "agamatrix-authkey.json"]
  private static let encryptionKey = ["51", "encryption-key", "--meter", meter]
  private static let licence = ["51", "validic.license"]

  static let entries: [Entry] = [
    Entry(authKey, #"{"key": "0c0ffee0"}"#, nil), Entry(authKey, #"{"key":"C0FFEE5"}"#, nil),
    Entry(authKey, " {\n  \"key\" : \"a\"\n}\n", nil),
    Entry(authKey, #"{"key": "\#(String(repeating: "9", count: 999))"}"#, nil),
    Entry(["33", "cvshealth-authkey.json"], #"{"key": "c0ffee55a"}"#, nil),
    Entry(authKey, #"{"key": "0xc0ffee55"}"#), Entry(authKey, #"{"key": ""}"#), Entry(authKey, #"{"key": "c0ffee5g"}"#),
    Entry(authKey, #"{"key": "c0 ffee 55"}"#), Entry(authKey, #"{"key": 1234567890}"#),
    Entry(authKey, #"{"kee": "c0ffee55"}"#),
    Entry(authKey, #"{"key": "c0ffee55", "more": 1}"#), Entry(authKey, #"{"key": "c0ffee55", "key": "c0ffee56"}"#),
    Entry(authKey, #"["c0ffee55"]"#), Entry(authKey, "c0ffee55"), Entry(authKey, ""),
    Entry(authKey, #"{"key": "c0ffee55""#),
    Entry(authKey, #"{"key": "\#(String(repeating: "9", count: 5000))"}"#),
    Entry(authKey + ["--meter", meter], #"{"key": "c0ffee55"}"#, "no_meter"),
    Entry(encryptionKey, "00112233445566778899aabbccddeeff", nil),
    Entry(encryptionKey, "00112233445566778899AABBCCDDEEFF\n", nil),
    // The text of a QR code or a card: spaces, lines, colons and hyphens between the digits.
    Entry(encryptionKey, "0011 2233 4455 6677\r\n8899 aabb ccdd eeff\r\n", nil),
    Entry(encryptionKey, "00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff", nil),
    Entry(encryptionKey, "00112233-4455-6677-8899-aabbccddeeff", nil),
    Entry(encryptionKey, "00112233445566778899aabbccddeef"), Entry(encryptionKey, "00112233445566778899aabbccddeeff0"),
    Entry(encryptionKey, "0x00112233445566778899aabbccddeeff"),
    Entry(encryptionKey, "00112233445566778899aabbccddeefg"),
    Entry(encryptionKey, ""), Entry(encryptionKey, "\u{ff10}0112233445566778899aabbccddeeff"),
    Entry(["51", "encryption-key"], "00112233445566778899aabbccddeeff", "meter_needed"),
    Entry(["51", "encryption-key", "--meter", "KT-0001"], "00112233445566778899aabbccddeeff", "unknown_meter"),
    Entry(licence, "any file\0at all", nil), Entry(licence, String(repeating: "l", count: 65536), nil),
    Entry(licence, ""), Entry(licence, String(repeating: "l", count: 65537)),
    Entry(licence, String(repeating: "l", count: 200_000)),
    Entry(licence + ["--meter", meter], "x", "no_meter"), Entry(["10400", "lifescan.license"], "any file", nil),
    Entry(["51", "agamatrix-authkey.json"], "c0ffee55", "unknown_key"),
    Entry(["1000", "key"], "c0ffee55", "unknown_key"),
    Entry(["7", "key"], "c0ffee55", "unknown_peripheral"),
    Entry(licence + ["--file", "/nonexistent"], "", "key_file"), Entry(licence + ["--file", "/"], "", "key_file"),
  ]

  @Test(arguments: entries)
  func aKeyIsCheckedBeforeItIsStored(_ entry: Entry) async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(
        ["key", "set"] + entry.arguments + ["--json"], in: sandbox, input: Array(entry.value.utf8),
        environment: ["METERHOST_LOG": "trace"])
      // Whatever is entered: nothing of it is said again.
      for secret in ["c0ffee5", "8899aabb", "8899 aabb", "8899-aabb", "88:99", "llll"] {
        #expect(!(done.out + done.err).lowercased().contains(secret))
      }
      let list = try await Program.run(["key", "list", "--json"], in: sandbox).objects()
      guard let code = entry.code else {
        #expect(done.status == 0, "\(done.err)")
        #expect(done.err.contains("no meter with this UUID is paired") == entry.arguments.contains("--meter"))
        #expect(list.map { $0["name"] as? String } == [entry.arguments[1]])
        return
      }
      #expect(done.status == 64, "\(done.err)")
      #expect(try done.jsonError()["code"] as? String == code && list.isEmpty, "\(done.err)")
    }
  }

  @Test func aRefusedKeyLeavesTheOneThatWasThere() async throws {
    try await Sandbox.with { sandbox in
      let set = ["key", "set", "32", "agamatrix-authkey.json"]
      #expect(try await Program.run(set, in: sandbox, input: Array(#"{"key": "c0ffee5"}"#.utf8)).status == 0)
      #expect(try await Program.run(set, in: sandbox, input: Array("nonsense".utf8)).status == 64)
      let list = try await Program.run(["key", "list"], in: sandbox)
      #expect(list.out.hasPrefix("agamatrix-authkey.json  peripheral 32  entered "), "\(list.out)")
      let forget = ["key", "forget", "32", "agamatrix-authkey.json"]
      #expect(try await Program.run(forget, in: sandbox).out.contains("is forgotten"))
      let again = try await Program.run(forget, in: sandbox)
      #expect(again.status == 64 && again.err.contains("there is no agamatrix-authkey.json"))
      let empty = try await Program.run(["key", "list"], in: sandbox)
      #expect(empty.status == 0 && empty.out.isEmpty && empty.err.contains("no keys are stored"))
    }
  }

  @Test func filesThatOthersCanReadGetAWarning() async throws {
    try await Sandbox.with { sandbox in
      for (mode, isOpen) in [(0o600, false), (0o640, true), (0o604, true), (0o644, true), (0o400, false)] {
        let file = try sandbox.file("key", #"{"key": "c0ffee5"}"#, mode: mode)
        let done = try await Program.run(["key", "set", "32", "agamatrix-authkey.json", "--file", file], in: sandbox)
        #expect(done.status == 0 && done.err.contains("other users can read \(file): `chmod 600") == isOpen)
        try FileManager.default.removeItem(atPath: file)
      }
      let answers = try sandbox.file("answers", "\n", mode: 0o644)
      let pair = try await Program.run(["pair", "10400", "--answers", answers, "--timeout", "0.2"], in: sandbox)
      #expect(pair.status == 75 && pair.err.contains("other users can read \(answers)"))
    }
  }

  @Test func anAnswersFileThatCannotBeReadIsNamed() async throws {
    try await Sandbox.with { sandbox in
      let long = try sandbox.file("long", String(repeating: "1\n", count: 40_000))
      let binary = sandbox.path("binary")
      try Data([0xff, 0xfe, 0x31]).write(to: URL(filePath: binary))
      for file in ["/nonexistent", long, binary, "/"] {
        let done = try await Program.run(["pair", "10400", "--answers", file, "--json"], in: sandbox)
        #expect(done.status == 64, "\(file)")
        #expect(try done.jsonError()["code"] as? String == "answers")
      }
    }
  }

  @Test func aTypedKeyIsNotShown() async throws {
    try await Sandbox.with { sandbox in
      let terminal = try PseudoTerminal()
      let program = try Program(
        ["key", "set", "51", "encryption-key", "--meter", Self.meter], in: sandbox, standardInput: terminal.program)
      try await program.line(with: "it is not shown", on: .err)
      while terminal.echoes { await Task.yield() }
      // Whoever is asked does not hold the state folder.
      #expect(try await Program.run(["key", "list"], in: sandbox).status == 0)
      try terminal.person.write(contentsOf: Data("00112233445566778899aabbccddeeff\n".utf8))
      let done = await program.outcome()
      #expect(done.status == 0, "\(done.err)")
      #expect(!(done.out + done.err + terminal.screen()).contains("8899aabb") && terminal.echoes)
      let giveUp = try PseudoTerminal()
      let other = try Program(
        ["key", "set", "51", "validic.license", "--json"], in: sandbox, standardInput: giveUp.program)
      try await other.line(with: "it is not shown", on: .err)
      while giveUp.echoes { await Task.yield() }
      try giveUp.person.write(contentsOf: Data([0x61, 0x03]))
      let ended = await other.outcome()
      #expect(ended.status == 130 && giveUp.echoes)
      #expect(try ended.jsonError()["code"] as? String == "cancelled")
    }
  }
}
