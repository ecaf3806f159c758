import DriverContract
import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// What a driver reports comes in pieces, and is joined, checked, named and judged before it is kept.
@Suite("Records of a driver, handed in")
struct IntakeSessionTests {
  static let clock = IntakeTests.clock

  let folder: TemporaryFolder
  let store: MeterStore
  let session: Session

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    session = try store.startSession(Fixture.user, token: Fixture.token).session
  }

  private func context(
    in session: Session? = nil, assignment: MeterAssignment? = nil, window: ReadWindow = ReadWindow()
  ) -> IntakeContext {
    IntakeContext(
      session ?? self.session, family: "glucose",
      admission: AdmissionContext(
        meter: Fixture.meter, source: Fixture.source, gatewayZone: Fixture.berlin, assignment: assignment,
        window: window))
  }

  private func open(_ context: IntakeContext) -> IntakeSession { Intake(store).open(context) }

  private static func measurement(
    _ sequence: UInt8, _ values: [DriverValue] = [RecordAdmissionTests.glucose()]
  ) -> DriverRecord {
    RecordAdmissionTests.reported(values) { record in
      record.deviceSequence = UInt64(sequence)
      record.identity = [sequence]
    }
  }

  private static func meal(_ sequence: UInt64?) -> DriverRecord {
    RecordAdmissionTests.reported([RecordAdmissionTests.code(100, 1)]) { record in
      record.kind = .context
      record.deviceSequence = sequence
    }
  }

  private static func cursor(_ number: UInt8) -> StorageWrite { StorageWrite(key: "user/cursor", value: [number]) }

  private func storage() throws -> [String: [UInt8]] {
    try store.storage(generation: session.generation, family: "glucose", meter: Fixture.meter)
  }

  private func take(_ batches: [IntakeBatch], _ intake: IntakeSession) async throws -> IntakeAnswer {
    try await intake.take(batches, clock: Self.clock)
  }

  // MARK: Joined

  @Test("a context that is late makes a revision of its measurement, and one that is first waits for it")
  func contexts() async throws {
    let intake = open(context())
    let first = try await take([IntakeBatch([Self.measurement(7)])], intake)
    #expect(first.receipts.map { $0.commit.new.map(\.disposition) } == [[.pending]])
    let late = try await take([IntakeBatch([Self.meal(7)])], intake)
    #expect(late.receipts.flatMap { $0.commit.revised.map { $0.record.values.map(\.metric) } } == [[1, 100]])

    let early = try await take([IntakeBatch([Self.meal(8)])], intake)
    #expect(early.receipts.map(\.commit) == [CommitReceipt()] && intake.waitingContexts == 1)
    let joined = try await take([IntakeBatch([Self.measurement(8)])], intake)
    #expect(joined.receipts.flatMap { $0.commit.new.map { $0.record.values.map(\.metric) } } == [[1, 100]])
    #expect(intake.waitingContexts == 0)

    let nameless = try await take([IntakeBatch([Self.meal(nil)])], intake)
    #expect(nameless.receipts.map(\.lostContexts) == [1], "no number says whose it is")
  }

  @Test("what the meter says of itself is handed back, and progress and protocol facts are passed over")
  func information() async throws {
    let about = RecordAdmissionTests.reported([]) { $0.kind = .deviceInfo }
    let batch = IntakeBatch([
      about, RecordAdmissionTests.reported([]) { $0.kind = .diagnostic },
      RecordAdmissionTests.reported { $0.flags = .provisional },
    ])
    let answer = try await take([batch], open(context()))
    #expect(answer.receipts.map(\.information) == [[about]])
    #expect(try answer.refusal == nil && store.queueSnapshot().isEmpty)
  }

  // MARK: Checked

  @Test("a record that cannot be stops its batch and those behind it, and none before it")
  func refused() async throws {
    let wrong = Self.measurement(3, [RecordAdmissionTests.glucose(37, 0, unit: 4)])
    let answer = try await take(
      [
        IntakeBatch([Self.measurement(1)], writes: [Self.cursor(1)]),
        IntakeBatch([Self.measurement(2), wrong], writes: [Self.cursor(3)]),
        IntakeBatch([Self.measurement(4)], writes: [Self.cursor(4)]),
      ], open(context()))
    #expect(answer.refusal?.code == .unitNotAllowed && answer.receipts.count == 1)
    #expect(try store.queueSnapshot().map { $0.record?.deviceSequence } == [1])
    #expect(try storage() == ["user/cursor": [1]], "the meter still has what was not taken")
  }

  @Test("what comes at once throws what is wrong with it")
  func refusedAtOnce() async throws {
    let wrong = IntakeBatch([Self.measurement(1, [RecordAdmissionTests.glucose(37, 0, unit: 4)])])
    let rejection = await #expect(throws: AdmissionRejection.self) {
      try await Intake(store).take(wrong, context(), clock: Self.clock)
    }
    #expect(rejection?.code == .unitNotAllowed)
    #expect(try store.queueSnapshot().isEmpty)
  }

  // MARK: Judged

  @Test("a read of a part moves no cursor, and keeps the driver's other keys")
  func window() async throws {
    var window = ReadWindow()
    window.limit = 1
    let settings = StorageWrite(key: "meter/settings", value: [9])
    let batch = IntakeBatch([Self.measurement(1), Self.measurement(2)], writes: [Self.cursor(2), settings])
    let answer = try await take([batch], open(context(window: window)))
    #expect(answer.receipts.map(\.left) == [[.overLimit]])
    #expect(answer.receipts.flatMap { $0.commit.new.map(\.record.deviceSequence) } == [1])
    #expect(try storage() == ["meter/settings": [9]])
  }

  @Test("what is not taken is left in a meter that keeps it, and held of one that does not", arguments: [false, true])
  func heardOnce(_ isHeardOnce: Bool) async throws {
    var context = context(assignment: MeterAssignment(slot: nil, sinceMicroseconds: Fixture.morning))
    context.isHeardOnce = isHeardOnce
    let answer = try await take([IntakeBatch([Self.measurement(1)])], open(context))
    let left: [[LeaveReason]] = isHeardOnce ? [[]] : [[.beforeAssignment]]
    let held: [Disposition] = isHeardOnce ? [.held(.notAskedFor)] : []
    #expect(answer.receipts.map(\.left) == left)
    #expect(answer.receipts.flatMap { $0.commit.new.map(\.disposition) } == held)
  }

  @Test("a person can be asked first, and what is held or excluded for itself keeps its reason")
  func asksFirst() async throws {
    var context = context()
    context.asksFirst = true
    var solution = Self.measurement(3)
    solution.flags = .control
    let batch = IntakeBatch([Self.measurement(1), Self.measurement(2, [RecordAdmissionTests.glucose(5)]), solution])
    let answer = try await take([batch], open(context))
    #expect(
      answer.receipts.flatMap { $0.commit.new.map(\.disposition) } == [
        .held(.awaitingConfirmation), .held(.implausibleValue), .excluded(.controlSolution),
      ])
  }

  // MARK: Named by what is known beside it

  /// A display: no time and no identity of its own.
  private static func display(_ value: Int64 = 112) -> DriverRecord {
    DriverRecord(kind: .measurement, values: [RecordAdmissionTests.glucose(value)])
  }

  @Test("a reading's own name makes it one, however often it is handed in")
  func circumstances() async throws {
    let note = RecordNote(field: try #require(Metric.named("note").first).code, text: "by a test")
    var circumstances = IntakeBatch.Circumstances(
      reading: UUID(), time: .utc(Fixture.morning - 60_000_000, zone: Fixture.berlin, source: .user))
    circumstances.isCorrected = true
    circumstances.notes = [note]
    var batch = IntakeBatch([Self.display(), Self.display(5)])
    batch.circumstances = circumstances
    let names = [0, 1].map { LogID.live(submission: circumstances.reading, number: $0) }

    let receipt = try await Intake(store).take(batch, context(), clock: Self.clock)
    #expect(receipt.commit.new.map(\.record.logID) == names)
    #expect(receipt.commit.new.map(\.disposition) == [.pending, .held(.implausibleValue)])
    for record in receipt.commit.new.map(\.record) {
      #expect(record.time == circumstances.time && record.origin == .manual && record.notes == [note])
      #expect(record.identityClass == .live)
    }
    let again = try await Intake(store).take(batch, context(), clock: Self.clock)
    #expect(again.commit.duplicates == names && again.commit.new.isEmpty)
  }

  @Test("pictures are kept with the readings of a user only")
  func pictures() async throws {
    let image = try Fixture.image(1)
    var batch = IntakeBatch([Self.measurement(1), Self.measurement(2)])
    batch.images = [image]
    let kept = try await Intake(store).take(batch, context(), clock: Self.clock)
    #expect(kept.commit.images == kept.commit.new.map { CommitImage(logID: $0.record.logID, image: image) })
    #expect(kept.commit.images.count == 2)

    let nobodys = try MeterStore(folder: folder.url.appending(path: "nobody"))
    let unowned = try await Intake(nobodys).take(
      batch, context(in: try nobodys.currentSession()), clock: Self.clock)
    #expect(unowned.commit.images.isEmpty)
    #expect(unowned.commit.new.map(\.disposition) == [.held(.noSession), .held(.noSession)])
  }

  @Test("a read that began under another user's session brings nothing in")
  func anotherUser() async throws {
    let intake = open(context())
    _ = try store.startSession(Fixture.otherUser, token: Fixture.token)
    let error = await #expect(throws: StoreError.self) {
      try await take([IntakeBatch([Self.measurement(1)], writes: [Self.cursor(1)])], intake)
    }
    #expect(error?.code == .staleGeneration)
    #expect(try store.queueSnapshot().isEmpty)
  }
}
