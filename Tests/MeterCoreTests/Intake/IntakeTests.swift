import Foundation
import HostErrors
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// What comes in that no driver has made: kept, held, or refused with its place.
@Suite("Records that are handed in")
struct IntakeTests {
  static let clock = HostClockReading(utcMicroseconds: Fixture.morning, isSynchronized: true)
  static let unset = HostClockReading(utcMicroseconds: 5_000_000, isSynchronized: false)

  let folder: TemporaryFolder
  let store: MeterStore
  let intake: Intake
  let generation: SessionGeneration

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    intake = Intake(store)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  static func glucose(_ value: String = "112", unit: String = "mg/dL") -> RecordDraft {
    Fixture.draft(.diabetes, [.init("blood_glucose", value, unit)])
  }

  static func pressure(_ systolic: String, _ diastolic: String) -> RecordDraft {
    Fixture.draft(.biometrics, [.init("systolic", systolic, "mm[Hg]"), .init("diastolic", diastolic, "mm[Hg]")])
  }

  static func holding(_ draft: RecordDraft) -> IntakeEntry {
    var entry = IntakeEntry.draft(draft)
    entry.holdsImplausible = true
    return entry
  }

  private func dispositions(_ receipts: [CommitReceipt]) -> [[Disposition]] {
    receipts.map { $0.new.map(\.disposition) }
  }

  // MARK: Drafts

  @Test("a draft is kept for delivery, each in a unit of its own and under the name that it was given")
  func kept() async throws {
    let name = LogID.live()
    let receipts = try await intake.take(
      [.draft(Self.glucose()), .draft(Self.glucose("6.2", unit: "mmol/L"), named: .given(name))], of: generation,
      clock: Self.clock)
    #expect(dispositions(receipts) == [[.pending], [.pending]])
    #expect(receipts[1].new.map(\.record.logID) == [name])
    #expect(try store.tally() == [.pending: 2])
    let again = try await intake.take(
      [.draft(Self.glucose("6.2", unit: "mmol/L"), named: .given(name))], of: generation, clock: Self.clock)
    #expect(again.map(\.duplicates) == [[name]], "the same record, however often it comes")
  }

  @Test("one that cannot be is refused with its number and its place, and none beside it is kept")
  func refusedAsAWhole() async throws {
    let refusal = await #expect(throws: IntakeRefusal.self) {
      try await intake.take(
        [.draft(Self.glucose()), .draft(Self.glucose("112", unit: "Cel")), .draft(Self.glucose("5"))], of: generation,
        clock: Self.clock)
    }
    let error = try #require(refusal)
    #expect(error.number == 1 && error.code == .unitNotAllowed && error.kind == .usage)
    #expect(error.draft.place == "values[0]" && error.fullMessage == error.draft.fullMessage)
    #expect(error.fullMessage.hasPrefix("values[0]: "))
    #expect(try store.queueSnapshot().isEmpty)
  }

  @Test("a check refuses what would be refused, and takes nothing")
  func check() throws {
    let good = IntakeEntry.draft(Self.glucose())
    try intake.check([good, .record(Fixture.glucose(1))], clock: Self.clock)
    let refusal = #expect(throws: IntakeRefusal.self) {
      try intake.check([good, .draft(Self.glucose("5"))], clock: Self.clock)
    }
    #expect(refusal?.number == 1 && refusal?.code == .implausible)
    #expect(try store.queueSnapshot().isEmpty)
  }

  @Test("a time that lies in the future is refused, beyond what two clocks may differ by")
  func future() async throws {
    let last = HostClockReading(
      utcMicroseconds: Fixture.morning - RecordAdmission.futureTolerance, isSynchronized: true)
    let early = HostClockReading(utcMicroseconds: last.utcMicroseconds - 1, isSynchronized: true)
    for entry in [IntakeEntry.draft(Self.glucose()), .record(try Self.glucose().record())] {
      let refusal = await #expect(throws: IntakeRefusal.self) {
        try await intake.take([entry], of: generation, clock: early)
      }
      #expect(refusal?.code == .futureTime && refusal?.hint != nil)
      let receipts = try await intake.take([entry], of: generation, clock: last)
      #expect(dispositions(receipts) == [[.pending]])
    }
  }

  @Test("nothing is taken by a clock that was never set, whatever its time")
  func clockNeverSet() async throws {
    for entry in [IntakeEntry.draft(Self.glucose()), .record(Fixture.glucose(1))] {
      let refusal = await #expect(throws: IntakeRefusal.self) {
        try await intake.take([entry], of: generation, clock: Self.unset)
      }
      #expect(refusal?.code == .clockUnknown && refusal?.kind == .temporary)
    }
    #expect(try store.queueSnapshot().isEmpty)
    // A clock that nothing disciplines is believed: a person can look at it.
    let undisciplined = HostClockReading(utcMicroseconds: Fixture.morning, isSynchronized: false)
    let receipts = try await intake.take([.draft(Self.glucose())], of: generation, clock: undisciplined)
    #expect(dispositions(receipts) == [[.pending]])
  }

  @Test(
    "values that no person has are refused, and held where that was asked for",
    arguments: [glucose("5"), pressure("80", "120"), pressure("120", "120")])
  func implausible(_ draft: RecordDraft) async throws {
    let refusal = await #expect(throws: IntakeRefusal.self) {
      try await intake.take([.draft(draft)], of: generation, clock: Self.clock)
    }
    #expect(refusal?.number == 0 && refusal?.code == .implausible)
    let receipts = try await intake.take([Self.holding(draft)], of: generation, clock: Self.clock)
    #expect(dispositions(receipts) == [[.held(.implausibleValue)]])
  }

  @Test("what is wrong in another way is refused all the same where the implausible is held")
  func holdsNothingElse() async throws {
    let refusal = await #expect(throws: IntakeRefusal.self) {
      try await intake.take([Self.holding(Self.glucose("112", unit: "Cel"))], of: generation, clock: Self.clock)
    }
    #expect(refusal?.code == .unitNotAllowed)
  }

  @Test("a person can be asked first, and what is held for itself keeps its reason")
  func asksFirst() async throws {
    let receipts = try await intake.take(
      [.draft(Self.glucose()), Self.holding(Self.glucose("5")), .record(Fixture.glucose(1))], of: generation,
      clock: Self.clock, asksFirst: true)
    #expect(
      dispositions(receipts) == [
        [.held(.awaitingConfirmation)], [.held(.implausibleValue)], [.held(.awaitingConfirmation)],
      ])
  }

  // MARK: Records that were made elsewhere

  private static func exchanged(_ systolic: Int64, _ diastolic: Int64) -> Record {
    let values = [(UInt16(20), systolic), (21, diastolic)].map { metric, number in
      RecordValue(metric: metric, unit: 6, number: ReportedNumber(mantissa: number, exponent: 0))
    }
    return Record(
      logID: .live(), identityClass: .live, type: .biometrics, time: Fixture.glucose(1).time, values: values,
      source: Fixture.source)
  }

  @Test(
    "a record of another maker that cannot be is refused",
    arguments: [
      (Fixture.glucose(3, unit: 10), .unitNotAllowed), (Fixture.glucose(3, flags: .provisional), .noValue),
    ] as [(Record, DraftError.Code)])
  func impossible(record: Record, code: DraftError.Code) async throws {
    let refusal = await #expect(throws: IntakeRefusal.self) {
      try await intake.take([.record(Fixture.glucose(1)), .record(record)], of: generation, clock: Self.clock)
    }
    #expect(refusal?.code == code && refusal?.number == 1)
    #expect(try store.queueSnapshot().isEmpty, "nothing of the call is taken")
  }

  @Test("control solution of another maker is never delivered, and what was taken back is held")
  func marked() async throws {
    let receipts = try await intake.take(
      [.record(Fixture.glucose(4, flags: .control)), .record(Fixture.glucose(5, flags: .takenBack))], of: generation,
      clock: Self.clock)
    #expect(dispositions(receipts) == [[.excluded(.controlSolution)], [.held(.takenBack)]])
  }

  @Test("a record of another maker is checked like a driver's: what is doubtful in it is held")
  func records() async throws {
    let cases: [(Record, Disposition)] = [
      (Fixture.glucose(1), .pending), (Fixture.glucose(2, mantissa: 5), .held(.implausibleValue)),
      (Self.exchanged(80, 130), .held(.implausibleValue)), (Self.exchanged(120, 120), .held(.implausibleValue)),
      (Self.exchanged(130, 80), .pending), (Fixture.glucose(3, unit: 9999), .held(.unknownMetric)),
    ]
    let receipts = try await intake.take(cases.map { .record($0.0) }, of: generation, clock: Self.clock)
    #expect(dispositions(receipts) == cases.map { [$0.1] })
    let again = try await intake.take([.record(Fixture.glucose(1))], of: generation, clock: Self.clock)
    #expect(again.map(\.duplicates) == [[Fixture.glucose(1).logID]], "its own name is kept")
  }

  // MARK: Sessions, pictures, recovery files

  @Test("what was begun under another user's session is refused")
  func anotherUser() async throws {
    _ = try store.startSession(Fixture.otherUser, token: Fixture.token)
    let error = await #expect(throws: StoreError.self) {
      try await intake.take([.draft(Self.glucose())], of: generation, clock: Self.clock)
    }
    #expect(error?.code == .staleGeneration)
    #expect(try store.queueSnapshot().isEmpty)
  }

  @Test("without a session it is held")
  func noSession() async throws {
    let store = try MeterStore(folder: folder.url.appending(path: "nobody"))
    let receipts = try await Intake(store).take(
      [.draft(Self.glucose())], of: try store.currentSession().generation, clock: Self.clock)
    #expect(dispositions(receipts) == [[.held(.noSession)]])
  }

  @Test("a picture comes with its record, or after it, and not without one")
  func pictures() async throws {
    let (first, second) = (try Fixture.image(1), try Fixture.image(2))
    let receipts = try await intake.take(
      [.record(Fixture.glucose(1))], of: generation, clock: Self.clock, images: [first])
    #expect(receipts.flatMap(\.images) == [CommitImage(logID: Fixture.glucose(1).logID, image: first)])
    try await intake.take(second, for: Fixture.glucose(1).logID, of: generation)
    #expect(try Set(store.imageSnapshot().map(\.checksum)) == [first.checksum, second.checksum])
    let unknown = await #expect(throws: StoreError.self) {
      try await intake.take(first, for: Fixture.glucose(2).logID, of: generation)
    }
    #expect(unknown?.code == .notFound)
  }

  @Test("a recovery file is read back once, for the user whose it is")
  func recovery() async throws {
    _ = try await intake.take([.record(Fixture.glucose(1))], of: generation, clock: Self.clock)
    let file = try #require(try store.endSession()?.recoveryFile)
    let refused = #expect(throws: StoreError.self) { try intake.recover(file) }
    #expect(refused?.code == .otherUser)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    #expect(try intake.recover(file).pending == [Fixture.glucose(1).logID])
    #expect(try intake.recover(file).known == [Fixture.glucose(1).logID])
  }

  @Test("a record of words alone goes through the queue and a recovery file, from wherever it comes")
  func words() async throws {
    let record = try Fixture.words().record()
    let receipts = try await intake.take(
      [.draft(Fixture.words()), .record(record)], of: generation, clock: Self.clock)
    #expect(dispositions(receipts) == [[.pending], [.pending]])
    let names = Set(receipts.flatMap { $0.new.map(\.record.logID) })
    #expect(names.contains(record.logID))
    let file = try #require(try store.endSession()?.recoveryFile)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    #expect(try Set(intake.recover(file).pending) == names)
    #expect(try Set(store.queueSnapshot().map(\.logID)) == names)
  }
}
