import StrictJSON
import Testing

@testable import MeterDrivers

/// Every way to be wrong has its code, its place and its cure.
@Suite("R22 refusals of a registry") struct RegistryRefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let from: String
    let to: String
    let code: RegistryError.Code
    let path: String
    var testDescription: String { "\(to.prefix(60)) -> \(code.rawValue)" }
  }

  static let long = String(repeating: "x", count: 10_000_000)

  static let cases: [Case] = [
    Case(
      from: "\"registry_version\": 1", to: "\"registry_version\": 2", code: .unknownVersion, path: "$.registry_version"),
    Case(
      from: "\"registry_version\": 1", to: "\"registry_version\": \"1\"", code: .wrongType, path: "$.registry_version"),
    Case(from: "drivers/one.so", to: "/usr/lib/one.so", code: .escapingPath, path: "$.drivers[0].library"),
    Case(from: "drivers/one.so", to: "drivers/../../one.so", code: .escapingPath, path: "$.drivers[0].library"),
    Case(from: "drivers/one.so", to: "..", code: .escapingPath, path: "$.drivers[0].library"),
    Case(from: "drivers/one.so", to: "", code: .invalidValue, path: "$.drivers[0].library"),
    Case(from: "drivers/one.so", to: "drivers//one.so", code: .invalidValue, path: "$.drivers[0].library"),
    Case(from: "drivers/one.so", to: "drivers\\u0000/one.so", code: .invalidValue, path: "$.drivers[0].library"),
    Case(from: "\"1.2.3\"", to: "\"01.2.3\"", code: .invalidValue, path: "$.drivers[0].version"),
    Case(from: "abab", to: "zzab", code: .invalidValue, path: "$.drivers[0].sha256"),
    Case(
      from: "\"org.example.one\", \"version\"", to: "\"one\", \"version\"", code: .invalidValue, path: "$.drivers[0].id"
    ),
    Case(from: "\"fam\",\n", to: "\"other\",\n", code: .unknownReference, path: "$.drivers[0]"),
    Case(from: "[\"connect\"]", to: "[\"conect\"]", code: .invalidValue, path: "$.drivers[0].capabilities[0]"),
    Case(from: "[\"connect\"]", to: "[\"decode\"]", code: .invalidValue, path: "$.peripherals[0].driver"),
    Case(from: "32768", to: "32767", code: .invalidValue, path: "$.drivers[0].parameters[0].code"),
    Case(from: "\"tone\"", to: "\"no_clock\"", code: .duplicateID, path: "$.drivers[0].parameters[0]"),
    Case(from: "\"id\": 1,", to: "\"id\": 0,", code: .invalidValue, path: "$.peripherals[0].id"),
    Case(from: "\"id\": 1,", to: "\"id\": 1.5,", code: .invalidValue, path: "$.peripherals[0].id"),
    Case(from: "\"id\": 1,", to: "\"id\": 1e99999,", code: .invalidValue, path: "$.peripherals[0].id"),
    Case(from: "glucose_meter", to: "glucose_metre", code: .invalidValue, path: "$.peripherals[0].type"),
    Case(from: "Meter 1", to: "", code: .invalidValue, path: "$.peripherals[0].name"),
    Case(from: "Meter 1", to: "Meter\\n1", code: .invalidValue, path: "$.peripherals[0].name"),
    Case(from: "Meter 1", to: "Meter\\u0000", code: .invalidValue, path: "$.peripherals[0].name"),
    Case(from: "Meter 1", to: "Meter\\u001b[31m", code: .invalidValue, path: "$.peripherals[0].name"),
    Case(from: "Meter 1", to: "Meter \u{202e}esoculg", code: .invalidValue, path: "$.peripherals[0].name"),
    Case(from: "Meter 1", to: "Meter \\u2066x", code: .invalidValue, path: "$.peripherals[0].name"),
    Case(from: "Meter 1", to: "Meter \\ud800", code: .invalidJSON, path: "$"),
    Case(from: "Meter 1", to: long, code: .invalidValue, path: "$.peripherals[0].name"),
    Case(from: "Meter 1", to: long + long, code: .invalidJSON, path: "$"),
    Case(from: "\"Press.\"", to: "\"Press.\\u0007\"", code: .invalidValue, path: "$.peripherals[0].instructions"),
    Case(
      from: "\"requires_pairing\": false", to: "\"requires_pairing\": true", code: .missingKey, path: "$.peripherals[0]"
    ),
    Case(
      from: "\"requires_pairing\": false", to: "\"requires_pairing\": 0", code: .wrongType,
      path: "$.peripherals[0].requires_pairing"),
    Case(
      from: "\"2A18\"", to: "\"2A1\"", code: .invalidValue, path: "$.peripherals[0].services[0].characteristics[0].uuid"
    ),
    Case(
      from: "\"driver\": \"org.example.one\"", to: "\"driver\": \"org.example.two\"", code: .unknownReference,
      path: "$.peripherals[0].driver"),
    Case(from: "\"generic\": true", to: "\"match\": [{}]", code: .missingKey, path: "$.peripherals[0].match[0]"),
    Case(
      from: "\"generic\": true", to: "\"match\": [{\"company_id\": 65536}]", code: .invalidValue,
      path: "$.peripherals[0].match[0].company_id"),
    Case(
      from: "\"generic\": true", to: "\"image_url\": \"http://example.org/x.png\"", code: .invalidValue,
      path: "$.peripherals[0].image_url"),
    Case(
      from: "\"generic\": true", to: "\"image_url\": \"../x.png\"", code: .escapingPath,
      path: "$.peripherals[0].image_url"),
    Case(
      from: "\"generic\": true", to: "\"quirks\": [{\"reason\": \"\", \"parameters\": {\"noclock\": 1}}]",
      code: .unknownReference, path: "$.peripherals[0].quirks[0].parameters.noclock"),
    Case(
      from: "\"generic\": true",
      to: "\"quirks\": [{\"reason\": \"r\", \"match\": [{\"name_prefix\": \"a\"}], \"model_decides\": true, "
        + "\"parameters\": {\"no_clock\": 1}}]",
      code: .missingKey, path: "$.peripherals[0].quirks[0]"),
    Case(
      from: "\"development\": true", to: "\"development\": true, \"development\": true", code: .invalidJSON, path: "$"),
    Case(from: "\"layout_hash\": \"0x", to: "\"layout_hash\": \"0y", code: .invalidValue, path: "$.abi.layout_hash"),
    Case(
      from: "\"abi\": {\(RegistryFixture.version), \"layout", to: "\"abi\": {\"major\": 0, \"minor\": 99, \"layout",
      code: .abiMismatch, path: "$.abi"),
    Case(
      from: "\"families\": [", to: "\"families\": [{\"id\": \"fam\", \"name\": \"Twice\"}, ", code: .duplicateID,
      path: "$.families[1]"),
  ]

  @Test(arguments: cases) func refuses(_ wrong: Case) throws {
    let good = RegistryFixture.text()
    try #require(good.contains(wrong.from))
    let error = try RegistryFixture.refusal(good.replacing(wrong.from, with: wrong.to, maxReplacements: 1))
    #expect(error.code == wrong.code, "\(error)")
    #expect(error.path == wrong.path, "\(error)")
    #expect(error.file == "registry.json")
    #expect(!error.cure.isEmpty && error.position != nil)
    #expect(error.message.utf8.count < 1_000)
    #expect(error.message.unicodeScalars.allSatisfy(isFitForPeople))
  }

  @Test func theFixtureItselfIsFine() throws {
    let registry = try RegistryFixture.load(RegistryFixture.text())
    #expect(registry.problems.isEmpty && registry.warnings.isEmpty && registry.peripherals.count == 1)
  }

  @Test func duplicateIDsAreRefusedPerKind() throws {
    let two = RegistryFixture.peripheral(7) + "," + RegistryFixture.peripheral(7)
    let error = try RegistryFixture.refusal(RegistryFixture.text(peripherals: two))
    #expect(error.code == .duplicateID && error.path == "$.peripherals[1]")
    let kinds =
      RegistryFixture.peripheral(7) + ","
      + RegistryFixture.peripheral(7).replacing("\"kind\": \"bluetooth\"", with: "\"kind\": \"import\"")
    #expect(try RegistryFixture.load(RegistryFixture.text(peripherals: kinds)).peripherals.count == 2)
    let drivers = RegistryFixture.driver + "," + RegistryFixture.driver
    #expect(try RegistryFixture.refusal(RegistryFixture.text(drivers: drivers)).code == .duplicateID)
  }

  @Test func unknownKeysWarnWithAGuess() throws {
    let text = RegistryFixture.text(peripherals: RegistryFixture.peripheral(1, #", "aproval_needed": true"#))
    let registry = try RegistryFixture.load(text)
    let warning = try #require(registry.warnings.first)
    #expect(registry.warnings.count == 1)
    #expect(warning.path == "$.peripherals[0].aproval_needed")
    #expect(warning.message.contains("\"approval_needed\""))
    #expect(registry.peripheral(id: 1)?.isApprovalNeeded == false)
  }

  /// Long lists are decoded by several threads, and nobody can tell.
  @Test(arguments: [1, 64, 65, 1_000]) func longListsAreReadAsShortOnes(_ count: Int) throws {
    func list(_ more: (Int) -> String) -> String {
      (1...count).map { RegistryFixture.peripheral($0, more($0)) }.joined(separator: ",")
    }
    let warned = try RegistryFixture.load(
      RegistryFixture.text(peripherals: list { $0 % 7 == 1 ? #", "unknown\#($0)": 1"# : "" }))
    #expect(warned.peripherals.map(\.id) == (1...UInt32(count)).map { $0 })
    let places = stride(from: 0, to: count, by: 7).prefix(256).map { "$.peripherals[\($0)].unknown\($0 + 1)" }
    #expect(warned.warnings.map(\.path) == places)
    let wrong = Set([count - 1, count / 2, count / 2 + 1])
    let error = try RegistryFixture.refusal(
      RegistryFixture.text(peripherals: list { wrong.contains($0 - 1) ? #", "generic": 7"# : "" }))
    #expect(error.code == .wrongType && error.path == "$.peripherals[\(wrong.min() ?? 0)].generic")
  }

  @Test func errorsNameLineAndColumn() throws {
    let error = try RegistryFixture.refusal("{\n  \"registry_version\": 1,\n  \"development\": maybe\n}")
    #expect(error.position == RegistryPosition(line: 3, column: 18))
    #expect(error.message.hasPrefix("registry.json:3:18: $: "))
  }

  @Test(arguments: [
    ("{\"registry_version\": 1,\n\"registry_version\": 1}", 2, 1), ("{\"registry\\u005fversion\": 1}", 1, 11),
    (String(repeating: "[", count: 25), 1, 25), ("{\"a\": \"\u{1}\"}", 1, 8), ("\u{feff}{}", 1, 1), ("{} {}", 1, 4),
  ])
  func whatIsNoStrictJSONNamesItsPlace(_ text: String, _ line: Int, _ column: Int) throws {
    let error = try RegistryFixture.refusal(text)
    #expect(error.code == .invalidJSON && error.path == "$" && error.file == "registry.json")
    #expect(error.position == RegistryPosition(line: line, column: column))
    #expect(!error.problem.isEmpty && !error.cure.isEmpty)
  }

  @Test func aMissingHashRefusesTheDriverAndNothingElse() throws {
    let bare = RegistryFixture.driver.replacing("one", with: "bare").replacing("\"sha256\"", with: "\"x\"")
    let drivers = RegistryFixture.driver + "," + bare
    let open = try RegistryFixture.load(RegistryFixture.text(development: true, drivers: drivers))
    #expect(open.drivers.count == 2 && open.problems.isEmpty)
    let peripherals =
      RegistryFixture.peripheral(1) + ","
      + RegistryFixture.peripheral(2, #", "match": [{"name_prefix": "B"}]"#)
      .replacing("example.one", with: "example.bare")
    let sealed = try RegistryFixture.load(
      RegistryFixture.text(development: false, drivers: drivers, peripherals: peripherals))
    #expect(sealed.drivers.map(\.id) == ["org.example.one"])
    #expect(sealed.problems.map(\.code) == [.missingHash])
    #expect(sealed.problems.first?.path == "$.drivers[1]")
    let seen = SeenDevice(name: "B1")
    #expect(sealed.match(seen) == .none)
    let candidate = try #require(sealed.candidates(for: seen).first { $0.peripheral.id == 2 })
    #expect(candidate.verdict == .failed && candidate.explanation.contains("was refused"))
    #expect(candidate.cure.contains("seal-registry"))
  }

  @Test func aRegistryOfAnotherContractIsRefused() throws {
    #expect(throws: RegistryError.self) {
      _ = try Registry.load(
        base: Array(RegistryFixture.text().utf8),
        abi: CompiledABI(version: CompiledABI.current.version, layoutHash: 1))
    }
  }
}
