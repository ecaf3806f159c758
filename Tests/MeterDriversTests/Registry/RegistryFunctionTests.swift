import Testing

@testable import MeterDrivers

/// Functions of a driver's entry (rule R19).
@Suite("R19 functions in a registry") struct RegistryFunctionTests {
  private func text(_ function: String) -> String {
    let driver = RegistryFixture.driver.replacing(
      "\"capabilities\": [\"connect\"],", with: "\"capabilities\": [\"connect\"], \"functions\": [\(function)],")
    return RegistryFixture.text(drivers: driver)
  }

  private func function(_ function: String) throws -> DriverEntry.Function {
    let registry = try RegistryFixture.load(text(function))
    return try #require(registry.driver(id: "org.example.one")?.functions.first)
  }

  @Test func namesSummariesAndUnitsAreKept() throws {
    let found = try function(
      #"""
      {"name": "clock", "signature": "i32(i64,out_bytes,text)", "summary": "S",
       "arguments": [{"name": "at", "summary": "When.", "unit": "us"}, {"name": "zone", "summary": ""}],
       "outputs": [{"name": "frame", "summary": "F"}]}
      """#)
    #expect(found.arguments.map(\.name) == ["at", "zone"] && found.arguments.map(\.kind) == [.i64, .text])
    #expect(found.arguments.map(\.unit) == ["us", nil] && found.outputs.map(\.kind) == [.bytes])
    #expect(found.signature.description == "i32(i64,out_bytes,text)")
  }

  @Test func withoutThemTheyAreCounted() throws {
    let found = try function(#"{"name": "f", "signature": "i32(i64,out_bytes,f64)", "summary": ""}"#)
    #expect(found.arguments.map(\.name) == ["argument_1", "argument_2"] && found.outputs.map(\.name) == ["output_1"])
  }

  @Test func anUnknownKeyIsAWarning() throws {
    let registry = try RegistryFixture.load(
      text(
        #"{"name": "f", "signature": "i32(i64)", "summary": "", "arguments": [{"name": "a", "summary": "", "x": 1}]}"#))
    #expect(registry.warnings.count == 1)
  }

  static let refusals: [(function: String, path: String, words: String)] = [
    (#"{"name": "f", "signature": "i64(i64)", "summary": ""}"#, ".signature", "MH_ status"),
    (#"{"name": "f", "signature": "i32(str)", "summary": ""}"#, ".signature", "parameter 1 is none of"),
    (#"{"name": "f", "signature": "i32(i32, i32)", "summary": ""}"#, ".signature", "parameter 2"),
    (
      #"{"name": "f", "signature": "i32(i64)", "summary": "", "arguments": []}"#, ".arguments",
      "describes 0 arguments, and i32(i64) has 1"
    ),
    (
      #"{"name": "f", "signature": "i32()", "summary": "", "outputs": [{"name": "a", "summary": ""}]}"#, ".outputs",
      "describes 1 outputs, and i32() has 0"
    ),
    (
      #"{"name": "f", "signature": "i32(i64,i64)", "summary": "", "arguments": [{"name": "a", "summary": ""}, {"name": "a", "summary": ""}]}"#,
      ".arguments[1]", "twice"
    ),
    (
      #"{"name": "f", "signature": "i32(i64)", "summary": "", "arguments": [{"name": "A", "summary": ""}]}"#,
      ".arguments[0].name", "identifier"
    ),
    (#"{"name": "f", "signature": "i32(i64)", "summary": "", "arguments": [{"name": "a"}]}"#, ".arguments[0]", ""),
    (
      #"{"name": "f", "signature": "i32(i64)", "summary": "", "arguments": [{"name": "a", "summary": "", "unit": ""}]}"#,
      ".arguments[0].unit", "empty"
    ),
  ]

  @Test(arguments: 0..<refusals.count) func whatDoesNotFitTheSignatureIsRefusedAtItsPlace(index: Int) throws {
    let (function, path, words) = Self.refusals[index]
    let error = try RegistryFixture.refusal(text(function))
    #expect(error.path == "$.drivers[0].functions[0]\(path)" && error.message.contains(words), "\(error.message)")
  }
}
