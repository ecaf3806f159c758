import GRDB
import RecordSupport
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

  /// A read that breaks off is gone on with by the next one, which has no cursor of before either.
  @Test("forget how far reads have come when the history is opened or the memory is wanted again, and else never")
  func cursors() throws {
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    func request(_ change: (inout AssignmentRequest) -> Void) throws -> [String] {
      let writes = ["user/cursor", "user/pending/act", "meter/numbers"].map { StorageWrite(key: $0, value: [1]) }
      _ = try store.commit([
        CommitUnit(generation: generation, meter: meter, family: "scale", records: [], writes: writes)
      ])
      var request = AssignmentRequest(nowMicroseconds: 100)
      change(&request)
      _ = try store.assignment(of: meter, generation: generation, request)
      return try store.storage(generation: generation, family: "scale", meter: meter).keys.sorted()
    }
    let (all, kept) = (["meter/numbers", "user/cursor", "user/pending/act"], ["meter/numbers", "user/pending/act"])
    #expect(try request { _ in } == all)
    #expect(try request { $0.wantsHistory = true } == kept)
    #expect(try request { $0.wantsHistory = true } == all, "the history is open")
    #expect(try request { $0.rereads = true } == kept)
    #expect(try request { $0.rereads = true } == kept, "each time")
    #expect(try request { $0.slot = 1 } == all)
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

  @Test("do not begin at a moment that an unset clock made up, and are written all the same")
  func unsetClock() throws {
    let unknown = MeterAssignment.unknownMoment
    for _ in 0..<2 {
      let read = try read(Fixture.user, at: nil)
      #expect(read.assignment?.sinceMicroseconds == unknown && read.isSinceUnknown && !read.opensHistory)
      #expect(try openOwners() == ["\(Fixture.user.ownerKey) since \(unknown)"])
    }
    // As soon as the date is known the assignment begins, and goes on when it is known no more.
    for now in [100, 200, nil] as [Int64?] {
      let read = try read(Fixture.user, at: now)
      #expect(read.assignment == MeterAssignment(slot: nil, sinceMicroseconds: 100) && !read.isSinceUnknown)
    }
  }

  @Test("without a date open the history once, and tell that the rest is not known")
  func historyWithoutDate() throws {
    let opened = try read(Fixture.user, at: nil, history: true)
    #expect(opened.assignment == MeterAssignment(slot: nil, sinceMicroseconds: nil))
    #expect(opened.opensHistory && !opened.isSinceUnknown, "nobody else is known to have had it")
    #expect(try !read(Fixture.user, at: nil, history: true).opensHistory)
    #expect(try read(Fixture.user, at: 100).assignment?.sinceMicroseconds == nil)
  }

  /// Moments of a user's first read, of the next user's, and of the read after it; nil: the host does not know the date.
  private static let moments: [(Int64?, Int64?, Int64?)] = [
    (nil, nil, nil), (nil, nil, 300), (nil, 200, nil), (nil, 200, 300), (100, nil, nil), (100, nil, 300),
  ]

  @Test("never give the next user what somebody had while the date was not known", arguments: moments, [false, true])
  func nextUserWithoutDate(moments: (first: Int64?, second: Int64?, third: Int64?), history: Bool) throws {
    _ = try read(Fixture.user, at: moments.first, history: history)
    let next = try read(Fixture.otherUser, at: moments.second, history: true)
    let begin: Int64 = history ? .min : moments.first ?? .min
    #expect(next.assignment?.othersMicroseconds == [begin..<(moments.second ?? .max)])
    #expect(next.isSinceUnknown == (moments.second == nil))
    #expect(try openOwners() == ["\(Fixture.otherUser.ownerKey) since ever"])
    // What ended at a moment that nobody knew has ended by the next read that knows the date, and not before.
    let later = try read(Fixture.otherUser, at: moments.third, history: true)
    let end = moments.second ?? moments.third
    #expect(later.assignment?.othersMicroseconds == [begin..<(end ?? .max)] && later.isSinceUnknown == (end == nil))
    // The first one comes back: the other one's time is the other one's, from whenever to whenever.
    let back = try read(Fixture.user, at: 400)
    #expect(back.assignment == MeterAssignment(slot: nil, sinceMicroseconds: 400, othersMicroseconds: [.min..<400]))
  }

  @Test("of different slots do not touch each other without a date either")
  func slotsWithoutDate() throws {
    _ = try read(Fixture.user, at: nil, slot: 1)
    let second = try read(Fixture.otherUser, at: nil, slot: 2)
    #expect(second.assignment?.othersMicroseconds == [])
    #expect(try openOwners().count == 2)
    #expect(try read(Fixture.user, at: nil, slot: 2).assignment?.othersMicroseconds == [.min ..< .max])
  }

  /// Who has the meter now, and since when.
  private func openOwners() throws -> [String] {
    try store.database.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT owner || ' since ' || coalesce(since_us, 'ever') FROM assignment WHERE until_us IS NULL ORDER BY id
          """)
    }
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
