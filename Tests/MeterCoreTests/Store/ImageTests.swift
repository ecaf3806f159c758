import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// Images wait for their records, count against the limits and are gone when every receiver has them.
@Suite("Images in the store")
struct ImageTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let sink = MeterStore.defaultSink

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  @discardableResult
  func commit(
    _ record: Record = Fixture.glucose(1), images: [RecordImage], disposition: Disposition = .pending
  ) throws -> CommitReceipt {
    let unit = CommitUnit(
      generation: generation, records: [CommitRecord(record: record, disposition: disposition)],
      images: images.map { CommitImage(logID: record.logID, image: $0) })
    return try store.commit([unit])[0]
  }

  func accept(receiverID: String? = "r1") throws {
    let tickets = try store.claim(sink: sink, limit: 9)
    #expect(try store.resolve(tickets.map { ($0, .delivered(receiverID: receiverID)) }).allSatisfy { $0 })
  }

  @Test("are what they say by their first bytes, and no larger than receivers take")
  func refusals() throws {
    #expect(try Fixture.image(1).contentType == .jpeg)
    #expect(try RecordImage(Fixture.png).contentType == .png)
    func code(_ bytes: [UInt8], _ type: RecordImage.ContentType? = nil) -> RecordImage.Refusal.Code? {
      do throws(RecordImage.Refusal) { _ = try RecordImage(bytes, contentType: type) } catch { return error.code }
      return nil
    }
    #expect(code([]) == .empty)
    #expect(code(Array("GIF89a".utf8)) == .notAnImage)
    #expect(code([0xFF, 0xD8]) == .notAnImage)
    #expect(code(Fixture.png, .jpeg) == .otherType)
    #expect(code([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: RecordImage.byteLimit)) == .tooLarge)
    #expect(code([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: RecordImage.byteLimit - 3)) == nil)
  }

  @Test("wait for their record, then go with the receiver's id, and leave nothing")
  func order() throws {
    let image = try Fixture.image(1, length: 5_000)
    #expect(try commit(images: [image]).images.map(\.image) == [image])
    #expect(try store.imageSnapshot().map(\.state) == [.waiting])
    #expect(try store.claimImage(sink: sink, excluding: []) == nil)
    #expect(try store.usage().bytes > 5_000)
    // The same again is the same.
    #expect(try commit(images: [image]).images.isEmpty)
    try accept()
    let ticket = try #require(try store.claimImage(sink: sink, excluding: []))
    #expect(ticket.recordID == "r1" && ticket.image == image && ticket.logID == Fixture.glucose(1).logID)
    #expect(try store.claimImage(sink: sink, excluding: []) == nil, "it is on its way")
    #expect(try store.resolve(ticket, .delivered(receiverID: nil)))
    #expect(try !store.resolve(ticket, .delivered(receiverID: nil)))
    #expect(try store.imageSnapshot().isEmpty)
    #expect(try store.usage() == QueueUsage(records: 0, bytes: 0))
  }

  @Test("may come after their record was delivered")
  func later() throws {
    try commit(images: [])
    try accept(receiverID: "r9")
    try commit(images: [Fixture.image(1)])
    #expect(try store.claimImage(sink: sink, excluding: [])?.recordID == "r9")
  }

  @Test("survive a restart, with what was on its way pending again")
  func restart() throws {
    let other = try TemporaryFolder()
    let image = try Fixture.image(3)
    do {
      let store = try MeterStore(folder: other.state)
      let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
      let record = CommitRecord(record: Fixture.glucose(1), disposition: .pending)
      _ = try store.commit([
        CommitUnit(
          generation: generation, records: [record],
          images: [CommitImage(logID: record.record.logID, image: image)])
      ])
      let tickets = try store.claim(sink: sink, limit: 1)
      _ = try store.resolve(tickets.map { ($0, .delivered(receiverID: "r1")) })
      #expect(try store.claimImage(sink: sink, excluding: []) != nil)
    }
    let store = try MeterStore(folder: other.state)
    #expect(try store.imageSnapshot().map(\.state) == [.pending])
    #expect(try store.claimImage(sink: sink, excluding: [])?.image == image)
  }

  @Test("are refused without a reading that is delivered, and take nothing with them")
  func withoutReading() throws {
    func code(_ body: () throws -> Void) -> StoreError.Code? {
      do { try body() } catch { return (error as? StoreError)?.code }
      return nil
    }
    let image = try Fixture.image(1)
    let alone = CommitUnit(
      generation: generation, records: [], images: [CommitImage(logID: Fixture.glucose(7).logID, image: image)])
    #expect(code { _ = try store.commit([alone]) } == .notFound)
    #expect(
      code { try commit(Fixture.glucose(2), images: [image], disposition: .excluded(.controlSolution)) }
        == .imageRefused)
    #expect(try store.queueSnapshot().isEmpty, "nothing of the unit is there")
    try commit(Fixture.glucose(3), images: [])
    #expect(
      code { try commit(Fixture.glucose(3, mantissa: 200), images: [image]) } == .imageRefused,
      "two readings of one name")
    try commit(Fixture.glucose(4), images: [], disposition: .held(.awaitingConfirmation))
    _ = try store.discard([Fixture.glucose(4).logID])
    #expect(code { try commit(Fixture.glucose(4), images: [image]) } == .imageRefused)
    let many = try (0...UInt8(RecordImage.countLimit)).map { try Fixture.image($0) }
    #expect(code { try commit(Fixture.glucose(5), images: many) } == .imageRefused)
    #expect(try store.imageSnapshot().isEmpty)
  }

  @Test("count against the queue's bytes")
  func limits() throws {
    let other = try TemporaryFolder()
    var limits = QueueLimits()
    limits.bytes = 20_000
    let store = try MeterStore(folder: other.state, limits: limits)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    func commit(_ number: UInt64, _ length: Int) throws {
      let record = CommitRecord(record: Fixture.glucose(number), disposition: .pending)
      let image = CommitImage(logID: record.record.logID, image: try Fixture.image(UInt8(number), length: length))
      _ = try store.commit([CommitUnit(generation: generation, records: [record], images: [image])])
    }
    try commit(1, 15_000)
    let error = #expect(throws: StoreError.self) { try commit(2, 15_000) }
    #expect(error?.code == .queueFull)
    #expect(try store.queueSnapshot().count == 1 && store.imageSnapshot().count == 1)
  }

  @Test("are dead when the receiver gave their record no id")
  func noReceiverID() throws {
    try commit(images: [Fixture.image(1)])
    try accept(receiverID: nil)
    let entry = try #require(try store.imageSnapshot().first)
    #expect(entry.state == .dead && entry.reason == "no_receiver_id")
  }

  @Test("are sent again and thrown away like their records")
  func decisions() throws {
    let name = Fixture.glucose(1).logID
    try commit(images: [Fixture.image(1)])
    try accept()
    let ticket = try #require(try store.claimImage(sink: sink, excluding: []))
    #expect(try store.resolve(ticket, .dead(reason: "http-415", error: "no")))
    #expect(try store.imageSnapshot().map(\.state) == [.dead])
    #expect(try store.resubmit([name]) == [name])
    #expect(try store.imageSnapshot().map(\.state) == [.pending])
    #expect(try store.discard([name]) == [], "it waits for the receiver")
    #expect(try store.discard([name], includingPending: true) == [name])
    #expect(try store.imageSnapshot().isEmpty)
    // A reading that is thrown away takes its images along.
    try commit(Fixture.glucose(2), images: [Fixture.image(2)], disposition: .held(.awaitingConfirmation))
    #expect(try store.discard([Fixture.glucose(2).logID]).count == 1)
    #expect(try store.imageSnapshot().isEmpty)
  }

  @Test("are kept beside the recovery file when the session ends")
  func recovery() throws {
    let images = [try Fixture.image(1), try RecordImage(Fixture.png)]
    try commit(images: images)
    let ended = try #require(try store.endSession())
    #expect(ended.unsyncedImages == 2)
    let file = try #require(ended.recoveryFile)
    let kept = try Fixture.images(of: file)
    #expect(kept.map(\.checksum) == images.map(\.checksum) && kept.allSatisfy { $0.logID == Fixture.glucose(1).logID })
    for (entry, image) in zip(kept, images) {
      let path = file.deletingLastPathComponent().appending(path: entry.file)
      #expect(Array(try Data(contentsOf: path)) == image.bytes)
      let mode = try FileManager.default.attributesOfItem(atPath: path.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
    #expect(try store.usage().bytes == 0)
  }
}
