import Foundation
import MeterCore
import MeterDrivers
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

/// A service that dies while it answers leaves nobody who knows what became of a submission.
@Suite struct RepeatedSubmissionTests {
  private static let text = """
    [{"type": "weight", "time": "2026-03-01T08:00Z", "values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]},
     {"type": "weight", "time": "2026-03-02T08:00Z", "values": [{"metric": "body_weight", "value": 70.6, "unit": "kg"}]}]
    """

  @Test func aRequestThatIsSentAgainSubmitsOnce() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      _ = try store.startSession(SessionUser(userID: "ada", organizationID: "clinic"), token: AccessToken("token-1"))
      let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
      var request = SubmitRequest([SubmitRequest.Document(name: "test", text: Self.text)], zone: .gmt)
      request.delivers = false
      let first = try await request.perform(on: owner)
      let repeated = try JSONDecoder().decode(SubmitRequest.self, from: JSONEncoder().encode(request))
      let second = try await repeated.perform(on: owner)
      #expect(first.map(\.outcome) == [.new, .new] && second.map(\.outcome) == [.duplicate, .duplicate])
      #expect(first.map(\.logID) == second.map(\.logID) && first[0].logID != first[1].logID)
      // Another submission of the same text is another one: nobody has said that it is not.
      let other = SubmitRequest([SubmitRequest.Document(name: "test", text: Self.text)], zone: .gmt)
      var quiet = other
      quiet.delivers = false
      #expect(try await quiet.perform(on: owner).map(\.outcome) == [.new, .new])
      #expect(try store.usage().records == 4)
    }
  }
}
