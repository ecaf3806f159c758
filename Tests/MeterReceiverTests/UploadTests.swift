import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import MeterReceiver

@Suite(.everyStorage) struct UploadTests {
  @Test func newRecordIsCreatedAndOnDisk() async throws {
    try await withReceiver { server async throws in
      let reply = try await server.post(measurement())
      #expect(reply.status == 201)
      #expect(reply.headers["content-type"] == "application/json")
      #expect(reply.text("data/outcome") == "created")
      #expect(reply.text("data/log_id") == "0189d8a1-5b0c-8f00-8000-000000000001")
      #expect(reply.value("data/revision") == .integer(1))
      #expect(reply.text("data/created_at").flatMap(UTCTimestamp.init(_:)) != nil)
      let stored = try #require(try server.stored().first)
      #expect(stored.id == reply.text("data/id"))
      #expect(stored.checksum == reply.text("data/checksum"))
      #expect(stored.checksum.count == 64)
      #expect(stored.metrics == [.init(type: "blood_glucose", origin: "device", unit: "mg/dL", value: 111)])
      #expect(stored.deviceModel == "Contour Next One")
      #expect(stored.deviceManufacturer == "Ascensia")
      #expect(stored.startTime == "2018-09-20T05:27:07Z")
      #expect(stored.utcOffset == -25200)
      #expect(stored.tags(named: "sequence") == ["30"])
    }
  }

  @Test func sameContentIsUnchangedHoweverItIsWritten() async throws {
    try await withReceiver { server async throws in
      let first = try await server.post(measurement())
      let spellings = [
        measurement(),
        measurement { $0.members.reverse() },
        measurement { $0["log_id"] = .string("0189D8A1-5B0C-8F00-8000-000000000001") },
        measurement { $0["revision"] = .integer(1) },
        measurement { $0["user_notes"] = nil },
        measurement { $0["id"] = .string("a client's own") },
        measurement().replacing(":111}", with: ": 1.110e2 }"),
      ]
      for body in spellings {
        let reply = try await server.post(body)
        #expect(reply.status == 200, "\(body)")
        #expect(reply.text("data/outcome") == "unchanged", "\(body)")
        #expect(reply.text("data/id") == first.text("data/id"))
        #expect(reply.text("data/checksum") == first.text("data/checksum"))
      }
      #expect(try server.stored().count == 1)
    }
  }

  @Test("the resolution that a meter reports is stored and given back, and makes no other content")
  func keepsDigits() async throws {
    try await withReceiver { server async throws in
      #expect(try await server.post(measurement().replacing(":111}", with: ":111.0}")).status == 201)
      #expect(try await server.post(measurement()).text("data/outcome") == "unchanged")
      #expect(try server.stored().first?.content.contains(":111.0}") == true)
      #expect(try server.stored().first?.metrics.first?.value == 111)
    }
  }

  @Test func revisionsReplaceOnlyUpwards() async throws {
    try await withReceiver { server async throws in
      let first = try await server.post(measurement())
      let other = try await server.post(measurement(value: 112))
      #expect(other.status == 409)
      #expect(other.errorFields == ["log_id"])
      #expect(try server.stored().first?.metrics.first?.value == 111)

      let updated = try await server.post(measurement(value: 112) { $0["revision"] = .integer(3) })
      #expect(updated.status == 200)
      #expect(updated.text("data/outcome") == "updated")
      #expect(updated.text("data/id") == first.text("data/id"))
      #expect(updated.text("data/created_at") == first.text("data/created_at"))
      #expect(updated.text("data/checksum") != first.text("data/checksum"))
      #expect(updated.value("data/revision") == .integer(3))

      let late = try await server.post(measurement(value: 113) { $0["revision"] = .integer(2) })
      #expect(late.status == 200)
      #expect(late.text("data/outcome") == "superseded")
      #expect(late.text("data/checksum") == updated.text("data/checksum"))
      #expect(late.value("data/revision") == .integer(3))

      let stored = try server.stored()
      #expect(stored.count == 1)
      #expect(stored.first?.metrics.first?.value == 112)
      #expect(stored.first?.revision == 3)
    }
  }

  @Test("a reading that another gateway has sent, with its own zone and clock, is there already")
  func contentHash() async throws {
    try await withReceiver { server async throws in
      let (hash, other) = (String(repeating: "0a", count: 32), String(repeating: "0b", count: 32))
      #expect(try await server.post(measurement { $0["content_hash"] = .string(hash) }).status == 201)
      let elsewhere = measurement {
        $0["content_hash"] = .string(hash)
        $0["utc_offset"] = .integer(3600)
      }
      let repeated = try await server.post(elsewhere)
      #expect(repeated.status == 200 && repeated.text("data/outcome") == "unchanged")
      #expect(try server.stored().map(\.utcOffset) == [-25200])
      let changed = measurement(value: 112) { $0["content_hash"] = .string(other) }
      #expect(try await server.post(changed).status == 409)
      #expect(try await server.post(measurement { $0["utc_offset"] = .integer(3600) }).status == 409)
      // A gateway that has no hash to send yet.
      #expect(try await server.post(measurement()).text("data/outcome") == "unchanged")
      for wrong in [JSONValue.string(hash.uppercased()), .string("0a"), .integer(1), .null] {
        let refused = try await server.post(measurement { $0["content_hash"] = wrong })
        #expect(refused.status == 400 && refused.errorFields == ["content_hash"], "\(wrong)")
      }
    }
  }

  @Test("who replaces a record says nothing with its content hash")
  func contentHashOfReplacement() async throws {
    try await withReceiver { server async throws in
      let hash = JSONValue.string(String(repeating: "0a", count: 32))
      let id = try #require(try await server.post(measurement { $0["content_hash"] = hash }).text("data/id"))
      let moved = measurement {
        $0["content_hash"] = hash
        $0["utc_offset"] = .integer(3600)
      }
      let replaced = try await server.send(
        "PUT", "/connect/provider/data/measurements/\(id)",
        headers: [("Authorization", "Bearer \(RunningReceiver.token)"), ("Content-Type", "application/json")],
        body: Array(moved.utf8))
      #expect(replaced.text("data/outcome") == "updated")
      #expect(try server.stored().map(\.utcOffset) == [3600])
    }
  }

  @Test func concurrentPostsOfOneRecordCreateItOnce() async throws {
    try await withReceiver { server async throws in
      let outcomes = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<24 { group.addTask { try await server.post(measurement()).text("data/outcome") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.count { $0 == "created" } == 1)
      #expect(outcomes.count { $0 == "unchanged" } == 23)
      #expect(try server.stored().count == 1)
    }
  }

  @Test func sameLogIDOfTwoUsersIsTwoRecords() async throws {
    try await withReceiver { server async throws in
      let (_, token) = try server.store.createUser(organization: RunningReceiver.organization, uid: "patient-2")
      #expect(try await server.post(measurement()).status == 201)
      #expect(try await server.post(measurement(value: 200), token: token).status == 201)
      #expect(try server.stored().map { $0.metrics[0].value } == [111])
      let others = try server.store.measurements(organization: RunningReceiver.organization, uid: "patient-2")
      #expect(others.map { $0.metrics[0].value } == [200])
    }
  }

  @Test(arguments: [
    [], ["Bearer"], ["Bearer "], ["Bearer \(RunningReceiver.token)x"], ["Basic \(RunningReceiver.token)"],
    [RunningReceiver.token], ["Bearer \(RunningReceiver.token) extra"], ["Bearer tök€n"],
    ["Bearer \(RunningReceiver.organizationToken)"], ["Bearer " + String(repeating: "a", count: 600)],
    ["Bearer \(RunningReceiver.token)", "Bearer \(RunningReceiver.token)"],
  ])
  func requestsWithoutValidTokenAre401(authorization: [String]) async throws {
    try await withReceiver { server async throws in
      let headers = authorization.map { ("Authorization", $0) } + [("Content-Type", "application/json")]
      let reply = try await server.send(
        "POST", "/connect/provider/data/measurements", headers: headers, body: Array(measurement().utf8))
      #expect(reply.status == 401)
      #expect(reply.headers["www-authenticate"] == "Bearer")
      #expect(reply.text("errors/0") != nil)
      #expect(try server.stored().isEmpty)
    }
  }

  @Test func suspendedUserIs401UntilReinstated() async throws {
    try await withReceiver { server async throws in
      let (organization, uid) = (RunningReceiver.organization, RunningReceiver.uid)
      try server.store.setStatus(.suspended, organization: organization, uid: uid)
      let refused = try await server.post(measurement())
      #expect(refused.status == 401)
      #expect(refused.text("errors/0")?.contains("suspended") == true)
      #expect(try await server.get("/connect/provider/user", token: RunningReceiver.token).status == 401)
      try server.store.setStatus(.active, organization: organization, uid: uid)
      #expect(try await server.post(measurement()).status == 201)
    }
  }

  @Test func sessionCheckTellsTheUser() async throws {
    try await withReceiver { server async throws in
      let reply = try await server.get("/connect/provider/user", token: RunningReceiver.token)
      let account = try server.store.user(organization: RunningReceiver.organization, uid: RunningReceiver.uid)
      #expect(reply.status == 200)
      #expect(reply.text("data/organization_id") == RunningReceiver.organization)
      #expect(reply.text("data/user_id") == account?.id)
      #expect(reply.text("data/uid") == RunningReceiver.uid)
      #expect(reply.text("data/status") == "active")
      #expect(try await server.get("/connect/provider/user").status == 401)
      #expect(try await server.get("/healthz").status == 200)
    }
  }

  @Test(arguments: [("/connect/provider/data/moods", "POST"), ("/nowhere", "GET"), ("/connect/provider/user", "PUT")])
  func unknownResourcesAre404(path: String, method: String) async throws {
    try await withReceiver { server async throws in
      let reply = try await server.send(method, path, headers: [("Authorization", "Bearer \(RunningReceiver.token)")])
      #expect(reply.status == 404)
      #expect(reply.text("errors/0") != nil)
    }
  }

  @Test(arguments: [nil, "text/plain", "application/jsonx", "", "application/x-www-form-urlencoded"] as [String?])
  func otherContentTypesAre415(contentType: String?) async throws {
    try await withReceiver { server async throws in
      #expect(try await server.post(measurement(), contentType: contentType).status == 415)
    }
  }

  @Test(arguments: ["application/json; charset=utf-8", "Application/JSON", "application/json ;charset=utf-8"])
  func spellingsOfTheContentTypeAreAccepted(contentType: String) async throws {
    try await withReceiver { server async throws in
      #expect(try await server.post(measurement(), contentType: contentType).status == 201)
    }
  }

  @Test func compressedBodiesAre415() async throws {
    try await withReceiver { server async throws in
      let reply = try await server.send(
        "POST", "/connect/provider/data/measurements",
        headers: [
          ("Authorization", "Bearer \(RunningReceiver.token)"), ("Content-Type", "application/json"),
          ("Content-Encoding", "gzip"),
        ], body: Array(measurement().utf8))
      #expect(reply.status == 415)
    }
  }

  @Test func bodyLimitIsExact() async throws {
    try await withReceiver(configure: { $0.bodyLimit = 4096 }) { server async throws in
      let body = measurement()
      let padding = String(repeating: " ", count: 4096 - body.utf8.count)
      #expect(try await server.post(body + padding + " ").status == 413)
      #expect(try server.stored().isEmpty)
      #expect(try await server.post(body + padding).status == 201)
      #expect(try await server.post(String(repeating: "x", count: 3 << 20)).status == 413)
    }
  }

  @Test func chunkedBodyOverTheLimitIs413() async throws {
    try await withReceiver(configure: { $0.bodyLimit = 4096 }) { server async throws in
      var request = "POST /connect/provider/data/measurements HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      request += "Authorization: Bearer \(RunningReceiver.token)\r\nContent-Type: application/json\r\n"
      request += "Transfer-Encoding: chunked\r\n\r\n"
      for _ in 0..<16 { request += "200\r\n\(String(repeating: " ", count: 512))\r\n" }
      let reply = try await RawHTTP.exchange(port: server.port, Array((request + "0\r\n\r\n").utf8))
      #expect(reply.status == 413)
    }
  }

  @Test(arguments: [
    "", "{", "nonsense", "{\"log_id\":}", "[1,]", "{\"value\":NaN}", measurement() + "x",
  ])
  func textThatIsNoJSONIs400(body: String) async throws {
    try await withReceiver { server async throws in
      let reply = try await server.post(body)
      #expect(reply.status == 400)
      #expect(reply.text("errors/0")?.contains("not valid JSON") == true)
    }
  }

  /// A client library keeps its connection: an answer that was given before the body was read must not spoil the next one.
  @Test func connectionsOutliveRefusals() async throws {
    try await withReceiver(configure: { $0.bodyLimit = 4096 }) { server async throws in
      let session = URLSession(configuration: .ephemeral)
      defer { session.invalidateAndCancel() }
      func status(_ body: String, token: String = RunningReceiver.token) async throws -> Int? {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/connect/provider/data/measurements"))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return (try await session.data(for: request).1 as? HTTPURLResponse)?.statusCode
      }
      let large = String(repeating: " ", count: 200_000)
      for _ in 0..<3 {
        #expect(try await status(large, token: "unknown") == 401)
        #expect(try await status(large) == 413)
        #expect(try await status("{") == 400)
      }
      #expect(try await status(measurement()) == 201)
      #expect(try await status(measurement()) == 200)
    }
  }

  @Test(arguments: ["[", "{\"a\":"])
  func deepNestingIs400(opening: String) async throws {
    try await withReceiver { server async throws in
      let reply = try await server.post(String(repeating: opening, count: 100_000))
      #expect(reply.status == 400)
      #expect(reply.text("errors/0")?.contains("nested deeper") == true)
    }
  }

  @Test func fieldErrorsNameTheFields() async throws {
    try await withReceiver { server async throws in
      let reply = try await server.post(
        measurement {
          $0["log_id"] = .string("17")
          $0["metrics"] = .array([
            .object([
              "type": .string("blood_glucose"), "origin": .string("device"), "unit": .string("Cel"),
              "value": .number(5),
            ])
          ])
        })
      #expect(reply.status == 400)
      #expect(reply.errorFields == ["log_id", "metrics[0].unit"])
      #expect(try server.stored().isEmpty)
    }
  }

  @Test func arrayHasAnOutcomeForEachRecord() async throws {
    try await withReceiver { server async throws in
      _ = try await server.post(measurement(logID: logID(1)))
      let bodies = [
        measurement(logID: logID(1)), measurement(logID: logID(1), value: 99), measurement(logID: logID(2)),
        "17", measurement(logID: logID(3)).replacing(":111}", with: ":1e999}"),
        measurement(logID: logID(4)).replacing("\"version\":", with: "\"type\":\"x\",\"version\":"),
        measurement(logID: logID(2)), measurement(logID: logID(5)),
      ]
      let reply = try await server.post("[" + bodies.joined(separator: ",") + "]")
      #expect(reply.status == 207)
      let statuses = bodies.indices.map { reply.value("data/\($0)/status")?.integer }
      #expect(statuses == [200, 409, 201, 400, 400, 400, 200, 201])
      #expect(reply.text("data/2/data/outcome") == "created")
      #expect(reply.text("data/6/data/outcome") == "unchanged")
      #expect(reply.value("data/4/errors/metrics[0].value") != nil)
      #expect(reply.text("data/5/errors/type/0") == "is given twice")
      #expect(bodies.indices.allSatisfy { reply.value("data/\($0)/index")?.integer == $0 })
      #expect(try server.stored().map(\.logID) == [logID(1), logID(2), logID(5)])
    }
  }

  @Test func arrayLimits() async throws {
    try await withReceiver(configure: { $0.recordLimit = 3 }) { server async throws in
      #expect(try await server.post("[]").status == 400)
      #expect(try await server.post("[1,2,3]").status == 207)
      #expect(try await server.post("[1,2,3,4]").status == 413)
    }
  }
}
