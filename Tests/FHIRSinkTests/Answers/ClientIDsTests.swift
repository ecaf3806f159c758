import StrictJSON
import Testing

@testable import FHIRSink

/// Names of readings as ids of observations.
@Suite("Ids of clients", .timeLimit(.minutes(60)))
struct ClientIDsTests {
  private static let name = "373d2a7f-8dba-882a-99e8-e8b9ce9e423f"

  @Test("a name is an id, or is made one that no other name has")
  func ids() throws {
    #expect(ClientIDs.id(Self.name) == Self.name)
    #expect(ClientIDs.id(Self.name + ".clock") == Self.name + ".clock")
    #expect(ClientIDs.id(Self.name + ".relationship_to_meal") == Self.name + ".relationship-to-meal")
    let long = try #require(ClientIDs.id(Self.name + "." + String(repeating: "a_", count: 20)))
    #expect(LogicalID.isOne(long) && long.hasPrefix(Self.name + "."))
    #expect(long != ClientIDs.id(Self.name + "." + String(repeating: "b_", count: 20)))
    for name in ["", "a b", String(repeating: "a", count: 65)] { #expect(ClientIDs.id(name) == nil) }
  }
}
