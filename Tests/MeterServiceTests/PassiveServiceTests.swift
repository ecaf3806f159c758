import MeterCore
import MeterGateway
import TestSupport
import Testing

@testable import MeterService

/// Passive reading by a running service, chosen by other commands (B5).
@Suite(.timeLimit(.minutes(30))) struct PassiveServiceTests {
  private func start(_ store: MeterStore) throws {
    _ = try store.startSession(SessionUser(userID: "a", organizationID: "o"), token: AccessToken("secret-token-1"))
  }

  @Test func withoutASessionTheReasonIsShown() async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox) { store, client in
        let set = try #require(try await client.perform(PassiveSetRequest([1000])))
        #expect(set.problem?.contains("session") == true)
        try start(store)
        #expect(try await client.perform(PassiveShowRequest())?.problem == nil)
      }
    }
  }

  @Test func whatCannotBeReadByItselfIsRefusedAndChangesNothing() async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox) { store, client in
        _ = try await client.perform(PassiveSetRequest([1000]))
        await #expect { try await client.perform(PassiveSetRequest([999_999])) } throws: {
          ($0 as? GatewayError)?.code == "unknown_peripheral"
        }
        #expect(try store.passivePeripherals() == [1000])
      }
    }
  }
}
