import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import MeterReceiver

@Suite(.everyStorage) struct MediaTests {
  private static let user = "/organizations/\(RunningReceiver.organization)/users/\(RunningReceiver.uid)"
  private static let organization = "token=\(RunningReceiver.organizationToken)"

  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 1, 0, 0xFF, 0xD9]
  private static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + Array(0..<40)

  private func upload(
    _ server: RunningReceiver, _ image: [UInt8], to record: String, type: String? = "image/jpeg",
    token: String? = RunningReceiver.token, encoding: String? = nil
  ) async throws -> HTTPReply {
    var headers: [(String, String)] = []
    if let token { headers.append(("Authorization", "Bearer \(token)")) }
    if let type { headers.append(("Content-Type", type)) }
    if let encoding { headers.append(("Content-Encoding", encoding)) }
    return try await server.send("POST", "/connect/provider/records/\(record)/media", headers: headers, body: image)
  }

  private func record(_ server: RunningReceiver, _ number: Int = 1) async throws -> String {
    try #require(try await server.post(measurement(logID: logID(number))).text("data/id"))
  }

  private func count(_ server: RunningReceiver) async throws -> Int {
    let account = try #require(try server.store.user(organization: "clinic", uid: RunningReceiver.uid))
    let records = try server.store.records(organization: account.organization, uid: account.uid)
    return records.reduce(0) { $0 + $1.media.count }
  }

  @Test(arguments: [(Self.jpeg, "image/jpeg"), (Self.png, "image/png")])
  func anImageIsStoredOnceAndReadBack(image: [UInt8], type: String) async throws {
    try await withReceiver(configure: { $0.publicAddress = "https://receiver.example/in" }) { server async throws in
      let record = try await record(server)
      let created = try await upload(server, image, to: record, type: type)
      #expect(created.status == 201, "\(created.body)")
      #expect(created.text("data/record_id") == record)
      #expect(created.text("data/outcome") == "created")
      #expect(created.text("data/content_type") == type)
      #expect(created.value("data/size") == .integer(image.count))
      let id = try #require(created.text("data/id"))
      #expect(created.text("data/url") == "https://receiver.example/in\(Self.user)/media/\(id)")
      let again = try await upload(server, image, to: record, type: type)
      #expect(again.status == 200)
      #expect(again.text("data/outcome") == "unchanged")
      #expect(again.text("data/id") == id)
      #expect(again.text("data/checksum") == created.text("data/checksum"))
      #expect(try await count(server) == 1)

      let session = URLSession(configuration: .ephemeral)
      defer { session.invalidateAndCancel() }
      let url = try #require(
        URL(string: "http://127.0.0.1:\(server.port)\(Self.user)/media/\(id)?\(Self.organization)"))
      let (data, response) = try await session.data(from: url)
      #expect(Array(data) == image)
      let http = try #require(response as? HTTPURLResponse)
      #expect(http.value(forHTTPHeaderField: "Content-Type") == type)
      #expect(http.value(forHTTPHeaderField: "X-Content-Type-Options") == "nosniff")

      let read = try await server.get("\(Self.user)/measurements/latest?\(Self.organization)")
      #expect(read.text("data/0/media/0/id") == id)
      #expect(read.text("data/0/media/0/url") == created.text("data/url"))
      #expect(read.text("data/0/checksum") == (try server.stored().first?.checksum))
    }
  }

  @Test func imagesStayWithTheirRecordWhenItChanges() async throws {
    try await withReceiver { server async throws in
      let record = try await record(server)
      let id = try #require(try await upload(server, Self.jpeg, to: record).text("data/id"))
      #expect(try await server.post(measurement(value: 112) { $0["revision"] = .integer(2) }).status == 200)
      #expect(try server.stored().first?.media.map(\.id) == [id])
      // The same image of another record is an image of its own.
      let second = try await self.record(server, 2)
      let other = try await upload(server, Self.jpeg, to: second)
      #expect(other.status == 201)
      #expect(other.text("data/id") != id)
      #expect(other.text("data/url")?.hasPrefix("/organizations/") == true)
    }
  }

  @Test func whatIsNoImageIsRefused() async throws {
    try await withReceiver { server async throws in
      let record = try await record(server)
      #expect(try await upload(server, [], to: record).status == 400)
      for bytes in [
        Array("<svg onload=alert(1)>".utf8), Array("GIF89a".utf8), Array(Self.png.prefix(16)), [0xFF, 0xD8, 0xFF],
      ] {
        #expect(try await upload(server, bytes, to: record).status == 415)
      }
      for type in ["image/png", "image/jpg", "text/html", "", nil] {
        #expect(try await upload(server, Self.jpeg, to: record, type: type).status == 415)
      }
      #expect(try await upload(server, Self.jpeg, to: record, encoding: "gzip").status == 415)
      #expect(try await upload(server, Self.jpeg, to: record, type: "Image/JPEG; q=1").status == 201)
      #expect(try await count(server) == 1)
    }
  }

  @Test func sizeAndNumberAreBounded() async throws {
    try await withReceiver(configure: {
      $0.mediaLimit = 4096
      $0.mediaPerRecord = 2
    }) { server async throws in
      let record = try await record(server)
      let largest = Self.jpeg + Array(repeating: 1, count: 4096 - Self.jpeg.count)
      #expect(try await upload(server, largest + [1], to: record).status == 413)
      #expect(try await upload(server, largest, to: record).status == 201)
      #expect(try await upload(server, Self.jpeg, to: record).status == 201)
      #expect(try await upload(server, Self.png, to: record, type: "image/png").status == 422)
      #expect(try await upload(server, Self.jpeg, to: record).status == 200)
      #expect(try await count(server) == 2)
    }
  }

  @Test func imagesArePrivate() async throws {
    try await withReceiver { server async throws in
      let record = try await record(server)
      let (_, other) = try server.store.createUser(organization: RunningReceiver.organization, uid: "p2")
      #expect(try await upload(server, Self.jpeg, to: record, token: nil).status == 401)
      #expect(try await upload(server, Self.jpeg, to: record, token: RunningReceiver.organizationToken).status == 401)
      for path in ["nothing", "%00", "\(record)%00", "..", String(repeating: "a", count: 4000)] {
        #expect(try await upload(server, Self.jpeg, to: path).status == 404, "\(path)")
      }
      #expect(try await upload(server, Self.jpeg, to: record, token: other).status == 404)
      let id = try #require(try await upload(server, Self.jpeg, to: record).text("data/id"))
      let hospital = try server.store.createOrganization("hospital")
      for query in ["", "?token=", "?token=\(hospital)", "?token=\(RunningReceiver.token)"] {
        #expect(try await server.get("\(Self.user)/media/\(id)\(query)").status == 401)
      }
      let others = "/organizations/\(RunningReceiver.organization)/users/p2/media/\(id)"
      #expect(try await server.get("\(others)?\(Self.organization)").status == 404)
      #expect(try await server.get("\(Self.user)/media/\(id)%00?\(Self.organization)").status == 404)
      try server.store.setStatus(.suspended, organization: RunningReceiver.organization, uid: RunningReceiver.uid)
      #expect(try await upload(server, Self.png, to: record, type: "image/png").status == 401)
    }
  }

  @Test func imagesGoWithRecordAndUser() async throws {
    try await withReceiver { server async throws in
      let legacy = "/v1/organizations/\(RunningReceiver.organization)/users/\(RunningReceiver.uid)/weight"
      let body = """
        {"access_token":"\(RunningReceiver.token)",
         "weight":{"activity_id":"a","timestamp":"2018-09-20T05:05:00Z","weight":70}}
        """
      let headers = [("Content-Type", "application/json")]
      let created = try await server.send("POST", "\(legacy).json", headers: headers, body: Array(body.utf8))
      let old = try #require(created.text("weight/_id"))
      let image = try #require(try await upload(server, Self.jpeg, to: old).text("data/id"))
      let query = "access_token=\(RunningReceiver.token)"
      let read = try await server.get("\(legacy)/latest.json?\(query)")
      #expect(read.text("weight/0/media/0/id") == image)
      #expect(try await server.send("DELETE", "\(legacy)/\(old).json?\(query)").status == 200)
      #expect(try await server.get("\(Self.user)/media/\(image)?\(Self.organization)").status == 404)

      let record = try await record(server)
      _ = try await upload(server, Self.jpeg, to: record)
      #expect(try await server.send("DELETE", "\(Self.user)?\(Self.organization)").status == 200)
      let left: Int? = try await server.store.read { try $0.row("SELECT COUNT(*) AS total FROM media")?["total"] }
      #expect(left == 0)
    }
  }

  @Test func aLostAnswerIsNoSecondImage() async throws {
    let faults = ReceiverFaults()
    try await withReceiver(faults: faults) { server async throws in
      let record = try await record(server)
      faults.inject(.dropAfterStoring, at: .media)
      await #expect(throws: RawHTTP.ConnectionDropped.self) { try await upload(server, Self.jpeg, to: record) }
      #expect(try await upload(server, Self.jpeg, to: record).text("data/outcome") == "unchanged")
      faults.inject(.answer(status: 503), at: .media)
      #expect(try await upload(server, Self.jpeg, to: record).status == 503)
      #expect(try await count(server) == 1)
    }
  }

  @Test(arguments: [
    "ftp://x", "receiver.example", "https://", "https://x/", "https://u@x", "https://x?y", "https://x y",
    "https://x:99999", "https://x\r\n", "https://127.1",
  ])
  func senselessPublicAddressesAreRefused(address: String) async throws {
    try await withTemporaryFolder { folder in
      var configuration = ReceiverConfiguration(database: folder + "/receiver.sqlite")
      configuration.publicAddress = address
      let error = #expect(throws: ReceiverError.self) { try Receiver(configuration: configuration) }
      #expect(error?.code == .invalidConfiguration)
    }
  }
}
