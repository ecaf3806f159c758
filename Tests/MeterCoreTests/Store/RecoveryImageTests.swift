import Crypto
import Foundation
import HostPrimitives
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// Who has written a recovery file may have named any file as an image of it; the names that the store gives come from nobody.
@Suite("Names of images beside recovery files")
struct RecoveryImageTests {
  private let folder: TemporaryFolder
  private let store: MeterStore

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    store = try MeterStore(folder: folder.state)
  }

  /// A session that ends with one reading and so many images.
  private func end(images: Int, of user: SessionUser = Fixture.user, reading: UInt64 = 1) throws -> URL {
    let session = try store.startSession(user, token: Fixture.token).session
    let record = Fixture.glucose(reading)
    let kept = try (1...images).map { CommitImage(logID: record.logID, image: try Fixture.image(UInt8($0))) }
    _ = try store.commit([
      CommitUnit(
        generation: session.generation, records: [CommitRecord(record: record, disposition: .pending)], images: kept)
    ])
    return try #require(try store.endSession()?.recoveryFile)
  }

  /// A copy beside the file in which images have other names, and whose end fits.
  private func renaming(_ file: URL, _ names: [String: String]) throws -> URL {
    var lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    let end = try #require(try JSONDecoder().decode(RecoveryFile.Line.self, from: Data(lines.removeLast().utf8)).end)
    for (old, new) in names {
      let quoted = String(decoding: try JSONEncoder().encode(new), as: UTF8.self)
      lines = lines.map { $0.replacing("\"file\":\"\(old)\"", with: "\"file\":\(quoted)") }
    }
    var bytes = Data(lines.map { "\($0)\n" }.joined().utf8)
    let digest = Array(SHA256.hash(data: bytes)).hexadecimal
    let last = RecoveryFile.Line(end: RecoveryFile.End(records: end.records, images: end.images, digest: digest))
    bytes += try JSONEncoder().encode(last)
    let copy = file.deletingLastPathComponent().appending(path: "copy.jsonl")
    try bytes.write(to: copy)
    return copy
  }

  @Test(
    "lead to no other place and to no part of a name",
    arguments: [
      "../recovery/KEPT", "/KEPT", "./KEPT", "KEPT/", "KEPT/.", "..", ".", "", "KEPT\u{0}", "KEPT\u{0}.jpg",
      "KEPT\u{301}",
      "\u{202E}KEPT", "KEPT ", String(repeating: "a", count: 300), String(repeating: "e\u{301}", count: 100),
    ])
  func hostile(name: String) throws {
    let file = try end(images: 1)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let kept = try #require(try Fixture.images(of: file).first).file
    let copy = try renaming(file, [kept: name.replacing("KEPT", with: kept)])
    let summary = try store.recover(copy)
    #expect(summary.images == 0 && summary.imageProblems.count == 1, "\(summary.imageProblems)")
    #expect(summary.pending == [Fixture.glucose(1).logID])
    #expect(try store.imageSnapshot().isEmpty)
    // The file as it was written has it.
    #expect(try store.recover(file).images == 1)
  }

  @Test("that differ only in how a letter is spelled are two") func spellings() throws {
    let file = try end(images: 2)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let kept = try Fixture.images(of: file).map(\.file)
    try #require(kept.count == 2)
    let place = file.deletingLastPathComponent().path
    var names: [String: String] = [:]
    for (old, new) in zip(kept, ["caf\u{E9}.jpg", "cafe\u{301}.jpg"]) {
      try #require(rename("\(place)/\(old)", "\(place)/\(new)") == 0)
      names[old] = new
    }
    let summary = try store.recover(try renaming(file, names))
    #expect(summary.images == 2 && summary.imageProblems.isEmpty, "\(summary.imageProblems)")
  }

  @Test(
    "come from the host, whatever a user is called, and are never those of another file",
    arguments: [
      "../../../tmp/x", "caf\u{E9}", "cafe\u{301}", "\u{202E}x", String(repeating: "\u{FDFA}", count: 300),
    ])
  func users(name: String) throws {
    var found: Set<String> = []
    for round in 1...2 as ClosedRange<UInt64> {
      let file = try end(images: 3, of: SessionUser(userID: name, organizationID: name), reading: round)
      let images = try Fixture.images(of: file).map(\.file)
      #expect(file.lastPathComponent.wholeMatch(of: /session-[0-9a-f-]{36}\.jsonl/) != nil)
      #expect(images.allSatisfy { $0.wholeMatch(of: /session-[0-9a-f-]{36}-[1-3]\.jpg/) != nil }, "\(images)")
      found.formUnion(images + [file.lastPathComponent])
      #expect(found.count == 4 * Int(round))
    }
    let listed = try FileManager.default.contentsOfDirectory(atPath: folder.state.appending(path: "recovery").path)
    #expect(Set(listed) == found)
  }
}
