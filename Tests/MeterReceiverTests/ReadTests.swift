import Foundation
import TestSupport
import Testing

@testable import MeterReceiver

@Suite(.everyStorage) struct ReadTests {
  private static let users = "/organizations/\(RunningReceiver.organization)/users"
  private static let path = "\(users)/\(RunningReceiver.uid)/measurements"
  private static let token = "token=\(RunningReceiver.organizationToken)"

  private func post(_ server: RunningReceiver, _ number: Int, at time: String) async throws {
    let reply = try await server.post(
      measurement(logID: logID(number)) {
        $0["start_time"] = .string(time)
        $0["end_time"] = .string(time)
      })
    #expect(reply.status == 201)
  }

  private func logIDs(_ reply: HTTPReply) -> [String?] {
    guard case .array(let records)? = reply.value("data") else { return [] }
    return records.indices.map { reply.text("data/\($0)/log_id") }
  }

  @Test func listsTheWindowInTheOrderOfArrival() async throws {
    try await withReceiver { server async throws in
      try await post(server, 1, at: "2018-09-20T23:59:59.999Z")
      try await post(server, 2, at: "2018-09-19T00:00:00Z")
      try await post(server, 3, at: "2018-09-21T00:00:00Z")
      try await post(server, 4, at: "2018-09-18T23:59:59.999Z")
      let query = "start_date=2018-09-19&end_date=2018-09-20&\(Self.token)"
      let reply = try await server.get("\(Self.path)?\(query)")
      #expect(reply.status == 200)
      #expect(logIDs(reply) == [logID(1), logID(2)])
      #expect(reply.value("data/0/metrics/0/value") == .number(111))
      #expect(reply.text("data/0/user/uid") == RunningReceiver.uid)
      #expect(reply.text("data/0/user/organization_id") == RunningReceiver.organization)
      let stored = try #require(try server.stored().first)
      #expect(reply.text("data/0/id") == stored.id)
      #expect(reply.text("data/0/checksum") == stored.checksum)
      #expect(reply.text("data/0/created_at") == stored.createdAt)
      #expect(reply.value("data/0/revision") == .integer(1))

      let second = try await server.get("\(Self.path)?\(query)&limit=1&offset=1")
      #expect(logIDs(second) == [logID(2)])
      #expect(logIDs(try await server.get("\(Self.path)?\(query)&offset=2")) == [])
      // Today by default, and nothing was measured today.
      #expect(logIDs(try await server.get("\(Self.path)?\(Self.token)")) == [])
    }
  }

  @Test func latestIsTheLatestMeasuredNotTheLastArrived() async throws {
    try await withReceiver { server async throws in
      #expect(logIDs(try await server.get("\(Self.path)/latest?\(Self.token)")) == [])
      try await post(server, 1, at: "2018-09-21T00:00:00Z")
      try await post(server, 2, at: "2018-09-20T00:00:00Z")
      #expect(logIDs(try await server.get("\(Self.path)/latest?\(Self.token)")) == [logID(1)])
    }
  }

  @Test(arguments: [
    ("start_date=2018-01-01&end_date=2018-02-01", ["end_date"]),
    ("start_date=2018-01-02&end_date=2018-01-01", ["end_date"]),
    ("start_date=01.01.2018&end_date=2018-01-01", ["start_date"]),
    ("start_date=2018-02-30&end_date=x", ["start_date", "end_date"]),
    ("limit=0", ["limit"]), ("limit=1001", ["limit"]), ("limit=x&offset=-1", ["limit", "offset"]),
    ("offset=99999999999999999999", ["offset"]),
  ])
  func badQueriesAre400(query: String, fields: [String]) async throws {
    try await withReceiver { server async throws in
      let reply = try await server.get("\(Self.path)?\(query)&\(Self.token)")
      #expect(reply.status == 400)
      #expect(reply.errorFields == fields)
    }
  }

  @Test func aWindowOfThirtyDaysIsAccepted() async throws {
    try await withReceiver { server async throws in
      let reply = try await server.get("\(Self.path)?start_date=2018-01-01&end_date=2018-01-31&\(Self.token)")
      #expect(reply.status == 200)
    }
  }

  @Test func onlyTheOrganizationReadsItsUsers() async throws {
    try await withReceiver { server async throws in
      let other = try server.store.createOrganization("hospital")
      for query in ["", "?token=", "?token=\(RunningReceiver.token)", "?token=\(other)", "?token=%00"] {
        #expect(try await server.get(Self.path + query).status == 401, "\(query)")
        #expect(try await server.get("\(Self.path)/latest\(query)").status == 401)
      }
      #expect(try await server.get("/organizations/nobody/users/x/measurements?\(Self.token)").status == 401)
      #expect(try await server.get("\(Self.users)/nobody/measurements?\(Self.token)").status == 404)
    }
  }
}
