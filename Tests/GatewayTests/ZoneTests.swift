import Foundation
import HostPrimitives
import MeterBluetooth
import MeterCore
import MeterDrivers
@testable import GatewayAPI
@testable import GatewayEngine
import TestSupport
import Testing

/// The user's own time zone.
@Suite(.timeLimit(.minutes(60))) struct ZoneTests {
  private func start(_ zone: String?, in store: MeterStore) async throws {
    // Nobody listens on the discard port of this machine.
    var account = GatewayFixture.account(port: 9)
    account.zone = zone
    _ = try await GatewayDelivery.start(account, store: store)
  }

  @Test func whatAMeterShowsIsInTheUsersZone() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      try await start("Asia/Tokyo", in: store)
      let first = try await GatewayFixture.read("contour-next-one.json", as: 1000, into: store, sandbox: sandbox)
      #expect(first?.records.count == 2)
      for record in try store.queueSnapshot().compactMap(\.record) {
        #expect(record.time.zoneSource == .user && record.time.utcOffsetSeconds == 9 * 3600)
        let civil = try #require(record.time.civilMicroseconds)
        #expect(record.time.startMicroseconds == civil - 9 * 3_600_000_000)
      }
      try await start(nil, in: store)
      #expect(try store.currentSession().options.zone == "Asia/Tokyo", "a new token does not move the user")
      try await start("Europe/Berlin", in: store)
      let again = try await GatewayFixture.read("contour-next-one.json", as: 1000, into: store, sandbox: sandbox)
      #expect(again?.records.isEmpty == true, "another zone makes no other reading")
      _ = try store.endSession()
      try await start(nil, in: store)
      #expect(try store.currentSession().options.zone == "Europe/Berlin", "the user keeps it")
    }
  }

  @Test func aRecordWithoutAZoneIsInTheUsers() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
      for (zone, source, offset) in [(nil, RecordTime.ZoneSource.gateway, 0), ("Asia/Tokyo", .user, 32_400)] {
        _ = try store.endSession()
        try await start(zone, in: store)
        let text = """
          {"type": "weight", "time": "2026-03-01T08:00:00",
           "values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}
          """
        var request = SubmitRequest([SubmitRequest.Document(name: "test", text: text)], zone: .gmt)
        request.delivers = false
        _ = try await request.perform(on: owner)
        let record = try #require(try store.queueSnapshot().first?.record)
        #expect(record.time.zoneSource == source && record.time.utcOffsetSeconds == offset)
      }
    }
  }

  /// What the commands have sent for one text; all in one zone, and in the gateway's, which is UTC, where the user has none.
  private func times(of text: String, _ owner: GatewayOwner, _ sandbox: Sandbox) async throws -> [RecordTime] {
    let moment = try #require(MomentText(text))
    let person = try owner.personZone(else: "UTC")
    // A document, and the command line, which is one.
    var request = SubmitRequest(
      [text, moment.timeText].map { time in
        SubmitRequest.Document(
          name: "test",
          text: """
            {"type": "weight", "time": "\(time)", "values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}
            """)
      }, zone: .gmt)
    request.delivers = false
    request.confirmsFirst = true
    var names = try await request.perform(on: owner).map(\.logID)
    request.submission = UUID()
    request.documents[0].text = request.documents[0].text.replacing(text, with: "2020-01-01T00:00Z")
    request.documents.removeLast()
    let edited = try await request.perform(on: owner)[0].logID
    _ = try QueueEditRequest(try #require(QueueName("\(edited)")), values: [], time: moment, zone: .gmt)
      .perform(on: owner)
    names.append(edited)
    let display = try DisplayStartRequest(time: moment, zone: .gmt).perform(on: owner).time
    return try names.compactMap { try owner.store.queueEntry($0).first?.record?.time } + [
      try #require(display), try person.time(moment),
    ]
  }

  @Test(
    "a person's time is one moment, whichever command it is given to",
    arguments: [
      ("2026-07-01T08:00", "Europe/Berlin", "2026-07-01T06:00:00Z", 7200),
      ("2026-07-01T08:00", nil, "2026-07-01T08:00:00Z", 0),
      ("2026-01-15T23:45:30", "America/New_York", "2026-01-16T04:45:30Z", -18_000),
      ("2026-07-01T08:00+05:45", "Europe/Berlin", "2026-07-01T02:15:00Z", 20_700),
      ("2026-07-01T08:00Z", "Europe/Berlin", "2026-07-01T08:00:00Z", 7200),
    ] as [(String, String?, String, Int)])
  func aPersonsTime(text: String, zone: String?, utc: String, offset: Int) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
      try await start(zone, in: store)
      let times = try await times(of: text, owner, sandbox)
      #expect(times.count == 5)
      for time in times {
        #expect(CivilMoment(microseconds: time.startMicroseconds).text(.none) + "Z" == utc)
        #expect(time.utcOffsetSeconds == offset && time.zoneSource == (zone == nil ? .gateway : .user))
        #expect(time == times[0], "kind and civil time, too")
      }
    }
  }

  @Test(
    "a time that no clock has shown, or that one has shown twice, is refused by every command",
    arguments: [("2026-03-29T02:30", "skipped_time"), ("2026-10-25T02:30", "repeated_time")])
  func aTimeInAChange(text: String, code: String) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
      try await start("Europe/Berlin", in: store)
      let moment = try #require(MomentText(text))
      #expect {
        try DisplayStartRequest(time: moment, zone: .gmt).perform(on: owner)
      } throws: {
        GatewayError(describing: $0)?.code == code
      }
      var read = ReadRequest(peripheral: 1000)
      read.since = moment
      let request = read
      await #expect {
        try await request.perform(on: owner, with: ControlPartner(patience: Patience()) { _ in })
      } throws: {
        GatewayError(describing: $0)?.code == code
      }
      let document = SubmitRequest.Document(
        name: "test",
        text: """
          {"type": "weight", "time": "\(text)", "values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}
          """)
      let error = await #expect(throws: GatewayError.self) { try await SubmitRequest([document]).perform(on: owner) }
      #expect(error?.code == "record_document" && error?.message.contains("\(text)+01:00") == true)
      #expect(try store.queueSnapshot().isEmpty)
    }
  }

  @Test(arguments: [
    "", "Mars/Olympus", "Europe/Berlin\n", "BST", "EST", "IST", "CST", "SST", "GMT+2", "UTC-2", "/Europe/Berlin",
    "Europe//Berlin",
  ])
  func aZoneThatThereIsNotIsRefused(_ zone: String) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      await #expect { try await start(zone, in: store) } throws: { ($0 as? GatewayError)?.code == "unknown_zone" }
      #expect(try store.currentSession().user == nil)
    }
  }

  @Test(
    "zones have names of places, or are universal",
    arguments: ["Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+3", "UTC", "GMT"])
  func names(name: String) {
    #expect(TimeZone(databaseName: name) != nil && TimeZone(gatewayName: name) != nil)
  }

  @Test(
    "a gateway's zone is known by its name on its way to the owner",
    arguments: [("GMT+0300", 10_800), ("GMT-0330", -12_600), ("GMT+0000", 0), ("TZ=CET-1CEST", nil), ("BST", nil)]
      as [(String, Int?)])
  func gatewayNames(name: String, offset: Int?) {
    #expect(TimeZone(gatewayName: name)?.secondsFromGMT() == offset)
  }

  @Test(arguments: ["BST", "IST", "EST", "Mars/Olympus"])
  func whatAnEarlierVersionTookForAZoneIsUnsetAndTold(kept: String) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
      let user = GatewayFixture.account(port: 1).user
      // The name waits for the user's next session, as an earlier version has left it.
      _ = try store.startSession(user, token: AccessToken(GatewayFixture.token), options: SessionOptions(zone: kept))
      _ = try store.endSession()
      try await start(nil, in: store)
      let options = try store.currentSession().options
      #expect(options.timeZone == nil && options.unknownZone == kept)
      let person = try owner.personZone(else: "Europe/Berlin")
      #expect(person.zone.identifier == "Europe/Berlin" && person.source == .gateway)
      let shown = try SessionDescription(showing: store)
      #expect(shown.zone == nil && shown.unknownZone == kept && shown.zoneProblem?.contains(kept) == true)
      try await start("Asia/Tokyo", in: store)
      let named = try SessionDescription(showing: store)
      #expect(named.zone == "Asia/Tokyo" && named.unknownZone == nil && named.zoneProblem == nil)
    }
  }

  @Test func aDisplaysTimeInTheFutureIsCalledThat() throws {
    let now = BootClock.now.utcMicroseconds
    let moment = DisplayMoment(microseconds: now + 1_800_000_000, isSynchronized: true, isStated: true)
    let error = #expect(throws: GatewayError.self) { try moment.check(now: now) }
    #expect(error?.code == "display_time" && error?.message.contains("lies in the future") == true)
    try DisplayMoment(microseconds: now + 60_000_000, isSynchronized: true).check(now: now)
  }
}
