import Foundation
import TestSupport
import Testing

@testable import MeterReceiver

@Suite(.everyStorage) struct UserTests {
  private static let users = "/organizations/\(RunningReceiver.organization)/users"
  private static let user = "\(users)/\(RunningReceiver.uid)"
  private static let token = "token=\(RunningReceiver.organizationToken)"

  private func call(
    _ server: RunningReceiver, _ method: String, _ path: String, _ body: String = "", query: String = Self.token
  ) async throws -> HTTPReply {
    try await server.send(
      method, "\(path)?\(query)", headers: [("Content-Type", "application/json")], body: Array(body.utf8))
  }

  @Test func makesUsersWhoUpload() async throws {
    try await withReceiver { server async throws in
      let body = #"{"uid":"patient+2@home","timezone":"Europe/Berlin","country_code":"DE"}"#
      let reply = try await call(server, "POST", Self.users, body)
      #expect(reply.status == 201)
      #expect(reply.text("uid") == "patient+2@home")
      #expect(reply.text("location/timezone") == "Europe/Berlin")
      #expect(reply.text("location/country_code") == "DE")
      #expect(reply.text("status") == "active")
      let token = try #require(reply.text("mobile/token"))
      let session = try await server.get("/connect/provider/user", token: token)
      #expect(session.text("data/user_id") == reply.text("id"))
      #expect(try await server.post(measurement(), token: token).status == 201)
      let read = try await server.get("\(Self.users)/patient%2B2%40home/measurements/latest?\(Self.token)")
      #expect(read.text("data/0/log_id") == logID(1))
    }
  }

  /// The bodies of the public description's own examples.
  @Test func takesTheBodiesOfThePublicExamples() async throws {
    try await withReceiver { server async throws in
      let made = try await call(
        server, "POST", Self.users,
        #"{"uid":"277040620-wcwflair","location":{"timezone":"America/New_York","country_code":"US"}}"#)
      #expect(made.status == 201)
      #expect(made.text("location/timezone") == "America/New_York")
      #expect(made.text("location/country_code") == "US")
      let path = "\(Self.users)/277040620-wcwflair"
      #expect(try await call(server, "PUT", path, #"{"timezone":"UTC"}"#).text("location/timezone") == "UTC")
      let moved = try await call(
        server, "PUT", path, #"{"location":{"timezone":"Asia/Kolkata","country_code":null}}"#)
      #expect(moved.status == 200)
      #expect(moved.text("location/timezone") == "Asia/Kolkata")
      #expect(moved.value("location/country_code") == .null)
      let named = try await call(
        server, "PUT", path, #"{"uid":"277040620-wcwflair","location":{"country_code":["IN"]}}"#)
      #expect(named.text("location/country_code") == "IN")
      #expect(named.text("location/timezone") == "Asia/Kolkata")
    }
  }

  @Test(arguments: [
    (#""location":{"timezone":"Mars/Olympus"}"#, ["location.timezone"]),
    (#""location":{"country_code":"USA"}"#, ["location.country_code"]),
    (#""location":{"city":"Berlin"}"#, ["location.city"]), (#""location":"Berlin""#, ["location"]),
    (#""location":null"#, ["location"]),
    (#""timezone":"UTC","location":{"timezone":"UTC"}"#, ["location.timezone"]),
  ])
  func hostileLocationsAre400(member: String, fields: [String]) async throws {
    try await withReceiver { server async throws in
      let made = try await call(server, "POST", Self.users, #"{"uid":"x",\#(member)}"#)
      #expect(made.status == 400)
      #expect(made.errorFields == fields)
      let changed = try await call(server, "PUT", Self.user, "{\(member)}")
      #expect(changed.status == 400)
      #expect(changed.errorFields == fields)
      #expect(try server.store.user(organization: RunningReceiver.organization, uid: "x") == nil)
    }
  }

  @Test func listsSayWhichPartTheyAre() async throws {
    try await withReceiver { server async throws in
      for number in 2...4 { try server.store.createUser(organization: RunningReceiver.organization, uid: "p\(number)") }
      try server.store.createOrganization("hospital")
      try server.store.createUser(organization: "hospital", uid: "somebody")
      let page = try await server.get("\(Self.users)?\(Self.token)&limit=2&offset=1")
      #expect(page.value("meta/offset") == .integer(1))
      #expect(page.value("meta/limit") == .integer(2))
      #expect(page.value("meta/total") == .integer(4))
      let beyond = try await server.get("\(Self.users)?\(Self.token)&offset=9")
      #expect(beyond.value("data") == .array([]))
      #expect(beyond.value("meta/total") == .integer(4))
    }
  }

  @Test func usersHaveTheSourcesThatDeliverForThem() async throws {
    try await withReceiver { server async throws in
      let made = try await call(server, "POST", Self.users, #"{"uid":"p2"}"#)
      #expect(made.value("sources") == .array([]))
      for number in 1...3 {
        let name = number == 3 ? "omron" : "meterhost"
        #expect(
          try await server.post(
            measurement(logID: logID(number)) { $0["source"] = .object(["type": .string(name)]) }
          ).status == 201)
      }
      let user = try await server.get("\(Self.user)?\(Self.token)")
      #expect(Set([user.text("sources/0/type"), user.text("sources/1/type")]) == ["meterhost", "omron"])
      #expect(user.value("sources/2") == nil)
      for member in ["connected_at", "last_processed_at"] {
        #expect(user.text("sources/0/\(member)").flatMap { UTCTimestamp($0) } != nil)
      }
      #expect(try await server.get("\(Self.users)/p2?\(Self.token)").value("sources") == .array([]))
      let gone = try await call(server, "DELETE", Self.user)
      #expect(gone.value("sources") == .array([]))
    }
  }

  /// A program reads the shape of error that it knows.
  @Test func refusalsHaveTheMembersOfEveryPublicShape() async throws {
    try await withReceiver { server async throws in
      let fields = try await call(server, "POST", Self.users, #"{"uid":""}"#)
      #expect(fields.errorFields == ["uid"])
      #expect(fields.text("message") == "uid must not be empty")
      #expect(fields.value("status") == .integer(400))
      #expect(fields.text("error") == "Bad Request")
      let token = try await server.get("\(Self.user)?token=0123456789abcdef")
      #expect(token.text("errors/0") == "Token is not authorized to access organization")
      #expect(token.text("message") == token.text("errors/0"))
      #expect(token.value("status") == .integer(401) && token.text("error") == "Unauthorized")
    }
  }

  @Test func aSecondUserOfThatNameIs409() async throws {
    try await withReceiver { server async throws in
      let reply = try await call(server, "POST", Self.users, #"{"uid":"\#(RunningReceiver.uid)"}"#)
      #expect(reply.status == 409)
      #expect(reply.errorFields == ["uid"])
      #expect(try await server.post(measurement()).status == 201)
      // The same name in another organisation is another person.
      let other = try server.store.createOrganization("hospital")
      let second = try await call(
        server, "POST", "/organizations/hospital/users", #"{"uid":"\#(RunningReceiver.uid)"}"#, query: "token=\(other)")
      #expect(second.status == 201)
    }
  }

  @Test(arguments: [
    (#"{}"#, ["uid"]), (#"{"uid":""}"#, ["uid"]), (#"{"uid":7}"#, ["uid"]), (#"{"uid":"a/b"}"#, ["uid"]),
    (#"{"uid":".."}"#, ["uid"]), (#"{"uid":"a\u0000b"}"#, ["uid"]), (#"{"uid":"x","uid":"y"}"#, ["uid"]),
    (#"{"uid":"x","token":"0123456789abcdef"}"#, ["token"]), (#"{"uid":"x","timezone":"Mars/Olympus"}"#, ["timezone"]),
    (#"{"uid":"x","timezone":"BST"}"#, ["timezone"]), (#"{"uid":"x","timezone":"EST"}"#, ["timezone"]),
    (#"{"uid":"x","timezone":"GMT+2"}"#, ["timezone"]), (#"{"uid":"x","timezone":"europe/berlin"}"#, ["timezone"]),
    (#"{"uid":"x","timezone":"../../etc/passwd"}"#, ["timezone"]), (#"{"uid":"x","timezone":3}"#, ["timezone"]),
    (#"{"uid":"x","timezone":["UTC","UTC"]}"#, ["timezone"]), (#"{"uid":"x","country_code":"de"}"#, ["country_code"]),
    (#"{"uid":"x","country_code":"DEU","timezone":""}"#, ["timezone", "country_code"]),
  ])
  func hostileUsersAre400(body: String, fields: [String]) async throws {
    try await withReceiver { server async throws in
      let reply = try await call(server, "POST", Self.users, body)
      #expect(reply.status == 400)
      #expect(reply.errorFields == fields)
      #expect(try server.store.user(organization: RunningReceiver.organization, uid: "x") == nil)
    }
  }

  @Test(arguments: ["[]", "7", "null", "{", ""])
  func bodiesThatAreNoUserAre400(body: String) async throws {
    try await withReceiver { server async throws in
      #expect(try await call(server, "POST", Self.users, body).status == 400)
      #expect(try await call(server, "PUT", Self.user, body).status == 400)
    }
  }

  @Test func readsAndListsUsersWithoutTheirTokens() async throws {
    try await withReceiver { server async throws in
      for number in 2...4 { try server.store.createUser(organization: RunningReceiver.organization, uid: "p\(number)") }
      try server.store.createOrganization("hospital")
      try server.store.createUser(organization: "hospital", uid: "somebody")
      let one = try await server.get("\(Self.user)?\(Self.token)")
      #expect(one.status == 200)
      #expect(one.text("uid") == RunningReceiver.uid)
      #expect(one.value("location/timezone") == .null)
      #expect(one.value("mobile") == nil)
      let all = try await server.get("\(Self.users)?\(Self.token)")
      #expect((0..<5).map { all.text("data/\($0)/uid") } == [RunningReceiver.uid, "p2", "p3", "p4", nil])
      #expect(!all.body.contains("token"))
      let page = try await server.get("\(Self.users)?\(Self.token)&limit=2&offset=1")
      #expect((0..<3).map { page.text("data/\($0)/uid") } == ["p2", "p3", nil])
      #expect(try await server.get("\(Self.users)?\(Self.token)&limit=0").errorFields == ["limit"])
      #expect(try await server.get("\(Self.users)/somebody?\(Self.token)").status == 404)
    }
  }

  @Test func aNewTokenStopsTheOldOneAtOnce() async throws {
    try await withReceiver { server async throws in
      let reply = try await call(server, "POST", "\(Self.user)/mobile")
      #expect(reply.status == 201)
      let token = try #require(reply.text("mobile/token"))
      #expect(token != RunningReceiver.token)
      #expect(try await server.post(measurement()).status == 401)
      #expect(try await server.get("/connect/provider/user", token: RunningReceiver.token).status == 401)
      #expect(try await server.post(measurement(), token: token).status == 201)
    }
  }

  @Test func locationsAreChangedPartByPart() async throws {
    try await withReceiver { server async throws in
      let zone = try await call(server, "PUT", Self.user, #"{"timezone":["America/New_York"]}"#)
      #expect(zone.status == 200)
      #expect(zone.text("location/timezone") == "America/New_York")
      let country = try await call(server, "PUT", Self.user, #"{"country_code":"US"}"#)
      #expect(country.text("location/timezone") == "America/New_York")
      #expect(country.text("location/country_code") == "US")
      let forgotten = try await call(server, "PUT", Self.user, #"{"timezone":null}"#)
      #expect(forgotten.value("location/timezone") == .null)
      #expect(forgotten.text("location/country_code") == "US")
      #expect(try await call(server, "PUT", Self.user, "{}").status == 400)
      #expect(try await call(server, "PUT", Self.user, #"{"uid":"other"}"#).errorFields == ["uid"])
      #expect(try await call(server, "PUT", Self.user, #"{"timezone":"UTC","country_code":"x"}"#).status == 400)
      #expect(try server.store.user(organization: "clinic", uid: RunningReceiver.uid)?.timeZone == nil)
    }
  }

  @Test func suspensionHoldsUploadsNotReads() async throws {
    try await withReceiver { server async throws in
      #expect(try await server.post(measurement()).status == 201)
      for _ in 0..<2 {
        let suspended = try await call(server, "PUT", "\(Self.user)/suspend")
        #expect(suspended.status == 200)
        #expect(suspended.text("status") == "suspended")
      }
      #expect(try await server.post(measurement(logID: logID(2))).status == 401)
      #expect(try await server.get("\(Self.user)/measurements/latest?\(Self.token)").text("data/0/log_id") == logID(1))
      // A new token does not get around it.
      let token = try #require(try await call(server, "POST", "\(Self.user)/mobile").text("mobile/token"))
      #expect(try await server.post(measurement(logID: logID(2)), token: token).status == 401)
      #expect(try await call(server, "PUT", "\(Self.user)/unsuspend").text("status") == "active")
      #expect(try await server.post(measurement(logID: logID(2)), token: token).status == 201)
    }
  }

  @Test func deletionTakesTheRecordsAlong() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/receiver.sqlite"
      try await withReceiver(database: path) { server async throws in
        let secret = measurement {
          $0["tags"] = .array([.object(["name": .string("note"), "value": .string("Wiedenbrueck")])])
        }
        #expect(try await server.post(secret).status == 201)
        let reply = try await call(server, "DELETE", Self.user)
        #expect(reply.status == 200)
        #expect(reply.text("uid") == RunningReceiver.uid)
        #expect(reply.text("deleted_at") != nil)
        #expect(try await call(server, "DELETE", Self.user).status == 404)
        #expect(try await server.get("\(Self.user)?\(Self.token)").status == 404)
        #expect(try await server.get("\(Self.user)/measurements/latest?\(Self.token)").status == 404)
        #expect(try await server.post(measurement()).status == 401)
        // The name is free again and has nothing of the one before.
        let again = try await call(server, "POST", Self.users, #"{"uid":"\#(RunningReceiver.uid)"}"#)
        #expect(again.status == 201)
        #expect(again.text("id") != reply.text("id"))
        #expect(try server.stored().isEmpty)
      }
      // Closing has written the log back into the file: what was deleted stands nowhere any more.
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data("Wiedenbrueck".utf8)) == nil)
    }
  }

  @Test(arguments: [
    ("POST", ""), ("GET", ""), ("GET", "/patient-1"), ("PUT", "/patient-1"), ("DELETE", "/patient-1"),
    ("POST", "/patient-1/mobile"), ("PUT", "/patient-1/suspend"), ("PUT", "/patient-1/unsuspend"),
  ])
  func onlyTheOrganizationManagesItsUsers(method: String, path: String) async throws {
    try await withReceiver { server async throws in
      let other = try server.store.createOrganization("hospital")
      let before = try server.store.user(organization: RunningReceiver.organization, uid: RunningReceiver.uid)
      for query in ["", "token=", "token=\(RunningReceiver.token)", "token=\(other)", "token=%00"] {
        let reply = try await call(server, method, Self.users + path, #"{"uid":"x"}"#, query: query)
        #expect(reply.status == 401, "\(query)")
      }
      if !path.isEmpty {
        for uid in ["/nobody", "/..%2Fpatient-1", "/%00", "/patient-1%00"] {
          let unknown = path.replacing("/patient-1", with: uid)
          let reply = try await call(server, method, Self.users + unknown, #"{"timezone":"UTC"}"#)
          #expect(reply.status == 404, "\(uid)")
        }
      }
      #expect(try server.store.user(organization: RunningReceiver.organization, uid: RunningReceiver.uid) == before)
    }
  }

  @Test func concurrentCreationsMakeOneUser() async throws {
    try await withReceiver { server async throws in
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<12 {
          group.addTask { try await call(server, "POST", Self.users, #"{"uid":"twin"}"#).status }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.count { $0 == 201 } == 1)
      #expect(statuses.count { $0 == 409 } == 11)
    }
  }

  @Test func faultsAreKeptApart() async throws {
    let faults = ReceiverFaults()
    try await withReceiver(faults: faults) { server async throws in
      faults.inject(.answer(status: 503), at: .users)
      faults.inject(.answer(status: 502), at: .reads)
      #expect(try await server.post(measurement()).status == 201)
      #expect(try await server.get("\(Self.user)?\(Self.token)").status == 503)
      #expect(try await server.get("\(Self.user)/measurements/latest?\(Self.token)").status == 502)
      #expect(try await server.get("\(Self.user)/measurements/latest?\(Self.token)").status == 200)
      faults.inject(.dropAfterStoring, at: .users)
      await #expect(throws: RawHTTP.ConnectionDropped.self) {
        try await call(server, "POST", Self.users, #"{"uid":"lost"}"#)
      }
      #expect(try await call(server, "POST", Self.users, #"{"uid":"lost"}"#).status == 409)
    }
  }
}
