import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

@Suite("Readings of a slot that was nobody's", .timeLimit(.minutes(60)))
struct SlotReleaseTests {
  let folder: TemporaryFolder
  let store: MeterStore
  static let meter = MeterIdentity(serial: "BP-17", model: "Two users", systemID: nil, address: "AA:BB:CC:DD:EE:17")

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
  }

  private static func reading(
    _ number: UInt8, user: Int?, of meter: MeterIdentity = meter, model: String = "Two users", systolic: Int64 = 124,
    qualifier: ValueQualifier = .exact, flags: RecordFlags = [], isLive: Bool = false
  ) -> Record {
    let time = Fixture.morning + Int64(number) * 60_000_000
    return Record(
      logID: .stored(meter: meter, identity: [number]), identityClass: isLive ? .live : .stored, type: .biometrics,
      time: RecordTime(
        startMicroseconds: time, endMicroseconds: time, civilMicroseconds: nil, utcOffsetSeconds: 0,
        zoneSource: .gateway, kind: isLive ? .none : .utc),
      deviceUser: user,
      values: [
        RecordValue(
          metric: 20, unit: 6, number: ReportedNumber(mantissa: systolic, exponent: 0),
          qualifier: qualifier)
      ],
      source: RecordSource(
        peripheralID: 3000, manufacturer: "Acme", model: model, deviceID: meter.displayName, driverID: "bp",
        driverVersion: "1.0.0"), flags: flags)
  }

  private func hold(_ records: [Record], _ reason: HoldReason = .unknownOwner) throws {
    let unit = CommitUnit(
      generation: try store.currentSession().generation, meter: Self.meter, family: "bp",
      records: records.map { CommitRecord(record: $0, disposition: .held(reason)) })
    _ = try store.commit([unit])
  }

  private func read(
    slot: UInt16?, history: Bool = true, confirmsFirst: Bool = false, at now: Int64 = Fixture.morning * 2
  ) throws -> GrantedAssignment {
    try store.assignment(
      of: Self.meter, generation: store.currentSession().generation,
      AssignmentRequest(slot: slot, wantsHistory: history, confirmsFirst: confirmsFirst, nowMicroseconds: now))
  }

  private func start(_ user: SessionUser = Fixture.user) throws {
    _ = try store.startSession(user, token: Fixture.token)
  }

  /// State and reason of each reading, in the order in which they came.
  private func states() throws -> [String] {
    try store.queueSnapshot().map { entry in entry.reason ?? entry.state.rawValue }
  }

  @Test("are delivered once a read says that the slot is the user's, and no others")
  func released() throws {
    try start()
    let other = MeterIdentity(serial: "BP-17", model: "Another one", systemID: nil, address: "AA:BB:CC:DD:EE:18")
    try hold([
      Self.reading(1, user: 1), Self.reading(2, user: 2), Self.reading(3, user: nil),
      Self.reading(4, user: 2, of: other, model: "Another one"),
    ])
    try hold([Self.reading(5, user: 2)], .driverAsks)
    let nobodys = ["unknown_owner", "unknown_owner", "unknown_owner", "unknown_owner", "driver_asks"]
    #expect(try read(slot: nil).released.isEmpty)
    #expect(try states() == nobodys)
    let released = try read(slot: 2).released
    #expect(released.map(\.record.logID) == [Self.reading(2, user: 2).logID])
    #expect(released.map(\.disposition) == [.pending])
    #expect(try states() == ["unknown_owner", "pending", "unknown_owner", "unknown_owner", "driver_asks"])
    #expect(try read(slot: 2).released.isEmpty, "once")
  }

  @Test("tell whoever listens to the queue, and are released by an assignment without a read as well")
  func assigned() async throws {
    try start()
    try hold([Self.reading(1, user: 2)])
    try store.noteMeter(
      MeterSighting(Self.meter, peripheral: 3000, address: "AA", addressKind: .public, isRead: true))
    let changes = store.changes()
    _ = try store.assignMeter(
      Self.meter.peripheralUUID, slot: 2, wantsHistory: true, nowMicroseconds: Fixture.morning * 2,
      generation: store.currentSession().generation)
    #expect(try states() == ["pending"])
    for await _ in changes { break }
  }

  @Test(
    "go on waiting for what they say",
    arguments: [
      (reading(1, user: 2, systolic: 400), HoldReason.implausibleValue),
      (reading(1, user: 2, qualifier: .questionable), .questionableValue),
      (reading(1, user: 2, flags: .clockSuspect), .clockSuspect),
    ] as [(Record, HoldReason)])
  func judged(record: Record, reason: HoldReason) throws {
    try start()
    try hold([record])
    #expect(try read(slot: 2).released.map(\.disposition) == [.held(reason)])
    #expect(try states() == [reason.rawValue])
  }

  @Test("from before the assignment wait until they are asked for, and for a person's word where the read wants that")
  func notAskedFor() throws {
    try start()
    _ = try read(slot: nil, history: false, at: Fixture.morning + 90_000_000)
    try hold([Self.reading(1, user: 2), Self.reading(2, user: 2)])
    #expect(
      try read(slot: 2, history: false, confirmsFirst: true).released.map(\.disposition) == [
        .held(.notAskedFor), .held(.awaitingConfirmation),
      ])
  }

  @Test(
    "stay where another user of this gateway has had the slot, or the whole meter", arguments: [2, nil] as [UInt16?],
    [false, true])
  func somebodyElses(slot: UInt16?, isLive: Bool) throws {
    try start(Fixture.otherUser)
    _ = try read(slot: slot, history: false, at: Fixture.morning)
    try start()
    _ = try read(slot: 1, at: Fixture.morning + 90_000_000)
    try hold([Self.reading(1, user: 2, isLive: isLive), Self.reading(2, user: 2, isLive: isLive)])
    // The other user's time ends with the user's claim, or with the first read of the one who has a slot of a whole meter.
    let end = slot == nil ? Fixture.morning + 90_000_000 : Fixture.morning + 150_000_000
    _ = try read(slot: 2, at: end)
    #expect(try states() == (slot == nil ? ["unknown_owner", "pending"] : ["unknown_owner", "unknown_owner"]))
  }

  @Test("that a person has changed wait for that person")
  func edited() throws {
    try start()
    let record = Self.reading(1, user: 2)
    try hold([record])
    let change = RecordEdit(
      values: [
        20: RecordEdit.Value(number: ReportedNumber(mantissa: 125, exponent: 0), unit: 6)
      ])
    #expect(try store.edit(record.logID, change) != nil)
    #expect(try read(slot: 2).released.isEmpty)
    #expect(try states() == ["unknown_owner"])
  }
}
