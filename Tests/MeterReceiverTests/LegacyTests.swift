import Foundation
import TestSupport
import Testing

@testable import MeterReceiver

@Suite(.everyStorage) struct LegacyTests {
  private static let window = "start_date=2018-09-20&end_date=2018-09-20&access_token=\(RunningReceiver.token)"

  @Test(arguments: LegacyType.allCases)
  func recordsAreWrittenReadChangedAndDeleted(type: LegacyType) async throws {
    try await withReceiver { server async throws in
      let path = "\(LegacySamples.user)/\(type.rawValue)"
      var record = LegacySamples.record(type)
      let created = try await server.legacy("POST", "\(path).json", LegacySamples.body(type, record))
      #expect(created.status == 201, "\(created.body)")
      #expect(created.value("code") == .integer(201))
      #expect(created.text("message") == "Ok")
      let id = try #require(created.text("\(type.rawValue)/_id"))
      #expect(created.text("\(type.rawValue)/activity_id") == "a-1")

      let again = try await server.legacy("POST", "\(path).json", LegacySamples.body(type, record))
      #expect(again.status == 200)
      #expect(again.text("\(type.rawValue)/_id") == id)
      #expect(try server.allStored().count == 1)

      record["source_name"] = .string("another")
      let conflict = try await server.legacy("POST", "\(path).json", LegacySamples.body(type, record))
      #expect(conflict.status == 409)
      #expect(conflict.value("code") == .integer(409))
      #expect(conflict.errorFields == ["activity_id"])
      let changed = try await server.legacy("PUT", "\(path)/\(id).json", LegacySamples.body(type, record))
      #expect(changed.status == 200, "\(changed.body)")
      #expect(changed.text("\(type.rawValue)/_id") == id)
      #expect(changed.text("\(type.rawValue)/checksum") != created.text("\(type.rawValue)/checksum"))
      #expect(changed.value("\(type.rawValue)/revision") == .integer(2))
      let repeated = try await server.legacy("PUT", "\(path)/\(id).json", LegacySamples.body(type, record))
      #expect(repeated.value("\(type.rawValue)/revision") == .integer(2))

      let list = try await server.get("\(path).json?\(Self.window)")
      #expect(list.status == 200)
      #expect(list.value("summary/results") == .integer(1))
      #expect(list.text("\(type.rawValue)/0/_id") == id)
      #expect(list.text("\(type.rawValue)/0/source_name") == "another")
      #expect(try await server.get("\(path)/latest.json?\(Self.window)").text("\(type.rawValue)/0/_id") == id)
      for other in LegacyType.allCases where other != type {
        let reply = try await server.legacy(
          "DELETE", "\(LegacySamples.user)/\(other.rawValue)/\(id).json?\(Self.window)", "")
        #expect(reply.status == 404)
      }

      let deleted = try await server.legacy("DELETE", "\(path)/\(id).json", LegacySamples.body(type, [:]))
      #expect(deleted.status == 200)
      #expect(deleted.value("code") == .integer(200))
      #expect(try server.allStored().isEmpty)
      #expect(try await server.legacy("DELETE", "\(path)/\(id).json?\(Self.window)", "").status == 404)
      #expect(try await server.legacy("PUT", "\(path)/\(id).json", LegacySamples.body(type, record)).status == 404)
    }
  }

  @Test func revisionsAreCountedByWhoCountsThem() async throws {
    try await withReceiver { server async throws in
      func weight(_ value: Double, revision: Int?) -> String {
        var record: JSONObject = [
          "activity_id": .string("a"), "timestamp": .string("2018-09-20T05:05:00Z"), "weight": .number(value),
        ]
        if let revision { record["revision"] = .integer(revision) }
        return LegacySamples.body(.weight, record)
      }
      let path = "\(LegacySamples.user)/weight"
      let first = try await server.legacy("POST", "\(path).json", weight(70, revision: nil))
      let id = try #require(first.text("weight/_id"))
      let second = try await server.legacy("POST", "\(path).json", weight(71, revision: 2))
      #expect(second.status == 200)
      #expect(second.text("weight/_id") == id)
      let late = try await server.legacy("POST", "\(path).json", weight(70, revision: 1))
      #expect(late.status == 200)
      #expect(late.value("weight/revision") == .integer(2))
      #expect(late.value("weight/weight") == nil)
      #expect(try await server.legacy("PUT", "\(path)/\(id).json", weight(72, revision: 2)).status == 409)
      #expect(try await server.legacy("PUT", "\(path)/\(id).json", weight(72, revision: 1)).status == 200)
      #expect(try server.allStored().map { $0.record["weight"] } == [.number(71)])
      #expect(try await server.legacy("PUT", "\(path)/\(id).json", weight(72, revision: nil)).status == 200)
      #expect(try server.allStored().map(\.revision) == [3])
      #expect(try server.allStored().map { $0.record["weight"] } == [.number(72)])
      let renamed = weight(72, revision: nil).replacing("\"a\"", with: "\"b\"")
      #expect(try await server.legacy("PUT", "\(path)/\(id).json", renamed).errorFields == ["activity_id"])
    }
  }

  @Test func afterTheHighestRevisionThereIsNoNextOne() async throws {
    try await withReceiver { server async throws in
      let highest = RecordFields.revisionLimit
      let reply = try await server.post(measurement { $0["revision"] = .integer(highest) })
      let json = [("Authorization", "Bearer \(RunningReceiver.token)"), ("Content-Type", "application/json")]
      let replaced = try await server.send(
        "PUT", "/connect/provider/data/measurements/\(try #require(reply.text("data/id")))", headers: json,
        body: Array(measurement(value: 112).utf8))
      #expect(replaced.status == 400)
      #expect(replaced.errorFields == ["revision"])

      var record = LegacySamples.record(.weight)
      record["revision"] = .integer(highest)
      let path = "\(LegacySamples.user)/weight"
      let legacy = try await server.legacy("POST", "\(path).json", LegacySamples.body(.weight, record))
      record["revision"] = nil
      record["weight"] = .number(72)
      let changed = try await server.legacy(
        "PUT", "\(path)/\(try #require(legacy.text("weight/_id"))).json", LegacySamples.body(.weight, record))
      #expect(changed.status == 400)
      #expect(changed.errorFields == ["revision"])
      #expect(changed.text("message")?.contains("delete the record") == true)
      #expect(try server.allStored().map(\.revision) == [highest, highest])
    }
  }

  @Test func revisionsMayStandAmongTheExtras() async throws {
    try await withReceiver { server async throws in
      func weight(_ value: Double, extras: JSONObject) -> String {
        LegacySamples.body(
          .weight,
          [
            "activity_id": .string("a"), "timestamp": .string("2018-09-20T05:05:00Z"), "weight": .number(value),
            "extras": .object(extras),
          ])
      }
      let path = "\(LegacySamples.user)/weight.json"
      #expect(try await server.legacy("POST", path, weight(70, extras: [:])).status == 201)
      #expect(try await server.legacy("POST", path, weight(71, extras: [:])).status == 409)
      let second = weight(71, extras: ["revision": .integer(2)])
      for _ in 0..<2 { #expect(try await server.legacy("POST", path, second).status == 200) }
      #expect(try server.allStored().map(\.revision) == [2])
      #expect(try server.allStored().map { $0.record["weight"] } == [.number(71)])
      #expect(try await server.legacy("POST", path, weight(72, extras: ["revision": .integer(0)])).status == 400)
    }
  }

  @Test func activityIDsAreOfOneTypeAndUser() async throws {
    try await withReceiver { server async throws in
      for type in [LegacyType.weight, .sleep] {
        let reply = try await server.legacy(
          "POST", "\(LegacySamples.user)/\(type.rawValue).json",
          LegacySamples.body(type, LegacySamples.record(type)))
        #expect(reply.status == 201)
      }
      let (account, token) = try server.store.createUser(organization: RunningReceiver.organization, uid: "p2")
      let body = LegacySamples.body(.weight, LegacySamples.record(.weight), token: token)
      // The receiver's id names the user as well as the organisation's.
      #expect(
        try await server.legacy("POST", "\(LegacySamples.organization)/users/\(account.id)/weight.json", body).status
          == 201)
      #expect(try await server.legacy("POST", "\(LegacySamples.organization)/users/p2/weight.json", body).status == 200)
      #expect(try await server.legacy("POST", "\(LegacySamples.user)/weight.json", body).status == 401)
      #expect(try server.allStored().map(\.type) == ["v1/weight", "v1/sleep"])
      // Inform reads do not mix the wire formats.
      let inform = "/organizations/\(RunningReceiver.organization)/users/\(RunningReceiver.uid)/sleep"
      let query = "start_date=2018-09-20&end_date=2018-09-20&token=\(RunningReceiver.organizationToken)"
      #expect(try await server.get("\(inform)?\(query)").value("data") == .array([]))
    }
  }

  @Test func tokensOpenWhatIsTheirs() async throws {
    try await withReceiver { server async throws in
      let hospital = try server.store.createOrganization("hospital")
      let body = { (token: String) in LegacySamples.body(.weight, LegacySamples.record(.weight), token: token) }
      for token in [hospital, "", "unknown-token-0123456789", "tök"] {
        #expect(try await server.legacy("POST", "\(LegacySamples.user)/weight.json", body(token)).status == 401)
      }
      let elsewhere = "/v1/organizations/hospital/users/\(RunningReceiver.uid)/weight.json"
      #expect(try await server.legacy("POST", elsewhere, body(RunningReceiver.token)).status == 401)
      #expect(try await server.legacy("POST", elsewhere, body(hospital)).status == 404)
      #expect(
        try await server.legacy("POST", "\(LegacySamples.user)%00/weight.json", body(RunningReceiver.organizationToken))
          .status
          == 404)
      // The organisation may write for its user, but not while they are suspended.
      try server.store.setStatus(.suspended, organization: RunningReceiver.organization, uid: RunningReceiver.uid)
      for token in [RunningReceiver.token, RunningReceiver.organizationToken] {
        #expect(try await server.legacy("POST", "\(LegacySamples.user)/weight.json", body(token)).status == 401)
      }
      try server.store.setStatus(.active, organization: RunningReceiver.organization, uid: RunningReceiver.uid)
      #expect(
        try await server.legacy("POST", "\(LegacySamples.user)/weight.json", body(RunningReceiver.organizationToken))
          .status
          == 201)
      let query = "start_date=2018-09-20&end_date=2018-09-20&access_token="
      for token in [RunningReceiver.token, RunningReceiver.organizationToken] {
        #expect(
          try await server.get("\(LegacySamples.user)/weight.json?\(query)\(token)").value("summary/results")
            == .integer(1))
      }
      #expect(try await server.get("\(LegacySamples.user)/weight.json?\(query)\(hospital)").status == 401)
      #expect(try await server.get("\(LegacySamples.user)/moods.json?\(query)\(RunningReceiver.token)").status == 404)
      #expect(
        try await server.legacy("POST", "\(LegacySamples.user)/moods.json", body(RunningReceiver.token)).status == 404)
    }
  }

  @Test func listsArePagedWithLinks() async throws {
    try await withReceiver { server async throws in
      for number in 1...5 {
        var record = LegacySamples.record(.weight, activity: "a-\(number)")
        record["timestamp"] = .string("2018-09-20T0\(number):00:00Z")
        #expect(
          try await server.legacy("POST", "\(LegacySamples.user)/weight.json", LegacySamples.body(.weight, record))
            .status == 201)
      }
      let page = try await server.get("\(LegacySamples.user)/weight.json?\(Self.window)&limit=2&offset=2")
      #expect((0..<3).map { page.text("weight/\($0)/activity_id") } == ["a-3", "a-4", nil])
      #expect(page.value("summary/status") == .integer(200))
      #expect(page.value("summary/results") == .integer(5))
      #expect(page.value("summary/offset") == .integer(2))
      #expect(page.value("summary/params/limit") == .integer(2))
      #expect(!page.body.contains(RunningReceiver.token))
      let next = try #require(page.text("summary/next"))
      let last = try await server.get("\(next)&access_token=\(RunningReceiver.token)")
      #expect((0..<2).map { last.text("weight/\($0)/activity_id") } == ["a-5", nil])
      #expect(last.value("summary/next") == .null)
      let previous = try #require(page.text("summary/previous"))
      let first = try await server.get("\(previous)&access_token=\(RunningReceiver.token)")
      #expect(first.text("weight/0/activity_id") == "a-1")
      #expect(first.value("summary/previous") == .null)
      // Moments, both inclusive, with the + as a browser sends it.
      let moments = "start_date=2018-09-20T04:00:00+02:00&end_date=2018-09-20T03:00:00Z"
      let middle = try await server.get(
        "\(LegacySamples.user)/weight.json?\(moments)&access_token=\(RunningReceiver.token)")
      #expect((0..<3).map { middle.text("weight/\($0)/activity_id") } == ["a-2", "a-3", nil])
      for bad in ["start_date=x", "end_date=1999-01-01", "limit=0", "offset=-1"] {
        let reply = try await server.get(
          "\(LegacySamples.user)/weight.json?\(bad)&access_token=\(RunningReceiver.token)")
        #expect(reply.status == 400, "\(bad)")
      }
    }
  }

  @Test func organizationsMakeUsers() async throws {
    try await withReceiver { server async throws in
      func create(_ user: String, token: String = RunningReceiver.organizationToken) async throws -> HTTPReply {
        try await server.legacy(
          "POST", "\(LegacySamples.organization)/users.json", #"{"access_token":"\#(token)","user":\#(user)}"#)
      }
      let reply = try await create(#"{"uid":"anna","timezone":"Europe/Berlin"}"#)
      #expect(reply.status == 201)
      #expect(reply.value("code") == .integer(201))
      #expect(reply.text("user/uid") == "anna")
      #expect(reply.text("user/profile/timezone") == "Europe/Berlin")
      let id = try #require(reply.text("user/_id"))
      let token = try #require(reply.text("user/access_token"))
      let body = LegacySamples.body(.weight, LegacySamples.record(.weight), token: token)
      #expect(
        try await server.legacy("POST", "\(LegacySamples.organization)/users/\(id)/weight.json", body).status == 201)
      let duplicate = try await create(#"{"uid":"anna"}"#)
      #expect(duplicate.status == 409)
      #expect(duplicate.value("code") == .integer(409))
      #expect(duplicate.errorFields == ["uid"])
      for user in ["null", "{}", #"{"uid":"a/b"}"#, "7"] { #expect(try await create(user).status == 400) }
      for wrong in ["", token, RunningReceiver.token] {
        #expect(try await create(#"{"uid":"bert"}"#, token: wrong).status == 401)
      }
    }
  }

  @Test func aLostAnswerIsNoSecondRecord() async throws {
    let faults = ReceiverFaults()
    try await withReceiver(faults: faults) { server async throws in
      let body = LegacySamples.body(.diabetes, LegacySamples.record(.diabetes))
      faults.inject(.dropAfterStoring, at: .legacy)
      await #expect(throws: RawHTTP.ConnectionDropped.self) {
        try await server.legacy("POST", "\(LegacySamples.user)/diabetes.json", body)
      }
      #expect(try await server.legacy("POST", "\(LegacySamples.user)/diabetes.json", body).status == 200)
      #expect(try server.allStored().count == 1)
      faults.inject(.answer(status: 503, retryAfter: 3), at: .legacy)
      let refused = try await server.legacy("POST", "\(LegacySamples.user)/diabetes.json", body)
      #expect(refused.headers["retry-after"] == "3")
      #expect(refused.value("code") == .integer(503))
    }
  }
}
