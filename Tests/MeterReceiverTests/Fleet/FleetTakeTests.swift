import Crypto
import Foundation
import HostPrimitives
import TestSupport
import Testing

@testable import MeterReceiver

@Suite("Readings that come as messages", .everyStorage) struct FleetTakeTests {
  private func withFleet(_ users: String..., body: (FleetSamples) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let store = try ReceiverStore(path: try await Storage.current.place(in: folder))
      try store.createOrganization(FleetSamples.organization)
      for user in users {
        try store.createUser(
          organization: FleetSamples.organization, uid: user, token: FleetSamples.token(user))
      }
      try await body(FleetSamples(store: store))
      try store.close()
    }
  }

  @Test("a batch has a verdict for each message, by the rule of revisions, also among its own messages")
  func outcomes() async throws {
    try await withFleet("anna", "bert") { fleet async throws in
      let first = [
        FleetSamples.message("anna", revised(1)), FleetSamples.message("bert", revised(1)),
        FleetSamples.message("anna", revised(1)), FleetSamples.message("anna", revised(1, 2, value: 112)),
        FleetSamples.message("anna", revised(1)), FleetSamples.message("anna", revised(2, 3)),
      ]
      #expect(
        try await fleet.take(first) == ["created", "created", "unchanged", "updated", "superseded", "created"])
      #expect(try fleet.stored("anna") == [logID(1), logID(2)] && fleet.stored("bert") == [logID(1)])
      let record = try #require(try fleet.store.records(organization: "clinic", uid: "anna").first)
      #expect(record.revision == 2 && record.metrics.first?.value == 112)
      let second = [
        FleetSamples.message("anna", revised(1, 2, value: 113)),
        FleetSamples.message("anna", revised(1, 3, value: 114)),
        FleetSamples.message("anna", revised(2, 3)), FleetSamples.message("bert", revised(3)),
      ]
      #expect(try await fleet.take(second) == ["refused", "updated", "unchanged", "created"])
      #expect(try fleet.store.records(organization: "clinic", uid: "anna").first?.revision == 3)
    }
  }

  @Test("a batch that comes again, as after a crash before the acknowledgement, says the same and doubles nothing")
  func again() async throws {
    try await withFleet("anna", "bert") { fleet async throws in
      let batch = (1...60).map { FleetSamples.message($0 % 2 == 0 ? "anna" : "bert", revised($0)) }
      #expect(try await fleet.take(batch).allSatisfy { $0 == "created" })
      let verdicts = try await fleet.store.take(batch, by: FleetSamples.rules)
      #expect(verdicts.map(\.word).allSatisfy { $0 == "unchanged" })
      #expect(try fleet.stored("anna").count == 30 && fleet.stored("bert").count == 30)
      let ids = try fleet.store.records(organization: "clinic", uid: "bert").map(\.id)
      #expect(
        ids
          == verdicts.enumerated().compactMap { index, verdict in
            if index % 2 == 0, case .stored(_, let id, _, _) = verdict { id } else { nil }
          })
    }
  }

  @Test("in a batch and one after the other the same becomes of messages", arguments: UInt64(0)..<8)
  func batchesAreNoOther(seed: UInt64) async throws {
    try await withFleet("anna", "bert") { together async throws in
      var generator = SeededGenerator(seed: seed)
      let records = (0..<40).map { _ in
        revised(
          Int.random(in: 1...6, using: &generator), Int.random(in: 1...3, using: &generator),
          value: Double(Int.random(in: 100...101, using: &generator)))
      }
      let batch = try await together.take(records.map { FleetSamples.message("anna", $0) })
      var single: [String] = []
      for record in records { single += try await together.take([FleetSamples.message("bert", record)]) }
      #expect(batch == single)
      func contents(_ user: String) throws -> [String] {
        try together.store.records(organization: "clinic", uid: user).map { "\($0.logID) \($0.revision) \($0.content)" }
      }
      #expect(try contents("anna") == contents("bert"))
    }
  }

  @Test("over HTTP and as a message a reading is one reading") func oneAdmission() async throws {
    try await withReceiver { receiver async throws in
      #expect(try await receiver.post(measurement(logID: logID(1))).status == 201)
      let message = FleetSamples.message(
        RunningReceiver.uid, measurementObject(logID: logID(1)), token: RunningReceiver.token)
      let verdicts = try await receiver.store.take([message], by: FleetSamples.rules)
      #expect(verdicts.map(\.word) == ["unchanged"])
      #expect(try receiver.stored().count == 1)
    }
  }

  @Test("text of every kind goes into the database as it came") func text() async throws {
    try await withFleet("anna") { fleet async throws in
      let notes = ["", "\"{},\\", "NULL", "\u{1}\u{7F}", "größer 読み 🩸", "a,b\nc\td", "'; DROP TABLE record; --"]
      let records = notes.enumerated().map { index, note in
        measurementObject(logID: logID(index + 1)) { record in
          record["user_notes"] = .array([.object(["type": .string("text"), "value": .string(note)])])
          record["source"] = .object(["type": .string(index == 1 ? "with\u{0}" : "x\"\\{\(index)}")])
        }
      }
      #expect(
        try await fleet.take(records.map { FleetSamples.message("anna", $0) }).allSatisfy { $0 == "created" })
      let stored = try fleet.store.records(organization: "clinic", uid: "anna")
      for (record, kept) in zip(records, stored) {
        #expect(kept.record["user_notes"] == record["user_notes"] && kept.record["source"] == record["source"])
      }
    }
  }

  // MARK: - Who

  @Test("what nobody's token proves is nobody's, and nothing of it is kept") func unproved() async throws {
    try await withFleet("anna", "bert") { fleet async throws in
      let good = FleetSamples.message("anna", revised(1))
      var cases: [FleetMessage] = []
      func spoiled(_ change: (inout FleetMessage) -> Void) {
        var message = good
        change(&message)
        cases.append(message)
      }
      spoiled { $0.payload[$0.payload.count - 1] = 0x20 }
      spoiled { $0.subject = "mh.clinic.gw2.r.measurements" }
      spoiled { $0.headers[FleetMessage.Header.messageID] = "\(logID(1)):2:00000000" }
      spoiled { $0.headers[FleetMessage.Header.messageID] = nil }
      spoiled { $0.headers[FleetMessage.Header.mac] = nil }
      spoiled { $0.headers[FleetMessage.Header.mac] = String(repeating: "0", count: 64) }
      spoiled { $0.headers[FleetMessage.Header.mac] = "zz" }
      spoiled { $0.headers[FleetMessage.Header.user] = String(repeating: "0", count: 16) }
      spoiled {
        $0.headers[FleetMessage.Header.user] =
          FleetSamples.message("bert", revised(1)).headers[FleetMessage.Header.user]
      }
      spoiled { $0.subject = "mh.clinic.gw1.s" }
      spoiled { $0.subject = "other.clinic.gw1.r.measurements" }
      cases.append(FleetSamples.message("anna", revised(1), token: "a-token-that-nobody-has"))
      #expect(try await fleet.take(cases) == cases.map { _ in "unauthorized" })
      // Beside one of somebody's, too.
      #expect(
        try await fleet.take([cases[0], good, cases[1]]) == ["unauthorized", "created", "unauthorized"])
      #expect(try fleet.stored("anna") == [logID(1)] && fleet.stored("bert").isEmpty)
      #expect(try fleet.store.refusedMessages(organization: nil).isEmpty)
    }
  }

  @Test("the gateway of one organisation cannot deliver for a user of another") func otherOrganization() async throws {
    try await withFleet("anna") { fleet async throws in
      try fleet.store.createOrganization("other")
      #expect(
        try await fleet.take([FleetSamples.message("anna", revised(1), organization: "other")]) == ["unauthorized"])
      #expect(try fleet.stored("anna").isEmpty)
    }
  }

  @Test("who is suspended, removed or has another token is answered so") func users() async throws {
    try await withFleet("anna", "bert") { fleet async throws in
      try fleet.store.setStatus(.suspended, organization: "clinic", uid: "anna")
      let batch = [FleetSamples.message("anna", revised(1)), FleetSamples.message("bert", revised(1))]
      #expect(try await fleet.take(batch) == ["unauthorized", "created"])
      try fleet.store.setStatus(.active, organization: "clinic", uid: "anna")
      #expect(try await fleet.take(batch) == ["created", "unchanged"])
      _ = try fleet.store.replaceToken(organization: "clinic", uid: "bert")
      #expect(try await fleet.take(batch) == ["unchanged", "unauthorized"])
      _ = try fleet.store.deleteUser(organization: "clinic", uid: "anna", withReadings: true)
      #expect(try await fleet.take(batch) == ["unauthorized", "unauthorized"])
    }
  }

  @Test(
    "whatever comes as a message has a verdict, and nothing of it is anybody's who has not sent it",
    arguments: UInt64(0)..<4)
  func anything(seed: UInt64) async throws {
    try await withFleet("anna") { fleet async throws in
      var generator = SeededGenerator(seed: seed)
      var batch: [FleetMessage] = []
      for number in 0..<200 {
        var message = FleetSamples.message("anna", revised(number % 50))
        // Half of them are proved, whatever is in them.
        if Bool.random(using: &generator) {
          message = FleetSamples.message("anna", payload: generator.bytes(0...400), name: "x\(number):1:0")
        } else {
          switch Int.random(in: 0...3, using: &generator) {
          case 0: message.payload = generator.bytes(0...400)
          case 1: message.subject = String(decoding: generator.bytes(0...60), as: UTF8.self)
          case 2: message.headers[FleetMessage.Header.mac] = generator.bytes(32...32).hexadecimal
          default: message.headers = [:]
          }
        }
        batch.append(message)
      }
      let words = try await fleet.take(batch)
      #expect(words.count == 200 && Set(words).isSubset(of: ["refused", "unauthorized"]))
      #expect(try fleet.stored("anna").isEmpty)
    }
  }

  @Test("the proof is an HMAC that others can make") func vector() {
    // Python: hmac.new(hashlib.sha256(b"abc").digest(), b"mh.o.g.r.measurements\nid\n{}", "sha256").hexdigest()
    let digest = Array(SHA256.hash(data: Array("abc".utf8)))
    let mac = FleetMessage.mac(
      tokenDigest: digest, subject: "mh.o.g.r.measurements", messageID: "id", payload: Array("{}".utf8))
    #expect(mac.hexadecimal == "dc0d8ebef8a6e68e0831cf941f04ec8ab98e4478df4bab15bc9c5ca71cafb39b")
  }
}
