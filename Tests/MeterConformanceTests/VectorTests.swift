import Foundation
import MeterConformance
import TestSupport
import Testing

/// Everything that a vector states is compared, and what nobody can compare is refused.
@Suite(.timeLimit(.minutes(60))) struct VectorTests {
  /// A change of the asking thermometer's vectors, and what the suite must say of it.
  static let lies: [(old: String, new: String, says: String)] = [
    (#""2024-03-10T07:30:00""#, #""2024-03-10T07:31:00""#, "its time is 2024-03-10T07:30:00"),
    (#""2024-03-10T07:30:00""#, "null", "not none"),
    (#""kind": "measurement", "timestamp": "2024"#, #""kind": "context", "timestamp": "2024"#, "not a context"),
    (#""flags": ["provisional"]"#, #""flags": []"#, "its flags are"),
    (#""flags": []"#, #""flags": ["control"]"#, "its flags are"),
    (#""sequence": 17"#, #""sequence": null"#, "its sequence number is 17, not none"),
    (#""sequence": 17"#, #""sequence": 18"#, "not 18"), ("36.6", "36.5", "expected is"),
    (#""error": "no_value""#, #""error": "unsupported""#, "is expected"),
    (#""error": null"#, #""error": null, "provisional": true"#, "final, not provisional"),
    (#""error": null"#, #""error": null, "device_user": 1"#, "its user is none, not 1"),
    (#""error": null"#, #""error": null, "parameters": {"nothing": 1}"#, "nothing is no parameter"),
    ("A5C00003", "A5C00009", "no entry of the driver lists the characteristic"),
    (#""error": null"#, #""error": null, "service_data": true"#, "no entry of the driver lists the service"),
  ]

  private func bundle(_ old: String, _ new: String) throws -> FixtureBundle {
    try FixtureBundle(source: .asking) { name, text in
      guard name == "vectors.json" else { return text }
      #expect(text.contains(old), "\(old)")
      return text.replacing(old, with: new, maxReplacements: 1)
    }
  }

  @Test(arguments: lies.indices)
  func aVectorThatSaysSomethingElseIsTold(_ index: Int) async throws {
    let (old, new, says) = Self.lies[index]
    let report = try await bundle(old, new).test("R12")
    let found = try #require(report.results.first { $0.check == "vectors" })
    #expect(found.status == .failed && found.found?.contains(says) == true, "\(found)")
    #expect(found.place != nil)
  }

  static let nonsense: [(old: String, new: String, says: String)] = [
    (#""error": null"#, #""error": null, "timestmap": "2024""#, "timestmap"),
    (#""sequence": 17"#, #""sequence": 17, "idenity": 1"#, "idenity"),
    (#""sequence": 17"#, #""sequence": 17, "sequence": 18"#, #"the key "sequence" stands twice"#),
    (#""unit": "Cel""#, #""unit": "Cel", "units": 1"#, "$[0].records[0].values[0].units"),
    (#""error": "no_value""#, #""error": "novalue""#, "novalue"), (#""flags": []"#, #""flags": ["contrl"]"#, "contrl"),
    (#""kind": "measurement""#, #""kind": "measurment""#, "measurment"),
    (#""hex": "5a0103"#, #""hex": "5a010"#, "hexadecimal"), (#""id": "final""#, #""id": "settling""#, "stands twice"),
    (#""error": "protocol", "records": []"#, #""error": null"#, "neither"),
    (#""characteristic": "A5C00003-"#, #""characteristic": "A5C0003-"#, "is no UUID"), ("[\n", "{\n", "no JSON"),
  ]

  @Test(arguments: nonsense.indices)
  func aVectorThatNobodyUnderstandsIsRefused(_ index: Int) async throws {
    let (old, new, says) = Self.nonsense[index]
    let bundle = try bundle(old, new)
    await #expect { try await bundle.test("R12") } throws: { error in
      let error = error as? ConformanceError
      return error?.code == .unreadable && error?.message.contains(says) == true
    }
  }

  @Test func aVectorOfANumberFormatIsForADriversOwnTests() async throws {
    let number = #"{"id": "n", "characteristic": "SFLOAT", "hex": "ff07", "value": "NaN"}"#
    let report = try await bundle("[\n", "[\(number),\n").test("R12")
    #expect(report.passed, "\(report.bad)")
  }
}
