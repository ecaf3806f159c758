import Foundation
import InformSink
import TestSupport
import Testing

@testable import MeterCore

/// State folders that programs of earlier versions have written: a session with two receivers, readings of a virtual meter, readings of a
/// person with a picture, some delivered, some held, some waiting. Beside each lies what that program itself said of its queue.
@Suite("Folders that earlier programs have written")
struct EarlierFoldersTests {
  /// By the last change of the tables that the program knew.
  static let versions = ["session-options", "commits"]

  private struct Delivery: Decodable, Hashable {
    let logID: String
    let sink: String
    let state: String
    let attempts: Int

    private enum Keys: String, CodingKey { case log_id, sink, state, attempts, reading }

    init(_ entry: QueueEntry) {
      (logID, sink, state, attempts) = (entry.logID.description, entry.sink, entry.state.rawValue, entry.attempts)
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Keys.self)
      logID = try values.decode(String.self, forKey: .log_id)
      sink = try values.decode(String.self, forKey: .sink)
      attempts = try values.decode(Int.self, forKey: .attempts)
      let reading = try? values.nestedContainer(keyedBy: Keys.self, forKey: .reading)
      state =
        try values.decodeIfPresent(String.self, forKey: .state) ?? reading?.decode(String.self, forKey: .state) ?? ""
    }
  }

  /// What `session show` said, in one line, and behind it the further receivers.
  private struct Told: Decodable {
    let user: String?
    let organization: String?
    let receiver: String
    let zone: String?
    let validated: Bool?
    let name: String?
  }

  private static func folder(_ version: String) -> URL {
    CompiledBundle.root.appending(path: "Tests/Fixtures/States/\(version)")
  }

  private func lines<Line: Decodable>(_ version: String, _ name: String, _: Line.Type) throws -> [Line] {
    let text = try String(contentsOf: Self.folder(version).appending(path: name), encoding: .utf8)
    return try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }

  /// A copy, with the modes that git does not keep.
  private func copy(_ version: String, to folder: TemporaryFolder) throws {
    let files = FileManager.default
    try files.copyItem(at: Self.folder(version).appending(path: "state"), to: folder.state)
    let below = try #require(files.enumerator(at: folder.state, includingPropertiesForKeys: [.isDirectoryKey]))
    for case let file as URL in below {
      let isFolder = try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
      try files.setAttributes([.posixPermissions: isFolder ? 0o700 : 0o600], ofItemAtPath: file.path)
    }
    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.state.path)
  }

  @Test("open with every delivery in the state that their program showed", arguments: versions)
  func deliveries(_ version: String) throws {
    let folder = try TemporaryFolder()
    try copy(version, to: folder)
    let store = try MeterStore(folder: folder.state, sinkKinds: SinkKinds([SinkKind(ReceiverSetting.self)]))
    let told = try lines(version, "queue.jsonl", Delivery.self)
    #expect(told.count == 14)
    #expect(Set(try store.queueSnapshot().map(Delivery.init)) == Set(told))
    #expect(try store.losses().isEmpty)
    #expect(try store.imageSnapshot().isEmpty == false)
  }

  @Test("open with their session, its receivers, and their tokens", arguments: versions)
  func session(_ version: String) throws {
    let folder = try TemporaryFolder()
    try copy(version, to: folder)
    let store = try MeterStore(folder: folder.state, sinkKinds: SinkKinds([SinkKind(ReceiverSetting.self)]))
    let told = try lines(version, "session.jsonl", Told.self)
    let own = try #require(told.first), further = try #require(told.last)
    #expect(told.count == 2 && further.name == "research")
    let session = try store.currentSession()
    #expect(session.user?.userID == own.user && session.user?.organizationID == own.organization)
    #expect(session.isValidated == own.validated && session.options.timeZone?.identifier == own.zone)
    let sinks = try store.sinks()
    #expect(sinks.map(\.name) == ["inform", "research"] && sinks.map(\.role) == [.session, .further])
    #expect(sinks.allSatisfy { $0.target.kind == "inform" && $0.hasToken && !$0.isPaused && !$0.isRefused })
    #expect(sinks.map(\.isValidated) == [true, false])
    let kinds = SinkKinds([SinkKind(ReceiverSetting.self)])
    #expect(try sinks.map { try kinds.setting($0.target).address } == [own.receiver, further.receiver])
    #expect(try store.credential()?.token == AccessToken("0123456789abcdef0123"))
    #expect(try store.credential(ofSink: "research")?.token == AccessToken("0123456789abcdef0123"))
  }

  @Test("take further readings, and know those that they have", arguments: versions)
  func further(_ version: String) async throws {
    let folder = try TemporaryFolder()
    try copy(version, to: folder)
    let store = try MeterStore(folder: folder.state, sinkKinds: SinkKinds([SinkKind(ReceiverSetting.self)]))
    let generation = try store.currentSession().generation
    let clock = HostClockReading(utcMicroseconds: 1_790_000_000_000_000, isSynchronized: true)
    let known = try #require(try store.queueSnapshot().first?.record)
    let again = try await Intake(store).take([.record(known)], of: generation, clock: clock)
    #expect(again.map(\.duplicates.count) == [1])
    var draft = RecordDraft(
      type: .weight, time: .utc(1_714_000_000_000_000, zone: .gmt, source: .user), source: known.source, origin: .manual
    )
    draft.values = [RecordDraft.Value("body_weight", "70", "kg")]
    let new = try await Intake(store).take([.draft(draft)], of: generation, clock: clock)
    #expect(new.map(\.new.count) == [1])
    #expect(try store.queueSnapshot().count == 16, "one more for each of the two receivers")
  }
}
