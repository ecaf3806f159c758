import TestSupport
import Testing

@testable import MeterCore

@Suite("Assignments of meters to users (C15)")
struct AssignmentTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let meter = MeterIdentity(serial: "S-4711", model: "M", systemID: nil, address: "AA:BB:CC:DD:EE:FF")

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
  }

  /// The user's next read of the meter at this moment.
  private func read(
    _ user: SessionUser, at now: Int64?, slot: UInt16? = nil, history: Bool = false
  ) throws -> GrantedAssignment {
    let session = try store.startSession(user, token: Fixture.token).session
    return try store.assignment(
      of: meter, generation: session.generation,
      AssignmentRequest(slot: slot, wantsHistory: history, nowMicroseconds: now))
  }

  @Test("begin with the first read and stay where they began")
  func first() throws {
    let first = try read(Fixture.user, at: 100)
    #expect(first.assignment == MeterAssignment(slot: nil, sinceMicroseconds: 100) && !first.opensHistory)
    #expect(try read(Fixture.user, at: 200) == first)
  }

  @Test("open the history once")
  func history() throws {
    _ = try read(Fixture.user, at: 100)
    let opened = try read(Fixture.user, at: 200, history: true)
    #expect(opened.assignment?.sinceMicroseconds == nil && opened.opensHistory)
    let again = try read(Fixture.user, at: 300, history: true)
    #expect(again.assignment?.sinceMicroseconds == nil && !again.opensHistory)
    #expect(try read(Fixture.user, at: 400).assignment?.sinceMicroseconds == nil)
  }

  @Test("end with the next user's, who never gets what was measured before, not even as history")
  func nextUser() throws {
    _ = try read(Fixture.user, at: 100, history: true)
    let next = try read(Fixture.otherUser, at: 200)
    #expect(next.assignment?.sinceMicroseconds == 200)
    let history = try read(Fixture.otherUser, at: 300, history: true)
    #expect(history.assignment?.othersMicroseconds == [Int64.min..<200])
    // The first user comes back: what the other one measured stays the other one's.
    let back = try read(Fixture.user, at: 400)
    #expect(back.assignment == MeterAssignment(slot: nil, sinceMicroseconds: 400, othersMicroseconds: [.min..<400]))
  }

  @Test("of different slots do not touch each other; a whole meter conflicts with every slot")
  func slots() throws {
    _ = try read(Fixture.user, at: 100, slot: 1)
    let second = try read(Fixture.otherUser, at: 200, slot: 2)
    #expect(second.assignment == MeterAssignment(slot: 2, sinceMicroseconds: 200))
    #expect(try read(Fixture.user, at: 300).assignment == MeterAssignment(slot: 1, sinceMicroseconds: 100))
    let whole = try read(Fixture.user, at: 400, slot: 2)
    #expect(whole.assignment?.othersMicroseconds == [200..<400])
  }

  @Test("do not begin at a moment that an unset clock made up")
  func unsetClock() throws {
    #expect(try read(Fixture.user, at: nil).assignment?.sinceMicroseconds == .max)
    #expect(try read(Fixture.user, at: 100).assignment?.sinceMicroseconds == 100)
  }

  @Test("do not exist without a session, and not for a user who has gone")
  func noSession() throws {
    let request = AssignmentRequest(nowMicroseconds: 100)
    let nobody = try store.currentSession()
    #expect(try store.assignment(of: meter, generation: nobody.generation, request).assignment == nil)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    #expect(throws: StoreError.self) { try store.assignment(of: meter, generation: nobody.generation, request) }
  }
}
