import Testing

@testable import MeterDrivers

/// Entries of the kind ocr, and drivers that offer extensions.
@Suite("The registry's displays") struct RegistryDisplayTests {
  static let driver = RegistryFixture.driver.replacing(
    #""capabilities": ["connect"]"#, with: #""capabilities": [], "extensions": ["meterhost.ocr/1-draft"]"#)
  static let extra = #", "driver": "org.example.one""#

  static func display(_ more: String = extra) -> String {
    """
    {"id": 7, "kind": "ocr", "name": "Display", "manufacturer": "", "model": "", "type": "glucose_meter",
     "instructions": "Hold still.", "supported_since": "0.1.0", "maturity": "alpha"\(more)}
    """
  }

  private func text(_ more: String = extra, driver: String = driver) -> String {
    RegistryFixture.text(drivers: driver, peripherals: Self.display(more))
  }

  @Test func aDisplayIsLoadedAndIsNothingInTheAir() throws {
    let registry = try RegistryFixture.load(
      text(Self.extra + #", "units": ["1"], "image_url": "https://example.org/a""#))
    let entry = try #require(registry.peripheral(id: 7, kind: .ocr))
    #expect(entry.connectionKind == .camera && entry.passive == .no && !entry.requiresPairing && entry.units == ["1"])
    #expect(entry.imageURL == "https://example.org/a" && registry.problems.isEmpty && registry.warnings.isEmpty)
    #expect(registry.driver(id: "org.example.one")?.extensions == [.ocr])
    #expect(registry.driver(id: "org.example.one")?.capabilities == [])
    #expect(!registry.isMatchable(entry) && registry.peripheral(id: 7) == nil)
    #expect(registry.isNoBluetoothPeripheral(7).contains("snap read --peripheral 7"))
    #expect(!registry.isNoBluetoothPeripheral(8).contains("snap"))
  }

  @Test(arguments: [
    #""connection_kind": "camera", "requires_pairing": false, "stored_history": false, "passive": "no""#,
    #""announces_before_measurement": false, "match": [], "services": [], "credentials": []"#,
  ])
  func whatIsInTheAirMayBeDenied(keys: String) throws {
    _ = try RegistryFixture.load(text("\(Self.extra), \(keys)"))
  }

  @Test(arguments: [
    #""connection_kind": "connect""#, #""requires_pairing": true, "pairing_instructions": "x""#, #""passive": "yes""#,
    #""match": [{"name_prefix": "x"}]"#, #""services": [{"uuid": "1808", "required": true, "characteristics": []}]"#,
  ])
  func whatIsInTheAirIsRefused(keys: String) throws {
    #expect(try RegistryFixture.refusal(text("\(Self.extra), \(keys)")).code == .invalidValue)
  }

  @Test func unitsAreThoseOfTheDictionary() throws {
    #expect(try RegistryFixture.refusal(text(Self.extra + #", "units": ["furlong"]"#)).code == .unknownReference)
    #expect(try RegistryFixture.refusal(text(Self.extra + #", "units": ["1", "1"]"#)).code == .duplicateID)
    let inTheAir = RegistryFixture.text(peripherals: RegistryFixture.peripheral(1, #", "units": ["1"]"#))
    #expect(try RegistryFixture.refusal(inTheAir).code == .invalidValue)
    let camera = RegistryFixture.text(
      peripherals: RegistryFixture.peripheral(1).replacing(#""connect""#, with: #""camera""#))
    #expect(try RegistryFixture.refusal(camera).code == .invalidValue)
  }

  @Test func theDriverOffersWhatTheEntryNeeds() throws {
    #expect(try RegistryFixture.refusal(text(driver: RegistryFixture.driver)).code == .invalidValue)
    let images = Self.driver.replacing("meterhost.ocr/1-draft", with: "meterhost.image/1-draft")
    #expect(try RegistryFixture.refusal(text(driver: images)).code == .invalidValue)
    let unknown = Self.driver.replacing("meterhost.ocr/1-draft", with: "meterhost.other/1")
    #expect(try RegistryFixture.refusal(text(driver: unknown)).code == .invalidValue)
    let nothing = RegistryFixture.driver.replacing(#"["connect"]"#, with: "[]")
    #expect(try RegistryFixture.refusal(text(driver: nothing)).code == .invalidValue)
  }

  @Test func theEntryAndTheBundleAgree() throws {
    let entry = try #require(RegistryFixture.load(text()).driver(id: "org.example.one"))
    func described(_ extensions: [DriverExtension]) -> [DriverDescription] {
      [
        DriverDescription(
          id: entry.id, version: "1.2.3", vendor: "", capabilities: [], functions: [], extensions: extensions)
      ]
    }
    #expect(entry.disagreement(with: described([.ocr])) == nil)
    for others in [[], [.image], [.ocr, .image]] as [[DriverExtension]] {
      #expect(entry.disagreement(with: described(others))?.reason.contains("meterhost.ocr/1-draft") == true)
    }
  }
}
