import Foundation
import HostPrimitives
import MeterCore
import TestSupport
import Testing

@testable import FileSink

@Suite("Readings in files")
struct FileSinkTests {
  @Test("readings are there once, in their order, and for this user's eyes", arguments: FileSinkSetting.Format.allCases)
  func delivered(format: FileSinkSetting.Format) async throws {
    let files = try SinkFiles(format)
    let sink = files.sink()
    let replies = await sink.deliver(1...250)
    #expect(replies.count == 250 && replies.allSatisfy(\.isDelivered))
    #expect(replies.first?.outcome == .delivered(id: Fixture.logID(1).description))
    #expect(try files.items() == DeliveredItem.first(1...250))
    let name = try #require(try files.names().first)
    let mode = try FileManager.default.attributesOfItem(atPath: files.url.appending(path: name).path)
    #expect(mode[.posixPermissions] as? Int == 0o600)
  }

  @Test("what is delivered again is answered and not written", arguments: FileSinkSetting.Format.allCases)
  func repeated(format: FileSinkSetting.Format) async throws {
    let files = try SinkFiles(format)
    do {
      let sink = files.sink()
      #expect(await sink.deliver(1...5).allSatisfy(\.isDelivered))
      #expect(await sink.deliver(3...7).allSatisfy(\.isDelivered), "in the same process")
    }
    let next = files.sink()
    #expect(await next.deliver([7, 1, 8, 8, 2]).allSatisfy(\.isDelivered), "in the next one, and twice at once")
    #expect(try files.items() == DeliveredItem.first(1...8))
  }

  @Test("a later revision is a new line, and the earlier one stays")
  func revisions() async throws {
    let files = try SinkFiles()
    let sink = files.sink()
    for (revision, flags) in [(1, []), (2, []), (3, .takenBack), (2, [])] as [(Int, RecordFlags)] {
      let reading = Fixture.reading(1, revision: revision, flags: flags)
      #expect(await sink.deliver([reading], with: Fixture.credential).allSatisfy(\.isDelivered))
    }
    #expect(try files.items() == (1...3).map { DeliveredItem.reading(Fixture.logID(1), revision: $0) })
    #expect(try files.text(try #require(try files.names().first)).contains(#""flags":["taken_back"]"#))
  }

  @Test("a reading that has no form is refused for good, and the others go on")
  func refused() async throws {
    let files = try SinkFiles()
    let sink = files.sink()
    let readings = [Fixture.reading(1), Fixture.reading(2, flags: .control), Fixture.reading(3)]
    let replies = await sink.deliver(readings, with: Fixture.credential)
    #expect(replies.map(\.outcome)[1] == .refused(reason: "control") && replies[1].isAboutItem)
    #expect(try files.items() == DeliveredItem.first([1, 3]))
  }

  @Test("a picture is one file, and one line says whose it is", arguments: FileSinkSetting.Format.allCases)
  func images(format: FileSinkSetting.Format) async throws {
    let files = try SinkFiles(format)
    let image = try Fixture.image(9, of: 1)
    for _ in 1...2 {
      let sink = files.sink()
      #expect(await sink.deliver([1]).allSatisfy(\.isDelivered))
      for _ in 1...2 { #expect(await sink.deliver(image, with: Fixture.credential).isDelivered) }
    }
    let checksum = image.image.checksum
    #expect(try files.items() == DeliveredItem.first([1]) + [DeliveredItem.image(Fixture.logID(1), checksum: checksum)])
    let folder = files.url.appending(path: "images")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["\(checksum).jpg"])
    let file = folder.appending(path: "\(checksum).jpg")
    #expect([UInt8](try Data(contentsOf: file)) == image.image.bytes)
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    #expect(try files.text(try #require(try files.names().first)).contains("images/\(checksum).jpg"))
  }

  @Test("one picture of two readings is one file and two lines")
  func sharedImage() async throws {
    let files = try SinkFiles()
    let sink = files.sink()
    for reading in 1...2 {
      #expect(await sink.deliver(try Fixture.image(9, of: reading), with: Fixture.credential).isDelivered)
    }
    #expect(try files.items().count == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: files.url.appending(path: "images").path).count == 1)
  }

  @Test("deliveries side by side are all there, each once")
  func sideBySide() async throws {
    let files = try SinkFiles(.csv)
    let sink = files.sink { $0.rotateBytes = 64 << 10 }
    await withTaskGroup(of: Bool.self) { group in
      for lane in 0..<8 {
        group.addTask { await sink.deliver(((lane * 80) + 1)...((lane + 2) * 80)).allSatisfy(\.isDelivered) }
      }
      for await isDelivered in group { #expect(isDelivered) }
    }
    let items = try files.items()
    #expect(items.count == 720 && Set(items) == Set(DeliveredItem.first(1...720)))
  }

  @Test("the engine delivers a store's readings and pictures into the folder")
  func engine() async throws {
    let files = try SinkFiles()
    let store = try MeterStore(folder: files.temporary.state)
    let generation = try store.startSession(Fixture.user, token: AccessToken("unused")).session.generation
    let meter = MeterIdentity(serial: "GM-0042", model: "Acme", systemID: nil, address: "C0:FF:EE:00:00:01")
    let records = (1...150).map { CommitRecord(record: Fixture.reading($0), disposition: .pending) }
    let image = try Fixture.image(4, of: 3)
    _ = try store.commit([
      CommitUnit(
        generation: generation, meter: meter, family: "glucose", records: records, writes: [],
        images: [CommitImage(logID: image.logID, image: image.image)])
    ])
    let engine = DeliveryEngine(store: store, receiver: files.sink(), jitter: { 1 })
    let report = await engine.drain()
    #expect(report.delivered == 150 && report.waiting == 0 && report.waitingImages == 0)
    let items = try files.items()
    #expect(items.count == 151 && Set(items).count == 151)
    #expect(items.contains(.image(image.logID, checksum: image.image.checksum)))
  }
}
