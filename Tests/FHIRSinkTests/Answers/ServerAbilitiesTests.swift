import Testing

@testable import FHIRSink

/// What a server says that it cannot do, it is not relied upon to do.
@Suite("What a FHIR server can do", .timeLimit(.minutes(60)))
struct ServerAbilitiesTests {
  private func problem(_ json: String, _ ids: FHIRSinkSetting.IDs = .server) throws -> String? {
    try #require(ServerAbilities(Array(json.utf8))).problem(ids)
  }

  @Test("a server that can do everything is taken")
  func enough() throws {
    #expect(try problem(FHIRTestServer.abilities) == nil)
    #expect(try problem(FHIRTestServer.abilities, .client) == nil)
  }

  @Test(
    "what is missing is told",
    arguments: [
      ("4.0.1", "5.0.0", "R4"), ("4.0.1", "4.3.0", "R4"), ("\"transaction\"", "\"batch\"", "transactions"),
      ("\"server\"", "\"client\"", "transactions"),
      ("\"type\":\"Device\",\"conditionalCreate\":true", "\"type\":\"Device\"", "Device"),
      ("\"conditionalCreate\":true,\"conditionalUpdate\"", "\"conditionalUpdate\"", "Observation"),
      ("\"conditionalUpdate\":true", "\"conditionalUpdate\":false", "corrected"),
    ])
  func missing(old: String, new: String, word: String) throws {
    let text = FHIRTestServer.abilities.replacing(old, with: new)
    #expect(text != FHIRTestServer.abilities)
    #expect(try problem(text)?.contains(word) == true)
  }

  @Test("ids of clients need a server that takes them")
  func ids() throws {
    let text = FHIRTestServer.abilities.replacing("\"updateCreate\":true", with: "\"updateCreate\":false")
    #expect(try problem(text) == nil && problem(text, .client)?.contains("ids") == true)
  }

  @Test("what is no statement is none", arguments: ["", "<html>", "{}", FHIRTestServer.patient])
  func none(text: String) { #expect(ServerAbilities(Array(text.utf8)) == nil) }
}
