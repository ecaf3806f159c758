import Foundation
import GRDB
import Testing

@testable import MeterCore

@Suite("Sessions")
struct SessionTests {
  let folder: TemporaryFolder
  let store: MeterStore

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
  }

  @Test("of the same user keep queue and generation, and take the new token")
  func sameUser() throws {
    let first = try store.startSession(Fixture.user, token: Fixture.token).session
    _ = try store.commit([Fixture.unit(first.generation, [Fixture.glucose(1)])])
    let (second, ended) = try store.startSession(Fixture.user, token: AccessToken("new"))
    #expect(ended == nil)
    #expect(second.generation == first.generation)
    #expect(try store.queueSnapshot().count == 1)
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 1).first?.token == AccessToken("new"))
  }

  @Test("of another user end the first, whose unsynced records go to a recovery file")
  func otherUser() throws {
    let first = try store.startSession(Fixture.user, token: Fixture.token).session
    _ = try store.commit([
      Fixture.unit(first.generation, [Fixture.glucose(1)]),
      Fixture.unit(first.generation, [Fixture.glucose(2)], disposition: .held(.clockSuspect)),
      Fixture.unit(first.generation, [Fixture.glucose(3)]),
    ])
    let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    _ = try store.resolve(ticket, .delivered(receiverID: nil))
    let (second, ended) = try store.startSession(Fixture.otherUser, token: Fixture.token)
    #expect(second.user == Fixture.otherUser)
    #expect(second.generation != first.generation)
    #expect(try store.queueSnapshot().isEmpty)
    #expect(ended?.user == Fixture.user)
    #expect(try ended?.entries().map(\.state) == [.held, .pending])
    let file = try #require(ended?.recoveryFile)
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text.contains(Fixture.glucose(2).logID.description))
    #expect(text.contains(Fixture.glucose(3).logID.description))
    #expect(!text.contains(Fixture.glucose(1).logID.description), "what was delivered is not unsynced")
    #expect(!text.contains(Fixture.token.secret))
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("that end forget what was not delivered, so that the user's next read brings it again, and only that")
  func afterEnd() throws {
    let first = try store.startSession(Fixture.user, token: Fixture.token).session
    _ = try store.commit([Fixture.unit(first.generation, [Fixture.glucose(1), Fixture.glucose(2)])])
    let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    _ = try store.resolve(ticket, .delivered(receiverID: nil))
    try store.endSession()
    #expect(try store.endSession() == nil)
    let second = try store.startSession(Fixture.user, token: Fixture.token).session
    let receipt = try store.commit([Fixture.unit(second.generation, [Fixture.glucose(1), Fixture.glucose(2)])])[0]
    #expect(receipt.duplicates == [Fixture.glucose(1).logID])
    #expect(receipt.new.map(\.record.logID) == [Fixture.glucose(2).logID])
  }

  @Test("go on when the recovery file cannot be written")
  func noRecoveryFile() throws {
    let session = try store.startSession(Fixture.user, token: Fixture.token).session
    _ = try store.commit([Fixture.unit(session.generation, [Fixture.glucose(1)])])
    // A file where the folder should be.
    try Data().write(to: folder.state.appendingPathComponent("recovery"))
    #expect(throws: StoreError.self) { try store.endSession() }
    #expect(try store.currentSession().user == Fixture.user)
    #expect(try store.queueSnapshot().count == 1)
    try FileManager.default.removeItem(at: folder.state.appendingPathComponent("recovery"))
    #expect(try store.endSession()?.unsynced == 1)
  }

  @Test("are not needed to read, but nothing read without one is delivered, nor hidden from a later user")
  func defaultUser() throws {
    let none = try store.currentSession()
    #expect(none.user == nil)
    let receipt = try store.commit([
      Fixture.unit(none.generation, [Fixture.glucose(1)], writes: [StorageWrite(key: "user/cursor", value: [9])])
    ])[0]
    #expect(receipt.new.first?.disposition == .held(.noSession))
    let session = try store.startSession(Fixture.user, token: Fixture.token).session
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 9).isEmpty)
    #expect(try store.storage(generation: session.generation, family: "glucose", meter: Fixture.meter).isEmpty)
    let again = try store.commit([Fixture.unit(session.generation, [Fixture.glucose(1)])])[0]
    #expect(again.new.first?.disposition == .pending)
    try store.endSession()
    #expect(try store.queueSnapshot().map(\.reason) == ["no_session"], "the default user's readings stay")
  }

  @Test("never show their token")
  func tokens() throws {
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let credential = try #require(try store.credential())
    var dumped = ""
    dump(credential, to: &dumped)
    let texts = [dumped, "\(credential)", "\(Fixture.token)", String(reflecting: Fixture.token)]
    for text in texts { #expect(!text.contains("sesame")) }
  }

  @Test("are not ended by the refusal of an earlier token")
  func earlierToken() throws {
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let serial = try #require(try store.credential()).tokenSerial
    _ = try store.startSession(Fixture.user, token: AccessToken("new"))
    #expect(try store.endSession(refusedToken: serial) == nil)
    #expect(try store.currentSession().user == Fixture.user)
    #expect(try store.endSession(refusedToken: serial + 1)?.user == Fixture.user)
  }
}
