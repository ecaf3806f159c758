import Foundation
import TestSupport
import Testing

/// Pairing and reading a meter with keys, from the command line; every command is watched for keys in what it says.
@Suite(.serialized, .timeLimit(.minutes(60))) struct KeyedMeterCommandTests {
  typealias Fixture = KeyedMeterFixture

  @Test func aKeyedMeterIsPairedOnceAndEveryReadingComesOnce() async throws {
    try await Fixture.with { fixture in
      let paired = try await fixture.pair([Fixture.passkey, Fixture.key])
      #expect(paired.status == 0, "\(paired.err)")
      let events = try paired.objects()
      let questions = events.compactMap { $0["question"] as? [String: Any] }
      #expect(questions.map { $0["kind"] as? String } == ["passkey", "hex_key"])
      #expect(questions.map { $0["secret"] as? Bool } == [false, true])
      let meter = try await fixture.pairedMeter()
      let keys = try await fixture.keys()
      try #require(keys.map { $0["name"] as? String } == [Fixture.licenceName, "meter-key"])
      #expect(keys.map { $0["scope"] as? String } == ["gateway", "meter"] && keys[1]["meter"] as? String == meter)
      #expect(keys.allSatisfy { Set($0.keys).isSubset(of: ["name", "scope", "peripheral", "meter", "changed"]) })
      let why = try await fixture.run(["driver", "why", Fixture.id])
      #expect(why.status == 0 && why.out.contains("can be used"), "\(why.out)")

      let read = try await fixture.read()
      #expect(read.status == 0, "\(read.err)")
      // The control solution is kept and never delivered; the strip without result is no reading.
      #expect(try read.inrValues() == [2.4, 3.1, 1.2, 2.8])
      let states = try read.objects().flatMap { $0["readings"] as? [[String: Any]] ?? [] }
      #expect(states.map { $0["state"] as? String } == ["held", "held", "excluded", "held"])
      let again = try await fixture.read()
      #expect(again.status == 0)
      #expect(try again.inrValues().isEmpty)
      let all = try await fixture.run(["read", Fixture.id, "--since", "2020-01-01", "--json"])
      #expect(try all.inrValues().isEmpty && all.objects().contains { $0["duplicates"] as? Int == 4 })
    }
  }

  @Test func noFileOfTheGatewayHoldsAKeyInPlain() async throws {
    try await Fixture.with { fixture in
      let answers = try fixture.sandbox.file("answers", "\(Fixture.passkey)\n\(Fixture.key)\n")
      let pairing = try Program(
        ["pair", Fixture.id, "--answers", answers, "--json"], in: fixture.sandbox,
        environment: ["METERHOST_LOG": "trace"])
      try await pairing.line(with: #""event":"paired""#)
      // The program is killed where it stands: the log of the database stays as it is.
      pairing.kill()
      let killed = await pairing.outcome()
      #expect(!(killed.out + killed.err).contains(Fixture.key))
      try expectNoSecret(in: fixture)
      #expect(try await fixture.read().status == 0)
      try expectNoSecret(in: fixture)
      #expect(try await fixture.run(["key", "forget", Fixture.id, Fixture.licenceName]).status == 0)
      try expectNoSecret(in: fixture)
    }
  }

  private func expectNoSecret(in fixture: Fixture) throws {
    let digits = Array(Fixture.key.utf8)
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
    }
    let secrets = [
      Data(digits), Data(Fixture.key.uppercased().utf8), Data(bytes), Data(bytes.reversed()),
      Data(Data(bytes).base64EncodedString().utf8), Data("Example Clinic".utf8), Data("2f71a31b66f6".utf8),
    ]
    let files = try fixture.stateFiles()
    #expect(files.contains { $0.name == "state.sqlite" && !$0.bytes.isEmpty })
    for file in files where file.name != "lock" {
      for (index, secret) in secrets.enumerated() {
        #expect(file.bytes.range(of: secret) == nil, "\(file.name) holds secret \(index)")
      }
    }
  }

  @Test func aMeterThatIsNotPairedIsRefused() async throws {
    try await Fixture.with { fixture in
      let read = try await fixture.read()
      #expect(read.status == 1)
      #expect(try read.errorCode() == "not_paired" && read.errorMessage().contains("`meterhost pair 10500`"))
      let file = try fixture.sandbox.file("answers", "\(Fixture.passkey)\n")
      let asked = try await fixture.run(["read", Fixture.id, "--pair", "--answers", file, "--json"])
      // Paired by now; the key is still not here.
      #expect(asked.status == 69)
      #expect(try asked.errorCode() == "key_missing")
    }
  }

  @Test func aMissingLicenceIsNamedWithItsCure() async throws {
    try await Fixture.with(licence: nil) { fixture in
      for command in ["read", "pair"] {
        let done = try await fixture.run([command, Fixture.id, "--json"])
        #expect(done.status == 69)
        #expect(try done.errorCode() == "licence_missing")
        #expect(try done.errorMessage().contains("`meterhost key set 10500 keyed-meter.license`"))
      }
      let why = try await fixture.run(["driver", "why", Fixture.id, "--json"])
      let answer = try #require(try why.objects().first)
      #expect(why.status == 1 && answer["answer"] as? String == "refused")
      let codes = (answer["candidates"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
      #expect(codes.prefix(2) == ["licence_missing", "key_missing"])
    }
  }

  static let badLicences: [(name: String, text: String, words: String)] = [
    ("expired", Fixture.expiredLicence, "expired"),
    ("prolonged by hand", Fixture.expiredLicence.replacing("2020-02-29", with: "2090-02-29"), "damaged"),
    ("cut off", String(Fixture.licence.dropLast(9)), "damaged"), ("another file", "hello\n", "damaged"),
    ("as long as it may be", String(repeating: "x", count: 65536), "damaged"),
  ]

  @Test(arguments: badLicences.indices)
  func aLicenceThatIsNotGoodEndsTheRead(_ index: Int) async throws {
    let licence = Self.badLicences[index]
    try await Fixture.with(licence: licence.text) { fixture in
      #expect(try await fixture.pair([Fixture.passkey, Fixture.key]).status == 0)
      let read = try await fixture.read()
      #expect(read.status == 69)
      #expect(try read.errorCode() == "licence_missing" && read.errorMessage().contains(licence.words))
      #expect(try read.inrValues().isEmpty)
      // A good one in its place is all that it takes.
      #expect(try await fixture.set(Fixture.licenceName, Fixture.licence).status == 0)
      #expect(try await fixture.read().inrValues().count == 4)
    }
  }

  @Test func aWrongKeyIsNotKept() async throws {
    try await Fixture.with { fixture in
      let paired = try await fixture.pair([Fixture.passkey, Fixture.wrongKey])
      #expect(paired.status == 1)
      #expect(try paired.errorCode() == "key_wrong")
      #expect(try await fixture.keys().map { $0["name"] as? String } == [Fixture.licenceName])
      let missing = try await fixture.read()
      #expect(missing.status == 69)
      let message = try missing.errorMessage()
      #expect(try missing.errorCode() == "key_missing" && message.contains("meterhost key set 10500 meter-key --meter"))
      // The command that the message names, with the key from a pipe.
      let words = message.split(separator: " ")
      let option = try #require(words.firstIndex(of: "--meter"))
      let meter = String(words[words.index(after: option)].replacing("`,", with: ""))
      #expect(try await fixture.set("meter-key", Fixture.wrongKey, meter: meter).status == 0)
      let wrong = try await fixture.read()
      #expect(wrong.status == 1)
      #expect(try wrong.errorCode() == "key_wrong" && wrong.inrValues().isEmpty)
      #expect(try await fixture.set("meter-key", Fixture.key + "\n", meter: meter.uppercased()).status == 0)
      #expect(try await fixture.read().inrValues().count == 4)
    }
  }

  @Test func refusedAndWrongAnswersFailThePairing() async throws {
    try await Fixture.with { fixture in
      let cases: [(answers: [String], status: Int32, code: String)] = [
        ([""], 130, "cancelled"), ([], 130, "cancelled"), (["000000"], 1, "pairing_failure"),
        (["1234", ""], 130, "cancelled"), ([Fixture.passkey, ""], 130, "cancelled"),
        // Paired by now: the key only is asked for.
        (["1234", "", ""], 130, "cancelled"), ([String(Fixture.key.dropLast()), ""], 130, "cancelled"),
      ]
      for (answers, status, code) in cases {
        let done = try await fixture.pair(answers)
        #expect(done.status == status, "\(answers.count): \(done.err)")
        #expect(try done.errorCode() == code)
        #expect(try await fixture.keys().count == 1)
        #expect(try await fixture.run(["meters", "list", "--paired", "--json"]).out.isEmpty)
      }
    }
  }

  @Test func whereNobodyCanBeAskedItSaysSo() async throws {
    try await Fixture.with { fixture in
      let done = try await fixture.run(["pair", Fixture.id], log: "error")
      #expect(done.status == 69 && done.err.contains("nobody can be asked here"), "\(done.err)")
      #expect(done.err.contains("--answers FILE") && !done.err.contains("interrupted"), "\(done.err)")
      for command in [["pair", Fixture.id], ["read", Fixture.id, "--pair"]] {
        let told = try await fixture.run(command + ["--json"])
        #expect(told.status == 69)
        #expect(try told.errorCode() == "answer_needed" && told.errorMessage().contains("the six digits"))
      }
      // Paired with a passkey, and then asked for the key: that can be stored, too.
      let answers = try fixture.sandbox.file("answers", "\(Fixture.passkey)\n")
      _ = try await fixture.run(["read", Fixture.id, "--pair", "--answers", answers])
      let key = try await fixture.run(["pair", Fixture.id, "--json"])
      #expect(key.status == 69)
      #expect(try key.errorMessage().contains("`meterhost key set 10500 meter-key`"), "\(key.err)")
    }
  }

  @Test("the code of a scale that nobody can be asked for", arguments: [["--json"], []])
  func consent(output: [String]) async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let file = try Installation.shared().meters.appending(path: "beurer-bf720.json").path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      let read = ["read", "5000", "--slot", "1", "--pair", "--history", "--timeout", "20", "--no-upload"]
      let done = try await Program.run(read + output, in: sandbox)
      #expect(done.status == 69 && done.err.contains("--answers FILE"), "\(done.err)")
      if !output.isEmpty { #expect(try done.errorCode() == "key_missing") }
      let answers = try sandbox.file("answers", "3752\n")
      let answered = try await Program.run(read + ["--answers", answers, "--json"], in: sandbox)
      #expect(answered.status == 0, "\(answered.err)")
      meter.interrupt()
      _ = await meter.outcome()
    }
  }

  @Test func aPersonTypesPasskeyAndKeyAndTheKeyIsNotShown() async throws {
    try await Fixture.with { fixture in
      let terminal = try PseudoTerminal()
      let program = try Program(["pair", Fixture.id], in: fixture.sandbox, standardInput: terminal.program)
      try await program.line(with: "an empty line refuses", on: .err)
      try terminal.person.write(contentsOf: Data("\(Fixture.passkey)\n".utf8))
      try await program.line(with: "it is not shown", on: .err)
      while terminal.echoes { await Task.yield() }
      // As it stands in a QR code's text or on a card.
      let typed = "8F1D 2C3B-4A59:6877 8695 A4B3 C2D1 E0F0"
      try terminal.person.write(contentsOf: Data("\(typed)\n".utf8))
      let done = await program.outcome()
      #expect(done.status == 0 && done.out.contains("paired KT-0001"), "\(done.err)")
      let screen = terminal.screen()
      #expect(!(done.out + done.err + screen).contains("2C3B") && terminal.echoes)
      #expect(try await fixture.read().inrValues().count == 4)
    }
  }

  @Test func aForgottenMeterLosesBondAndKey() async throws {
    try await Fixture.with { fixture in
      #expect(try await fixture.pair([Fixture.passkey, Fixture.key]).status == 0)
      let meter = try await fixture.pairedMeter()
      let other = "5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11"
      let unknown = try await fixture.run(["meters", "forget", other, "--json"])
      #expect(try unknown.status == 64 && unknown.errorCode() == "unknown_meter")
      #expect(try await fixture.run(["meters", "forget", meter]).status == 0)
      #expect(try await fixture.run(["meters", "list", "--json"]).out.isEmpty)
      #expect(try await fixture.keys().count == 1)
      #expect(try await fixture.read().errorCode() == "not_paired")
    }
  }

  /// Six readings of 2026, 1.6 to 2.1 INR.
  static let otherMemory = [
    "0100e8030031100000",
    "0200d0070031110000",
    "0300b80b0031120000",
    "0400a00f0031130000",
    "050088130031140000",
    "060070170031150000",
  ]

  @Test func aMeterThatWasClearedAndFilledAgainIsReadWhole() async throws {
    try await Sandbox.with { sandbox in
      var fixture = KeyedMeterFixture(sandbox: sandbox, meter: try await Fixture.startMeter(in: sandbox))
      #expect(try await fixture.set(Fixture.licenceName, Fixture.licence).status == 0)
      #expect(try await fixture.pair([Fixture.passkey, Fixture.key]).status == 0)
      #expect(try await fixture.read().inrValues() == [2.4, 3.1, 1.2, 2.8])
      fixture.meter.interrupt()
      _ = await fixture.meter.outcome()
      // The same meter with other readings under the same numbers, and more of them than before.
      let meter = try await Fixture.startMeter(in: sandbox) { script in
        let start = script.range(of: #""records": ["#)?.lowerBound ?? script.endIndex
        let records = Self.otherMemory.map { #"{"measurement": "\#($0)"}"# }.joined(separator: ", ")
        return script[..<start] + #""records": [\#(records)]}"#
      }
      fixture = KeyedMeterFixture(sandbox: sandbox, meter: meter)
      // The new meter's process has no bond; the key stays the same.
      #expect(try await fixture.pair([Fixture.passkey, Fixture.key]).status == 0)
      #expect(try await fixture.read().inrValues() == [1.6, 1.7, 1.8, 1.9, 2.0, 2.1])
      meter.interrupt()
      _ = await meter.outcome()
    }
  }

  @Test func keysAreNotLookedUpWhileAnotherProcessUsesTheStateFolder() async throws {
    try await Fixture.with { fixture in
      let waiting = try Program(
        ["read", "1000", "--timeout", "60", "--json"], in: fixture.sandbox, environment: ["METERHOST_LOG": "error"])
      try await waiting.line(with: "started")
      let why = try await fixture.run(["driver", "why", Fixture.id, "--json"])
      let candidates = try why.objects().first?["candidates"] as? [[String: Any]] ?? []
      let doubts = candidates.filter { $0["code"] as? String == "credential_unknown" }
      #expect(why.status == 0 && doubts.count == 2 && doubts.allSatisfy { $0["verdict"] as? String == "warning" })
      let busy = try await fixture.run(["key", "list", "--json"])
      #expect(busy.status == 75)
      #expect(try busy.errorCode() == "busy")
      waiting.interrupt()
      _ = await waiting.outcome()
    }
  }
}
