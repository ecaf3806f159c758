import Foundation
import HostPrimitives
import MeterCore
import MeterDrivers
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

/// A reading of a display becomes one record with its picture, or nothing.
@Suite struct DisplaySubmitTests {
  private struct Bench {
    let sandbox: Sandbox
    let store: MeterStore
    let owner: GatewayOwner

    func ticket() throws -> DisplayStartRequest.Ticket { try DisplayStartRequest().perform(on: owner) }

    /// 112 mg/dL.
    func request(_ raw: Int64 = 112, reading: UUID = UUID(), flags: UInt32 = 0) throws -> DisplaySubmitRequest {
      let (metric, unit) = try #require(Self.glucose)
      var request = DisplaySubmitRequest(
        reading: reading, peripheral: Self.meter, generation: try ticket().generation,
        measurements: [
          DisplayMeasurement(
            flags: flags, values: [DisplayMeasurement.Value(metric: metric, unit: unit, raw: raw, exponent: 0)])
        ], moment: .now(clockIsVouched: true), picture: Self.picture)
      request.delivers = false
      return request
    }

    static let meter: UInt32 = 10001
    static let picture = Data([0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 64))

    static var glucose: (UInt16, UInt16)? {
      guard let metric = Metric.named("blood_glucose").first, let unit = MetricUnit.withUCUM("mg/dL") else {
        return nil
      }
      return (metric.code, unit.code)
    }
  }

  private func with(session: Bool = true, _ body: (Bench) async throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      if session {
        _ = try store.startSession(SessionUser(userID: "ada", organizationID: "clinic"), token: AccessToken("token-1"))
      }
      let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
      try await body(Bench(sandbox: sandbox, store: store, owner: owner))
    }
  }

  @Test func recordAndPictureComeInOneCommit() async throws {
    try await with { bench in
      let request = try bench.request()
      let answer = try await request.perform(on: bench.owner)
      #expect(answer.records.map(\.outcome) == [.new] && answer.hasPicture)
      let logID = try #require(answer.records.first?.logID)
      #expect(logID == .live(submission: request.reading, number: 0))
      let reading = try #require(answer.records.first?.deliveries.first?.reading)
      #expect(reading.peripheral == Int(Bench.meter) && reading.values.first?.reported == "112")
      #expect(reading.type == "diabetes")
      #expect(try bench.store.imageSnapshot(of: logID).count == 1)
    }
  }

  @Test func theSameReadingSubmittedTwiceIsOne() async throws {
    try await with { bench in
      let request = try bench.request()
      _ = try await request.perform(on: bench.owner)
      let repeated = try JSONDecoder().decode(DisplaySubmitRequest.self, from: JSONEncoder().encode(request))
      let answer = try await repeated.perform(on: bench.owner)
      #expect(answer.records.map(\.outcome) == [.duplicate])
      #expect(try bench.store.usage().records == 1)
      #expect(try bench.store.imageSnapshot(of: .live(submission: request.reading, number: 0)).count == 1)
      // Another reading of the same value is another one.
      let other = try await bench.request().perform(on: bench.owner)
      #expect(other.records.map(\.outcome) == [.new])
      #expect(try bench.store.usage().records == 2)
    }
  }

  @Test func oneNameWithTwoValuesIsRefused() async throws {
    try await with { bench in
      let name = UUID()
      _ = try await bench.request(112, reading: name).perform(on: bench.owner)
      await #expect {
        _ = try await bench.request(113, reading: name).perform(on: bench.owner)
      } throws: { ($0 as? StoreError)?.code == .imageRefused }
      #expect(try bench.store.usage().records == 1)
    }
  }

  @Test func aReadingBelongsToTheSessionInWhichItBegan() async throws {
    try await with { bench in
      let request = try bench.request()
      _ = try bench.store.startSession(
        SessionUser(userID: "grace", organizationID: "clinic"), token: AccessToken("token-2"))
      await #expect {
        try await request.perform(on: bench.owner)
      } throws: { ($0 as? StoreError)?.code == .staleGeneration }
      #expect(try bench.store.usage().records == 0)
    }
  }

  @Test func withoutASessionTheReadingIsKeptAndThePictureIsNot() async throws {
    try await with(session: false) { bench in
      #expect(try !bench.ticket().hasUser)
      let answer = try await bench.request().perform(on: bench.owner)
      #expect(answer.records.map(\.outcome) == [.new] && !answer.hasPicture)
      let item = try #require(answer.records.first?.deliveries.first)
      #expect(item.state == "held" && item.reason == "no_session")
      let logID = try #require(LogID(item.logID))
      #expect(try bench.store.imageSnapshot(of: logID).isEmpty)
    }
  }

  @Test(
    "a picture that cannot be one takes the record along",
    arguments: [
      (Data(), "image_empty"), (Data("text".utf8), "image_not_an_image"),
      (Data([0xFF, 0xD8, 0xFF]) + Data(count: RecordImage.byteLimit), "image_too_large"),
    ])
  func refusedPicture(_ picture: Data, _ code: String) async throws {
    try await with { bench in
      var request = try bench.request()
      request.picture = picture
      await #expect {
        try await request.perform(on: bench.owner)
      } throws: { ($0 as? GatewayError)?.code == code }
      #expect(try bench.store.usage().records == 0)
    }
  }

  @Test func whatIsDoubtedIsHeld() async throws {
    try await with { bench in
      // The reader was not sure (MH_REC_HELD), and a value that nobody can have.
      let unsure = try await bench.request(flags: 0x8).perform(on: bench.owner)
      #expect(unsure.records.first?.deliveries.first?.reason == "driver_asks")
      let impossible = try await bench.request(90_000).perform(on: bench.owner)
      #expect(impossible.records.first?.deliveries.first?.reason == "implausible_value")
      var early = try bench.request()
      // As from another boot, or the clock of this machine would be asked again.
      early.moment.bootID = nil
      early.moment.isSynchronized = false
      let untimed = try await early.perform(on: bench.owner)
      #expect(untimed.records.first?.deliveries.first?.reason == "host_clock_unsynchronized")
    }
  }

  @Test("what a request says is not believed", arguments: Wrong.allCases)
  func wrongRequest(_ wrong: Wrong) async throws {
    try await with { bench in
      var request = try bench.request()
      wrong.change(&request)
      await #expect {
        try await request.perform(on: bench.owner)
      } throws: { ($0 as? GatewayError)?.code == wrong.code }
      #expect(try bench.store.usage().records == 0)
    }
  }

  enum Wrong: String, CaseIterable {
    case noMeasurement, tooMany, noValues, qualifier, exponent, metric, unit, meter, bluetooth, future, old, overflow

    func change(_ request: inout DisplaySubmitRequest) {
      request.moment.bootID = nil
      switch self {
      case .noMeasurement: request.measurements = []
      case .tooMany: request.measurements = Array(repeating: request.measurements[0], count: 9)
      case .noValues: request.measurements[0].values = []
      case .qualifier: request.measurements[0].values[0].qualifier = "perhaps"
      case .exponent: request.measurements[0].values[0].exponent = 127
      case .metric: request.measurements[0].values[0].metric = Metric.named("body_weight").first?.code ?? 0
      case .unit: request.measurements[0].values[0].unit = MetricUnit.withUCUM("kg")?.code ?? 0
      case .meter: request.peripheral = 9
      case .bluetooth: request.peripheral = 1000
      case .future: request.moment.microseconds += 3_600_000_000
      case .old: request.moment.microseconds -= 2 * 86_400_000_000
      case .overflow: request.moment.microseconds = .min
      }
    }

    var code: String {
      switch self {
      case .noMeasurement, .tooMany, .noValues, .qualifier, .exponent: "display_values"
      case .metric, .unit: "unit_not_allowed"
      case .meter, .bluetooth: "unknown_peripheral"
      case .future, .old, .overflow: "display_time"
      }
    }
  }

  /// A picture that was taken ten minutes after the boot, by a clock that stood at `date`.
  private func moment(date: Int64, isSynchronized: Bool = false) -> DisplayMoment {
    DisplayMoment(
      read: BootClock(bootID: "boot", bootMicroseconds: 600_000_000, utcMicroseconds: date),
      isSynchronized: isSynchronized)
  }

  @Test("a clock that is set between the picture and its submission corrects the reading's time")
  func aClockThatIsSetMeanwhile() {
    // An hour later the clock has been set from 2000 to 2026.
    let now = BootClock(bootID: "boot", bootMicroseconds: 4_200_000_000, utcMicroseconds: 1_790_000_000_000_000)
    let right = now.utcMicroseconds - 3_600_000_000
    let early = moment(date: RecordAdmission.earliestBelievable)
    #expect(early.settled(by: now, isSynchronized: true).microseconds == right)
    #expect(early.settled(by: now, isSynchronized: true).isSynchronized)
    #expect(early.settled(by: now, isSynchronized: false).microseconds == right)
    #expect(!early.settled(by: now, isSynchronized: false).isSynchronized)
    #expect(early.arrival(in: now)?.bootMicroseconds == 600_000_000)
    // What was right stays, by a clock that may be wrong now; so does what was corrected by less than a second.
    let known = moment(date: right - 5_000_000, isSynchronized: true)
    #expect(known.settled(by: now, isSynchronized: false) == known)
    let close = moment(date: right + 900_000, isSynchronized: true)
    #expect(close.settled(by: now, isSynchronized: true) == close)
    // Nothing is known of another boot, of a moment that has not come, and of one that a person states.
    var other = early
    other.bootID = "another"
    var future = early
    future.bootMicroseconds = .max
    var negative = early
    negative.bootMicroseconds = .min
    var stated = early
    stated.isStated = true
    for moment in [other, future, negative, stated] {
      #expect(moment.settled(by: now, isSynchronized: true) == moment && moment.arrival(in: now) == nil)
    }
  }

  @Test("who confirms late by a clock that is not set leaves the reading its moment")
  func aLateConfirmationKeepsTheMoment() async throws {
    try await with { bench in
      var request = try bench.request()
      let now = BootClock.now
      // Twenty minutes ago, or when this machine started.
      let boot = max(now.bootMicroseconds - 1_200_000_000, 0)
      request.moment = DisplayMoment(
        read: BootClock(bootID: now.bootID, bootMicroseconds: boot, utcMicroseconds: now.utcMicroseconds(ofBoot: boot)),
        isSynchronized: false)
      let answer = try await request.perform(on: bench.owner)
      let reading = try #require(answer.records.first?.deliveries.first?.reading)
      let time = try #require(WrittenTime(reading.time)?.utcMicroseconds)
      #expect(abs(time - now.utcMicroseconds(ofBoot: boot)) < 2_000_000)
    }
  }

  @Test("a delivery that cannot begin is no failure of the submission")
  func aDeliveryThatCannotBegin() async throws {
    try await with { bench in
      struct Damaged: Error {}
      let owner = GatewayOwner(gateway: bench.owner.gateway, store: bench.store, delivery: { throw Damaged() })
      var request = try bench.request()
      request.delivers = true
      let answer = try await request.perform(on: owner)
      #expect(answer.records.map(\.outcome) == [.new] && answer.hasPicture)
      #expect(answer.records.first?.deliveries.first?.state == "pending")
      #expect(answer.sentence == "Submitted: the reading is saved and will be delivered.")
    }
  }

  @Test func whatWasOnlyDrawnSaysSo() async throws {
    try await with { bench in
      for isDrawn in [false, true] {
        var request = try bench.request()
        request.isDrawn = isDrawn
        let answer = try await request.perform(on: bench.owner)
        let entry = try bench.store.queueEntry(try #require(answer.records.first).logID).first
        let notes = try #require(entry?.record).notes
        #expect(notes.contains { $0.text.contains("nothing was measured") } == isDrawn)
      }
    }
  }

  @Test func aTimeThatAPersonStatesHolds() async throws {
    try await with { bench in
      var request = try bench.request()
      let yesterdayAndMore = request.moment.microseconds - 3 * 86_400_000_000
      request.moment = DisplayMoment(microseconds: yesterdayAndMore, isSynchronized: true, isStated: true)
      let answer = try await request.perform(on: bench.owner)
      let reading = try #require(answer.records.first?.deliveries.first?.reading)
      #expect(reading.time == CivilMoment(microseconds: yesterdayAndMore).text(.millionths) + "Z")
    }
  }
}
