import Testing

@testable import MeterDrivers

/// Rule R21: which entry a device is.
@Suite("R21 matching") struct RegistryMatchTests {
  private func registry(_ rules: [(Int, String)]) throws -> Registry {
    try RegistryFixture.load(
      RegistryFixture.text(
        peripherals: rules.map { RegistryFixture.peripheral($0.0, ", \"match\": [\($0.1)]") }.joined(separator: ",")))
  }

  private func chosen(_ result: MatchResult) -> UInt32? {
    if case .chosen(let match) = result { match.peripheral.id } else { nil }
  }

  private let seen = SeenDevice(
    services: [UUIDString(uuid16: 0x1808), UUIDString(uuid16: 0x180f)], companyIDs: [103], name: "meter+42",
    address: "C0:00:00:00:00:01", manufacturer: "Roche", model: "Guide 900")

  /// Each rule is more specific than all before it.
  static let ladder = [
    #"{"services": ["1808"]}"#, #"{"services": ["180F", "1808"]}"#, #"{"company_id": 103}"#,
    #"{"services": ["1808"], "company_id": 103}"#, #"{"name_prefix": "me"}"#, #"{"name_prefix": "meter+"}"#,
    #"{"services": ["1808"], "manufacturer_prefix": "roche"}"#, #"{"services": ["1808"], "model_prefix": "guide"}"#,
  ]

  @Test(arguments: ladder.indices.dropFirst())
  func theMoreSpecificRuleWins(_ index: Int) throws {
    let rules = Self.ladder[...index].enumerated().map { ($0.offset + 1, $0.element) }
    #expect(chosen(try registry(rules).match(seen)) == UInt32(index + 1))
    #expect(chosen(try registry(rules.reversed()).match(seen)) == UInt32(index + 1))
  }

  @Test func rulesThatTieAreBothNamed() throws {
    let registry = try registry([
      (1, #"{"services": ["1808", "180F"]}"#), (2, #"{"services": ["180F", "1808"]}"#), (3, #"{"services": ["1808"]}"#),
    ])
    guard case .ambiguous(let matches) = registry.match(seen) else {
      Issue.record("no tie")
      return
    }
    #expect(matches.map(\.peripheral.id) == [1, 2])
    #expect(registry.ties() == [[PeripheralKey(id: 1), PeripheralKey(id: 2)]])
    #expect(chosen(registry.match(seen, choice: 2)) == 2)
    let candidates = registry.candidates(for: seen)
    #expect(candidates.map(\.verdict) == [.outranked, .outranked, .outranked])
    #expect(candidates[0].explanation.contains("bluetooth 2"))
    let plain = SeenDevice(services: [UUIDString(uuid16: 0x1808)])
    #expect(chosen(registry.match(plain)) == 3, "a tie of others disables nobody else")
  }

  @Test func entriesThatCannotFitDoNotMatter() throws {
    let rules = Self.ladder.enumerated().map { ($0.offset + 1, $0.element) }
    let registry = try registry(rules + [(50, Self.ladder[7]), (60, #"{"services": ["1809"]}"#)])
    var unread = seen
    (unread.manufacturer, unread.model) = (nil, nil)
    for device in [seen, unread, SeenDevice(services: [UUIDString(uuid16: 0x1809)]), SeenDevice()] {
      let fitting = registry.peripherals.filter { $0.fit(device) != .differs }.map(\.id)
      let all = registry.match(device)
      #expect(registry.match(device, among: fitting) == all)
      #expect(registry.match(device, among: fitting.reversed() + fitting + [4711]) == all)
    }
    #expect(chosen(registry.match(seen, among: [2])) == 2)
    #expect(registry.match(seen, among: []) == .none)
  }

  @Test func theUsersChoiceWins() throws {
    let registry = try registry([(1, #"{"services": ["1809"]}"#), (2, #"{"services": ["1808"]}"#)])
    #expect(chosen(registry.match(seen)) == 2)
    #expect(chosen(registry.match(seen, choice: 1)) == 1)
    #expect(registry.match(seen, choice: 99) == .none)
  }

  @Test func deviceInformationIsWaitedFor() throws {
    let registry = try registry([(1, #"{"services": ["1808"], "model_prefix": "Guide"}"#)])
    var early = seen
    early.model = nil
    #expect(registry.match(early) == .needsDeviceInformation([PeripheralKey(id: 1)]))
    #expect(registry.candidates(for: early).map(\.verdict) == [.undecided])
    early.model = ""
    #expect(registry.match(early) == .none)
  }

  @Test(
    "An entry that is known by its model refuses another one that has its name",
    arguments: [("GUIDE 900", 1), ("guide", 1), ("", 1), (nil, 1), ("Other 1", 2)] as [(String?, UInt32)])
  func modelAgainstName(model: String?, id: UInt32) throws {
    let registry = try registry([
      (1, #"{"services": ["1808"], "name_prefix": "meter+"}, {"services": ["1808"], "model_prefix": "Guide"}"#),
      (2, #"{"services": ["1808"]}"#), (3, #"{"services": ["1809"], "name_prefix": "meter+"}"#),
    ])
    var device = seen
    device.model = model
    #expect(chosen(registry.match(device)) == id)
    #expect(chosen(registry.match(device, among: [1, 2])) == id)
    let fits = try #require(registry.peripheral(id: 1)).fit(device)
    #expect(fits == (id == 1 ? .fits : .differs))
    let candidate = registry.candidates(for: device)[0]
    #expect(candidate.verdict == (id == 1 ? .chosen : .failed))
    if id == 2 { #expect(candidate.explanation.contains("\"Other 1\"") && !candidate.cure.isEmpty) }
    // Who names the entry for this device means it.
    #expect(chosen(registry.match(device, choice: 1)) == 1)
  }

  @Test(
    "A name in which the model stands is enough, whatever Device Information says",
    arguments: [("meter+ Guide", 1), ("meter+ GU-IDE 2", 1), ("meter+ Guid", 2)] as [(String, UInt32)])
  func modelInTheName(name: String, id: UInt32) throws {
    let registry = try registry([
      (1, #"{"services": ["1808"], "name_prefix": "meter+"}, {"services": ["1808"], "model_prefix": "Guide"}"#),
      (2, #"{"services": ["1808"]}"#),
    ])
    var device = seen
    (device.name, device.model) = (name, "Model Number")
    #expect(chosen(registry.match(device)) == id)
  }

  @Test(
    "Where the model decides a name is enough only for a meter that does not say its model", arguments: [true, false])
  func quirkOfOneModel(modelDecides: Bool) throws {
    let quirk = """
      , "quirks": [{"reason": "r", "match": [{"name_prefix": "S"}, {"model_prefix": "M1"}], "model_decides": \(modelDecides),
       "parameters": {"no_clock": 1}}]
      """
    let registry = try RegistryFixture.load(
      RegistryFixture.text(peripherals: RegistryFixture.peripheral(1, quirk)))
    let peripheral = try #require(registry.peripheral(id: 1))
    func applies(_ name: String?, _ model: String?) -> Bool {
      !peripheral.parameters(for: DeviceFacts(name: name, model: model)).isEmpty
    }
    #expect(applies("S1", nil) && applies("S1", "") && applies("S1", "m1-a") && applies("X", "M1"))
    #expect(applies("S1", "M2") == !modelDecides && !applies("X", "M2") && !applies("X", nil))
  }

  @Test func candidatesSayWhatFailedFirst() throws {
    let registry = try registry([
      (1, #"{"services": ["1809"], "name_prefix": "x"}"#), (2, #"{"company_id": 5}"#),
      (3, #"{"name_prefix": "Meter"}"#),
      (4, #"{"name_prefix": "meter", "manufacturer_prefix": "Abc"}"#), (5, #"{"services": ["1808"]}"#),
    ])
    let candidates = registry.candidates(for: seen)
    #expect(candidates[0].explanation == "the service 1809 is not advertised")
    #expect(candidates[1].explanation.contains("company 5"))
    #expect(candidates[2].explanation.contains("\"meter+42\" does not start with \"Meter\""))
    #expect(candidates[3].explanation.contains("manufacturer \"Roche\""))
    #expect(candidates[4].verdict == .chosen && candidates[4].cure.isEmpty)
    #expect(candidates.dropLast().allSatisfy { !$0.cure.isEmpty })
  }

  @Test func uuidsCompareHoweverWritten() throws {
    let short = try #require(UUIDString("180f"))
    #expect(short == UUIDString("0000180F") && short == UUIDString("0000180f-0000-1000-8000-00805F9B34FB"))
    #expect(short == UUIDString(uuid16: 0x180f) && short.uuid16 == 0x180f && short.description == "180F")
    #expect(UUIDString(bigEndian: short.bigEndianBytes) == short)
    let vendor = try #require(UUIDString("AF9DF7A1-e595-11e3-96b4-0002a5d5c51b"))
    #expect(vendor.uuid16 == nil && vendor.description == "af9df7a1-e595-11e3-96b4-0002a5d5c51b")
    #expect(UUIDString(bigEndian: vendor.bigEndianBytes) == vendor && vendor.bigEndianBytes.first == 0xaf)
    for wrong in [
      "", "18", "180g", "180F0", "0000180f00001000800000805F9B34FB", "0000180f-0000-1000-8000_00805F9B34FB",
    ] {
      #expect(UUIDString(wrong) == nil)
    }
  }

  @Test func quirksOfTheEntryComeAfterThoseOfTheDriver() throws {
    let driver =
      RegistryFixture.driver.dropLast()
      + #", "quirks": [{"reason": "r", "parameters": {"no_clock": 1, "tone": "la"}}]}"#
    let own = #", "quirks": [{"reason": "r", "match": [{"model_prefix": "G"}], "parameters": {"no_clock": 0}}]"#
    let registry = try RegistryFixture.load(
      RegistryFixture.text(drivers: String(driver), peripherals: RegistryFixture.peripheral(1, own)))
    let peripheral = try #require(registry.peripheral(id: 1))
    let tone = ParameterSetting(name: 0x8000, value: .text("la"))
    #expect(peripheral.parameters(for: DeviceFacts()) == [ParameterSetting(name: 5, value: .integer(1)), tone])
    #expect(
      peripheral.parameters(for: DeviceFacts(model: "guide")) == [ParameterSetting(name: 5, value: .integer(0)), tone])
  }

  @Test func versionsAreOrdered() throws {
    let ordered = [
      "0.1.0", "0.2.0", "0.10.0", "1.0.0-0", "1.0.0-9", "1.0.0-20261122081530", "1.0.0-20261122081531", "1.0.0-alpha",
      "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-rc.2", "1.0.0-rc.11", "1.0.0",
    ]
    let versions = try ordered.map { try #require(SemanticVersion($0)) }
    #expect(versions == versions.shuffled().sorted() && versions.map(\.description) == ordered)
    for wrong in [
      "", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.x", "1.2.3-", "1.2.3-a..b", "1.2.3-01", "-1.2.3", "1.2.99999999999",
    ] {
      #expect(SemanticVersion(wrong) == nil, "\(wrong)")
    }
  }
}
