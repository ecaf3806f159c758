import Foundation
import Testing

@testable import MeterDrivers

/// docs/registry.schema.json and the loader's own key lists say the same.
@Suite struct RegistrySchemaTests {
  struct Definition: Decodable {
    let required: [String]?
    let properties: [String: Property]?
  }
  struct Property: Decodable {
    let choices: [String]?
    let items: Items?
    enum CodingKeys: String, CodingKey {
      case choices = "enum"
      case items
    }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      choices = try? container.decodeIfPresent([String].self, forKey: .choices)
      items = try? container.decodeIfPresent(Items.self, forKey: .items)
    }
  }
  struct Items: Decodable {
    let choices: [String]?
    enum CodingKeys: String, CodingKey { case choices = "enum" }
  }
  struct Schema: Decodable {
    let definitions: [String: Definition]
    enum CodingKeys: String, CodingKey { case definitions = "$defs" }
  }

  let schema: Schema

  init() throws {
    let file = RegistryFixture.root.appending(path: "docs/registry.schema.json")
    schema = try JSONDecoder().decode(Schema.self, from: Data(contentsOf: file))
  }

  private func check<Key: RegistryKey>(_ name: String, _ type: Key.Type) throws {
    let definition = try #require(schema.definitions[name], "\(name)")
    #expect(Set(definition.properties?.keys ?? [:].keys) == Set(Key.allCases.map(\.rawValue)), "\(name)")
    #expect(Set(definition.required ?? []) == Set(Key.requiredKeys.map(\.rawValue)), "\(name)")
  }

  @Test func everyObjectHasTheSameKeys() throws {
    try check("base", BaseKey.self)
    try check("fragment", FragmentKey.self)
    try check("abi", ABIKey.self)
    try check("dictionary", DictionaryKey.self)
    try check("unit", UnitKey.self)
    try check("dictionary_metric", DictionaryMetricKey.self)
    try check("allowed_unit", AllowedUnitKey.self)
    try check("family", FamilyKey.self)
    try check("driver", DriverKey.self)
    try check("driver_signature", DriverSignatureKey.self)
    try check("driver_asset", DriverAssetKey.self)
    try check("driver_abi", DriverABIKey.self)
    try check("limits", LimitKey.self)
    try check("metric", MetricKey.self)
    try check("parameter", ParameterKey.self)
    try check("function", FunctionKey.self)
    try check("peripheral", PeripheralEntryKey.self)
    try check("override", OverrideKey.self)
    try check("credential", CredentialKey.self)
    try check("match", MatchKey.self)
    try check("service", ServiceKey.self)
    try check("characteristic", CharacteristicKey.self)
    try check("quirk", QuirkKey.self)
    try check("quirk_condition", QuirkConditionKey.self)
  }

  @Test func enumerationsAreTheSame() throws {
    let peripheral = try #require(schema.definitions["peripheral"]?.properties)
    #expect(peripheral["type"]?.choices == PeripheralType.allCases.map(\.rawValue))
    #expect(peripheral["maturity"]?.choices == Peripheral.Maturity.allCases.map(\.rawValue))
    #expect(peripheral["passive"]?.choices == Peripheral.PassiveReading.allCases.map(\.rawValue))
    #expect(peripheral["connection_kind"]?.choices == Peripheral.ConnectionKind.allCases.map(\.rawValue))
    #expect(peripheral["pairing_method"]?.choices == Peripheral.PairingMethod.allCases.map(\.rawValue))
    let credential = try #require(schema.definitions["credential"]?.properties)
    #expect(credential["format"]?.choices == Credential.Format.allCases.map(\.rawValue))
    #expect(credential["scope"]?.choices == Credential.Scope.allCases.map(\.rawValue))
    let driver = try #require(schema.definitions["driver"]?.properties)
    #expect(driver["extensions"]?.items?.choices == DriverExtension.allCases.map(\.rawValue))
    #expect(driver["capabilities"]?.items?.choices == DriverEntry.Capability.allCases.map(\.rawValue))
    #expect(
      schema.definitions["metric"]?.properties?["kind"]?.choices == DriverEntry.Metric.Kind.allCases.map(\.rawValue))
    #expect(
      schema.definitions["parameter"]?.properties?["kind"]?.choices
        == DriverEntry.Parameter.Kind.allCases.map(\.rawValue))
  }

  /// The list above is what the loader asks for: without a required key it refuses, naming it.
  @Test func requiredKeysAreRequired() throws {
    for key in PeripheralEntryKey.requiredKeys {
      let entry = RegistryFixture.peripheral(1)
      let text = RegistryFixture.text(
        peripherals: entry.replacing("\"\(key.rawValue)\":", with: "\"x_\(key.rawValue)\":", maxReplacements: 1))
      let error = try RegistryFixture.refusal(text)
      #expect(error.code == .missingKey && error.problem.contains(key.rawValue), "\(error)")
      #expect(error.path == "$.peripherals[0]")
    }
    // What is in the air, an entry of the kind bluetooth has to say.
    for key in PeripheralEntryKey.airKeys {
      let text = RegistryFixture.text(
        peripherals: RegistryFixture.peripheral(1).replacing(
          "\"\(key.rawValue)\":", with: "\"x_\":", maxReplacements: 1))
      let error = try RegistryFixture.refusal(text)
      #expect(error.code == .missingKey && error.problem.contains(key.rawValue), "\(error)")
    }
    for key in DriverKey.requiredKeys {
      let text = RegistryFixture.text(
        drivers: RegistryFixture.driver.replacing(
          "\"\(key.rawValue)\":", with: "\"x_\(key.rawValue)\":", maxReplacements: 1))
      let error = try RegistryFixture.refusal(text)
      #expect(error.code == .missingKey && error.problem.contains(key.rawValue), "\(error)")
    }
  }

  @Test("The schema accepts registry.json", .enabled(if: Tool.isThere("python3")))
  func jsonschemaAccepts() throws {
    let script = """
      import json, sys
      try:
          import jsonschema
      except ImportError:
          sys.exit(77)
      schema = json.load(open('docs/registry.schema.json'))
      jsonschema.Draft202012Validator.check_schema(schema)
      jsonschema.Draft202012Validator(schema).validate(json.load(open('registry.json')))
      """
    let (status, output) = try Tool.run(["-c", script], in: RegistryFixture.root)
    // 77: the jsonschema module is not installed here; the key lists above are checked all the same.
    #expect(status == 0 || status == 77, "\(output)")
  }
}
