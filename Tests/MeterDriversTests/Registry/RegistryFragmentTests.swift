import Foundation
import Testing

@testable import MeterDrivers

/// The drop-in folder: what fragments add and override, and how little a broken one can do.
@Suite("R22 fragments") struct RegistryFragmentTests {
  static let base = RegistryFixture.text()

  static func fragment(_ content: String) -> String { "{\"registry_version\": 1, \(content)}" }

  static let other = """
    "families": [{"id": "other", "name": "Other"}],
    "drivers": [\(RegistryFixture.driver.replacing("example.one", with: "example.two").replacing("\"fam\"", with: "\"other\""))],
    "peripherals": [\(RegistryFixture.peripheral(50).replacing("example.one", with: "example.two"))]
    """

  @Test func addsFamilyDriverAndPeripheral() throws {
    let registry = try RegistryFixture.load(Self.base, fragments: [Self.fragment(Self.other)])
    #expect(registry.problems.isEmpty)
    #expect(registry.family(id: "other") != nil)
    #expect(registry.driver(id: "org.example.two")?.familyID == "other")
    #expect(registry.peripheral(id: 50)?.driverID == "org.example.two")
  }

  /// An entry that waits for its maker's bundle, and what a fragment may put in its place.
  private static func waiting(_ id: Int) -> String {
    RegistryFixture.peripheral(id).replacing(#""driver": "org.example.one","#, with: "")
  }

  @Test func anEntryWithoutADriverGivesItsPlaceToOneWithADriver() throws {
    let base = RegistryFixture.text(peripherals: "\(RegistryFixture.peripheral(1)), \(Self.waiting(51))")
    #expect(try RegistryFixture.load(base).peripheral(id: 51)?.driverID == nil)
    let maker = Self.other.replacing("50", with: "51")
    let registry = try RegistryFixture.load(base, fragments: [Self.fragment(maker)])
    #expect(registry.problems.isEmpty, "\(registry.problems)")
    #expect(registry.peripheral(id: 51)?.driverID == "org.example.two")
    #expect(registry.peripherals.count { $0.key.id == 51 } == 1)
    // The place is taken: a second one has none.
    let second = Self.fragment(#""peripherals": [\#(RegistryFixture.peripheral(51))]"#)
    let both = try RegistryFixture.load(base, fragments: [Self.fragment(maker), second])
    #expect(both.problems.map(\.code) == [.duplicateID] && both.peripheral(id: 51)?.driverID == "org.example.two")
  }

  @Test func aFragmentThatFailsLaterLeavesTheWaitingEntry() throws {
    let base = RegistryFixture.text(peripherals: "\(RegistryFixture.peripheral(1)), \(Self.waiting(51))")
    let broken = Self.fragment(
      Self.other.replacing("50", with: "51") + #", "overrides": [{"id": 77, "kind": "bluetooth"}]"#)
    let registry = try RegistryFixture.load(base, fragments: [broken])
    #expect(registry.problems.count == 1)
    #expect(registry.peripheral(id: 51)?.driverID == nil && registry.driver(id: "org.example.two") == nil)
    // And it can still be taken.
    let good = Self.fragment(#""peripherals": [\#(RegistryFixture.peripheral(51))]"#)
    let later = try RegistryFixture.load(base, fragments: [broken, good])
    #expect(later.peripheral(id: 51)?.driverID == "org.example.one" && later.problems.count == 1)
  }

  @Test func onlyADriverOfTheSameTypeTakesAPlace() throws {
    let base = RegistryFixture.text(peripherals: "\(RegistryFixture.peripheral(1)), \(Self.waiting(51))")
    let otherType = RegistryFixture.peripheral(51).replacing(#""glucose_meter""#, with: #""inr""#)
    for entry in [Self.waiting(51), otherType] {
      let registry = try RegistryFixture.load(base, fragments: [Self.fragment(#""peripherals": [\#(entry)]"#)])
      #expect(registry.problems.map(\.code) == [.duplicateID] && registry.peripheral(id: 51)?.driverID == nil)
    }
    let twice = RegistryFixture.text(peripherals: "\(Self.waiting(51)), \(RegistryFixture.peripheral(51))")
    #expect(throws: RegistryError.self) { try RegistryFixture.load(twice) }
  }

  @Test func overridesTextsOfAGenericEntry() throws {
    let override = """
      "overrides": [{"id": 1, "kind": "bluetooth", "name": "Our meter", "image_url": "https://example.org/m.png",
        "instructions": "Do this.", "reading_instructions": "Now.", "pairing_instructions": "So.", "disabled": true}]
      """
    let registry = try RegistryFixture.load(Self.base, fragments: [Self.fragment(override)])
    let peripheral = try #require(registry.peripheral(id: 1))
    #expect(peripheral.name == "Our meter" && peripheral.imageURL == "https://example.org/m.png")
    #expect(peripheral.instructions == "Do this." && peripheral.readingInstructions == "Now.")
    #expect(peripheral.pairingInstructions == "So." && peripheral.isDisabled)
    #expect(registry.problems.isEmpty && registry.warnings.isEmpty)
  }

  @Test func theLaterOverrideWinsWithAWarning() throws {
    let fragments = ["A", "B"].map { name in
      Self.fragment("\"overrides\": [{\"id\": 1, \"kind\": \"bluetooth\", \"name\": \"\(name)\"}]")
    }
    let registry = try RegistryFixture.load(Self.base, fragments: fragments)
    #expect(registry.peripheral(id: 1)?.name == "B")
    #expect(registry.warnings.map(\.file) == ["1.json"])
  }

  @Test(arguments: [
    (
      #""overrides": [{"id": 1, "kind": "bluetooth", "driver": "org.example.one"}]"#,
      RegistryError.Code.forbiddenOverride
    ),
    (#""overrides": [{"id": 1, "kind": "bluetooth", "match": []}]"#, .forbiddenOverride),
    (#""overrides": [{"id": 9, "kind": "bluetooth", "name": "x"}]"#, .unknownReference),
    (#""overrides": [{"id": 1, "kind": "ocr", "name": "x"}]"#, .unknownReference),
    (#""families": [{"id": "fam", "name": "Again"}]"#, .duplicateID),
    (#""peripherals": 5"#, .wrongType),
    (
      #""overrides": [{"id": 1, "kind": "bluetooth", "name": "x"}], "families": [{"id": "new", "name": ""}]"#,
      .invalidValue
    ),
  ])
  func aBrokenFragmentIsLeftOutAsAWhole(_ content: String, _ code: RegistryError.Code) throws {
    let registry = try RegistryFixture.load(
      Self.base, fragments: [Self.fragment(content), "{", Self.fragment(Self.other)])
    #expect(registry.problems.map(\.code) == [code, .invalidJSON])
    #expect(registry.problems.map(\.file) == ["0.json", "1.json"])
    #expect(registry.peripheral(id: 1)?.name == "Meter 1")
    #expect(registry.family(id: "new") == nil)
    #expect(registry.driver(id: "org.example.two") != nil, "the sound fragment goes on")
  }

  @Test func whatABrokenFragmentClaimedIsFreeAgain() throws {
    let broken = Self.fragment(Self.other + #", "overrides": [{"id": 9, "kind": "bluetooth"}]"#)
    let registry = try RegistryFixture.load(Self.base, fragments: [broken, Self.fragment(Self.other)])
    #expect(registry.problems.map(\.file) == ["0.json"])
    #expect(registry.drivers.map(\.id) == ["org.example.one", "org.example.two"])
    #expect(registry.peripherals.map(\.id) == [1, 50])
    #expect(registry.families.map(\.id) == ["fam", "other"])
    #expect(registry.peripheral(id: 50) != nil)
  }

  @Test func overridesAreForGenericEntriesOnly() throws {
    let base = RegistryFixture.text(peripherals: RegistryFixture.peripheral(1))
    let override = Self.fragment(#""overrides": [{"id": 1, "kind": "bluetooth", "name": "x"}]"#)
    let registry = try RegistryFixture.load(base, fragments: [override])
    #expect(registry.problems.map(\.code) == [.forbiddenOverride])
  }

  @Test func aFragmentCannotDeclareItselfDevelopment() throws {
    let bare = Self.other.replacing("\"sha256\"", with: "\"x\"")
    let registry = try RegistryFixture.load(
      RegistryFixture.text(development: false), fragments: [Self.fragment("\"development\": true, " + bare)])
    #expect(registry.problems.map(\.code) == [.missingHash])
    #expect(registry.driver(id: "org.example.two") == nil)
    #expect(registry.warnings.contains { $0.path == "$.development" })
  }

  @Test func theFolderIsReadInTheOrderOfNamesAndLinksMayNotLeaveIt() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "registry-\(UUID().uuidString)")
    let dropIn = folder.appending(path: "drop-in")
    try FileManager.default.createDirectory(at: dropIn.appending(path: "drivers"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.base.write(to: folder.appending(path: "registry.json"), atomically: true, encoding: .utf8)
    for (name, content) in [
      ("20-b.json", #""overrides": [{"id": 1, "kind": "bluetooth", "name": "B"}]"#),
      ("10-a.json", #""overrides": [{"id": 1, "kind": "bluetooth", "name": "A"}]"#), ("30-c.json", Self.other),
      (".hidden.json", "broken"), ("readme.txt", "broken"),
    ] {
      try Self.fragment(content).write(to: dropIn.appending(path: name), atomically: true, encoding: .utf8)
    }
    try FileManager.default.createDirectory(
      at: dropIn.appending(path: "40-folder.json"), withIntermediateDirectories: true)
    let registry = try Registry.load(
      RegistrySources(base: folder.appending(path: "registry.json").path, fragments: dropIn.path))
    #expect(registry.peripheral(id: 1)?.name == "B")
    #expect(registry.problems.map(\.code) == [.unreadableFile])

    let driver = try #require(registry.driver(id: "org.example.two"))
    #expect(driver.folder == dropIn.path)
    #expect(throws: RegistryError.self, "no bundle yet") { try registry.libraryPath(of: driver) }
    let library = dropIn.appending(path: "drivers/one.so")
    let outside = folder.appending(path: "outside.so")
    try "x".write(to: outside, atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(at: library, withDestinationURL: outside)
    do throws(RegistryError) {
      _ = try registry.libraryPath(of: driver)
      Issue.record("the link was followed out of the folder")
    } catch {
      #expect(error.code == .escapingPath)
    }
    try FileManager.default.removeItem(at: library)
    try "x".write(to: library, atomically: true, encoding: .utf8)
    #expect(try registry.libraryPath(of: driver).hasSuffix("/drop-in/drivers/one.so"))
  }

  @Test func anAbsentFolderIsNoProblemAndAnAbsentBaseIs() throws {
    let sources = RegistrySources(base: RegistryFixture.repositoryFile, fragments: "/nowhere/at/all")
    #expect(try Registry.load(sources).problems.isEmpty)
    #expect(throws: RegistryError.self) { try Registry.load(RegistrySources(base: "/nowhere/registry.json")) }
    #expect(throws: RegistryError.self, "a device is no registry") {
      try Registry.load(RegistrySources(base: "/dev/zero"))
    }
  }
}
