import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct WeightScaleSessionTests {
  typealias Handle = SimulatedScale.Handle

  static let bf720: [UInt8] = [
    0x0e, 0x78, 0x3e, 0xea, 7, 5, 12, 0x12, 0x35, 0x36, 1, 0xee, 0, 0x26, 7,
  ]
  static let composition: [UInt8] = [0x98, 3, 0xc2, 0, 0xdf, 0x1a, 0x97, 1, 0xcc, 0x2f, 0xca, 0x21, 0xa8, 0x11]
  static let stub: [UInt8] = [0x98, 3, 0, 0, 0x96, 0x23, 0, 0, 0, 0, 0, 0, 0, 0]

  /// A weight of 50 kg and some steps at this second.
  static func weight(_ second: UInt8, user: UInt8 = 0xff) -> [UInt8] {
    [0x06, 0x10, 0x27 &+ second, 0xe8, 7, 3, 10, 7, 30, second, user]
  }

  /// One of two packets of a composition at this second.
  static func part(_ flag: UInt8, _ second: UInt8, _ value: UInt8, user: UInt8? = nil) -> [UInt8] {
    [flag | (user == nil ? 0x02 : 0x06), 0x10, 0xc2, 0, 0xe8, 7, 3, 10, 7, 30, second] + (user.map { [$0] } ?? [])
      + [value, 1]
  }

  static func whole(_ second: UInt8, fat: UInt8 = 0xc2) -> [UInt8] { [0x02, 0, fat, 0, 0xe8, 7, 3, 10, 7, 30, second] }

  @Test func aWeightAndItsCompositionAreOneRecord() throws {
    let host = try TestHost(bundle: "weight-scale")
    let session = try host.open()
    let scale = SimulatedScale(packets: [])
    #expect(session.commit(.database(scale.services)).actions.map(\.handle) == [Handle.composition, Handle.weight])
    #expect(session.commit(.subscribed(token: 2)).actions.isEmpty)
    let ready = session.commit(.subscribed(token: 1))
    #expect(ready.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER] && ready.actions[1].argument == 120_000_000_000)
    let weight = session.commit(.indication(Handle.weight, Self.bf720))
    // Not yet a record, but on disk before the scale may forget it.
    #expect(weight.records.isEmpty && weight.writes["user/pending/act"]?.isEmpty == false)
    #expect(weight.actions.map(\.argument) == [20_000_000_000])
    // The placeholder of a BF788 says nothing.
    let stub = session.commit(.indication(Handle.composition, Self.stub))
    #expect(stub.records.isEmpty && stub.writes.isEmpty && stub.actions.map(\.argument) == [20_000_000_000])
    let unit = session.commit(.indication(Handle.composition, Self.composition))
    #expect(unit.records.map { $0.values.map(\.value) } == [[79.96, 23.8, 183, 19.4, 40.7, 61.18, 43.25, 452, 6879]])
    #expect(unit.records[0].deviceUser == 1 && unit.records[0].identity.count == 10)
    #expect(unit.actions.map(\.argument) == [3_000_000_000])
    #expect(session.commit(.timer(7)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  /// Bytes of a vendor's own, and values that do not fit the weight beside them: the weight stands, and nothing of the packet.
  @Test(
    arguments: [
      // An ES-WBE28's: 17,409 kJ, half of the body fat, nine bytes more than the flags announce.
      [0x0c, 2, 0xf9, 1, 0xf7, 1, 0x44, 0, 0x0d, 0xec, 0, 0xa5, 0, 0x29, 0, 0x91, 2, 6, 0],
      // 90 % of fat; 14,000 kJ for 80 kg; 90 kg of soft lean mass; a height of 3 m; 120 kg beside 80; four bytes nobody announces.
      [0, 0, 0x84, 3], [8, 0, 0xc2, 0, 0xb0, 0x36], [0x80, 0, 0xc2, 0, 0x50, 0x46], [0, 8, 0xc2, 0, 0xb8, 0x0b],
      [0, 4, 0xc2, 0, 0xc0, 0x5d], [0, 0, 0xc2, 0, 1, 2, 3, 4],
    ] as [[UInt8]])
  func aCompositionThatCannotBeOneTakesNoWeightDown(packet: [UInt8]) throws {
    let host = try TestHost(bundle: "weight-scale")
    let session = try host.open()
    session.commit(.database(SimulatedScale(packets: []).services))
    session.commit(.subscribed(token: 2))
    session.commit(.subscribed(token: 1))
    session.commit(.indication(Handle.weight, Self.bf720))
    let distrusted = session.commit(.indication(Handle.composition, packet))
    #expect(distrusted.records.isEmpty && distrusted.status == MH_OK)
    let end = session.commit(.timer(7))
    #expect(end.records.map { $0.values.map(\.value) } == [[79.96, 23.8, 183]] && end.records[0].deviceUser == 1)
  }

  @Test(arguments: ["timer", "cancel", "disconnected", "next"])
  func aWeightWithoutCompositionGoesAlone(end: String) throws {
    let host = try TestHost(bundle: "weight-scale")
    let session = try host.open()
    session.commit(.database(SimulatedScale(packets: []).services))
    session.commit(.subscribed(token: 2))
    session.commit(.subscribed(token: 1))
    session.commit(.indication(Handle.weight, Self.weight(1)))
    let events: [String: TestEvent] = [
      "timer": .timer(7), "cancel": .cancel, "disconnected": .disconnected,
      "next": .indication(Handle.weight, Self.weight(2)),
    ]
    let unit = session.commit(try #require(events[end]))
    #expect(unit.records.map(\.values.count) == [1])
    #expect(unit.actions.last?.kind == (end == "next" ? MH_DO_TIMER : MH_DO_FINISH))
  }

  @Test func aCompositionInTwoPacketsIsJoined() throws {
    let host = try TestHost(bundle: "weight-scale")
    var scale = SimulatedScale(packets: [
      SimulatedScale.weight(Self.weight(1, user: 2)), SimulatedScale.composition(Self.part(0x10, 1, 0x97, user: 2)),
      SimulatedScale.composition(Self.part(0, 1, 0, user: 2).dropLast(2)),
    ])
    let (records, end) = try scale.read(host)
    #expect(records.map { $0.values.map(\.metric) } == [[40, 43, 44]] && records[0].deviceUser == 2)
    #expect(end?.kind == MH_DO_FINISH)
  }

  @Test func ofAnotherTimeOrUserIsARecordOfItsOwn() throws {
    let others = [Self.whole(9), Self.part(0, 1, 0, user: 5).dropLast(2).map { $0 }]
    for other in others {
      let host = try TestHost(bundle: "weight-scale")
      var scale = SimulatedScale(packets: [
        SimulatedScale.weight(Self.weight(1, user: 2)), SimulatedScale.composition(other),
      ])
      let (records, _) = try scale.read(host)
      #expect(records.map { $0.values.map(\.metric) } == [[40], [43]])
      #expect(records[0].identity != records[1].identity)
    }
  }

  @Test func theTimeMayStandInTheCompositionAlone() throws {
    let host = try TestHost(bundle: "weight-scale")
    var scale = SimulatedScale(packets: [
      SimulatedScale.weight([0, 0x10, 0x27]), SimulatedScale.composition(Self.whole(1)),
    ])
    let records = try scale.read(host).records
    #expect(records.map { $0.values.map(\.metric) } == [[40, 43]])
    #expect(records[0].identityClass == UInt16(MH_IDENT_STORED))
    #expect(records[0].identity == [0xe8, 7, 3, 10, 7, 30, 1, 0, 0x10, 0x27])
  }

  @Test func withoutAClockTheCompositionStillFollowsItsWeight() throws {
    let host = try TestHost(bundle: "weight-scale")
    let session = try host.open()
    session.commit(.database(SimulatedScale(packets: []).services))
    session.commit(.subscribed(token: 2))
    session.commit(.subscribed(token: 1))
    session.commit(.indication(Handle.weight, [0, 0x10, 0x27]))
    let joined = session.commit(.indication(Handle.composition, [0, 0, 0xc2, 0])).records
    #expect(joined.map { $0.values.map(\.metric) } == [[40, 43]])
    #expect(joined.map(\.identityClass) == [UInt16(MH_IDENT_LIVE)])
    // The same weight again without a time is another weighing.
    session.commit(.indication(Handle.weight, [0, 0x10, 0x27]))
    let second = session.commit(.disconnected).records
    #expect(second.map { $0.values.map(\.metric) } == [[40]])
    // Its composition comes at the next connection: the weight is not repeated.
    var late = SimulatedScale(packets: [SimulatedScale.composition([0, 0, 0xc2, 0])])
    #expect(try late.read(host).records.map { $0.values.map(\.metric) } == [[43]])
  }

  /// The link breaks after any PDU, once; then the scale is read to its end. Nothing is lost, nothing comes twice, and an
  /// identity always stands for the same content.
  @Test func everyValueArrivesOnceWhereverTheLinkBreaks() throws {
    let packets = [
      SimulatedScale.weight(Self.weight(1)), SimulatedScale.composition(Self.whole(1)),
      SimulatedScale.weight(Self.weight(2)), SimulatedScale.weight(Self.weight(3)),
      SimulatedScale.composition(Self.part(0x10, 3, 0x97)), SimulatedScale.composition(Self.part(0, 3, 0).dropLast(2)),
      SimulatedScale.composition(Self.whole(8)),
    ]
    let scale = SimulatedScale(packets: packets, code: 3752)
    let opening = TestOpening(parameters: [MH_PARAM_USER_SLOT: 1])
    var whole = 0
    for limit in 1...24 {
      let host = try TestHost(bundle: "weight-scale")
      host.state.storage = ["user/secret/consent": [0xa8, 0x0e]]
      var broken = scale
      var records = try broken.read(host, opening, limit: limit).records
      records += try broken.read(host, opening).records
      records += try broken.read(host, opening).records
      let kept = Set(records)
      #expect(Set(kept.map(\.identity)).count == kept.count, "broken after \(limit)")
      let values = kept.flatMap { record in record.values.map { "\($0.metric) \(record.time)" } }
      // Three weights, three body fats, one muscle percentage, each at its own second.
      #expect(values.count == 7 && Set(values).count == 7, "broken after \(limit)")
      #expect(records.allSatisfy { $0.identityClass == UInt16(MH_IDENT_STORED) })
      if kept.count == 4 { whole += 1 }
    }
    // Only a break between the packets of one act divides it.
    #expect(whole > 12)
  }

  @Test func halfACompositionWaitsForTheRest() throws {
    let packets = [
      SimulatedScale.weight(Self.weight(3)), SimulatedScale.composition(Self.part(0x10, 3, 0x97)),
      SimulatedScale.composition(Self.part(0, 3, 0).dropLast(2)),
    ]
    let host = try TestHost(bundle: "weight-scale")
    let session = try host.open()
    session.commit(.database(SimulatedScale(packets: []).services))
    session.commit(.subscribed(token: 2))
    session.commit(.subscribed(token: 1))
    for packet in packets[..<2] { #expect(session.commit(.indication(packet.handle, packet.bytes)).records.isEmpty) }
    let broken = session.commit(.disconnected)
    #expect(broken.records.isEmpty && broken.actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    let storage = host.state.storage
    // The scale goes on with the packet that was not confirmed, or begins again; or it has nothing more to say.
    for rest in [Array(packets[2...]), packets, []] {
      host.state.storage = storage
      var scale = SimulatedScale(packets: rest)
      let (records, end) = try scale.read(host)
      #expect(records.map { $0.values.map(\.metric) } == [[40, 43, 44]])
      #expect(end?.kind == MH_DO_FINISH)
    }
  }

  /// The host keeps nothing of such a session but its records.
  @Test func aSessionForAPartOfTheMemoryDeliversEachPacketBeforeItIsConfirmed() throws {
    let host = try TestHost(bundle: "weight-scale")
    var opening = TestOpening()
    opening.since = 0
    let session = try host.open(opening)
    session.commit(.database(SimulatedScale(packets: []).services))
    session.commit(.subscribed(token: 2))
    session.commit(.subscribed(token: 1))
    #expect(
      session.commit(.indication(Handle.weight, Self.weight(1))).records.map { $0.values.map(\.metric) } == [[40]])
    let first = session.commit(.indication(Handle.composition, Self.part(0x10, 1, 0x97)))
    #expect(first.records.map { $0.values.map(\.metric) } == [[43, 44]])
    #expect(session.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
  }

  /// A scale that sends its memory at every connection gives the same records each time.
  @Test func whatIsSentAgainIsTheSameRecord() throws {
    let packets = [
      SimulatedScale.weight(Self.weight(1)), SimulatedScale.composition(Self.whole(1)),
      SimulatedScale.weight(Self.weight(2)),
    ]
    var scale = SimulatedScale(packets: packets, resendsAll: true)
    let host = try TestHost(bundle: "weight-scale")
    let first = Set(try scale.read(host).records)
    #expect(first.count == 2)
    for _ in 0..<3 { #expect(first.isSuperset(of: try scale.read(host).records)) }
  }

  /// The worker dies without a last word: what it held is in storage.
  @Test func aWeightThatWasConfirmedAndNotDeliveredComesWithTheNextSession() throws {
    let host = try TestHost(bundle: "weight-scale")
    let session = try host.open()
    session.commit(.database(SimulatedScale(packets: []).services))
    session.commit(.subscribed(token: 2))
    session.commit(.subscribed(token: 1))
    #expect(session.commit(.indication(Handle.weight, Self.weight(1))).records.isEmpty)
    var next = SimulatedScale(packets: [SimulatedScale.weight(Self.weight(2))])
    #expect(try next.read(host).records.map { $0.identity[6] } == [1, 2])
  }

  /// Where an earlier version has kept it.
  @Test func whatWaitsUnderTheEarlierKeyIsDeliveredOnce() throws {
    let host = try TestHost(bundle: "weight-scale")
    let session = try host.open()
    session.commit(.database(SimulatedScale(packets: []).services))
    session.commit(.subscribed(token: 2))
    session.commit(.subscribed(token: 1))
    session.commit(.indication(Handle.weight, Self.weight(1)))
    host.state.storage["user/act"] = host.state.storage.removeValue(forKey: "user/pending/act")
    for identities in [[1, 2], [3]] as [[UInt8]] {
      var next = SimulatedScale(packets: [SimulatedScale.weight(Self.weight(identities.last ?? 0))])
      #expect(try next.read(host).records.map { $0.identity[6] } == identities)
      #expect(host.state.storage["user/act"]?.isEmpty != false)
    }
  }

  @Test func aScaleWithoutCompositionDeliversAtOnce() throws {
    let host = try TestHost(bundle: "weight-scale")
    var scale = SimulatedScale(packets: [SimulatedScale.weight([1, 0xa6, 0x40])], hasComposition: false)
    let (records, end) = try scale.read(host)
    #expect(records.map { $0.values.map(\.value) } == [[165.5]] && end?.kind == MH_DO_FINISH)
    var silent = SimulatedScale(packets: [], hasComposition: false)
    // What the last session left is not a reading of this one.
    #expect(try silent.read(host).end?.code == MH_FAIL_NO_READING)
  }

  @Test func whatIsNoReadingIsRefusedAndTheSessionGoesOn() throws {
    let host = try TestHost(bundle: "weight-scale")
    let session = try host.open()
    session.commit(.database(SimulatedScale(packets: []).services))
    session.commit(.subscribed(token: 2, status: 3))
    session.commit(.subscribed(token: 1))
    #expect(session.commit(.indication(Handle.weight, [0, 0xff, 0xff])).records.isEmpty)
    #expect(session.commit(.indication(Handle.weight, [2, 1])).status == MH_E_PROTOCOL)
    #expect(session.commit(.indication(99, [0, 0x10, 0x27])) == TestUnit())
    // The composition was refused: nothing is waited for.
    #expect(session.commit(.indication(Handle.weight, [0, 0x10, 0x27])).records.count == 1)
    #expect(session.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func aVendorsScaleUnderTheProfilesNamesIsRefused() throws {
    let host = try TestHost(bundle: "weight-scale")
    let mi = try host.open(TestOpening(parameters: [WeightScaleDecodeTests.vendorPayload: 1]))
    #expect(
      mi.commit(.database(SimulatedScale(packets: []).services)).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    let none = try host.open()
    let composition = [TestService(id: 0x181b, characteristics: [(30, 0x20, 0x2a9c)])]
    #expect(none.commit(.database(composition)).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    #expect(host.openStatus(TestOpening(purpose: 99)) == MH_E_UNSUPPORTED)
  }

  @Test func aFullSinkLosesNothing() throws {
    let packets = [
      SimulatedScale.weight(Self.bf720), SimulatedScale.composition(Self.composition),
      SimulatedScale.weight(Self.weight(2)),
    ]
    let host = try TestHost(bundle: "weight-scale")
    func run(_ capacities: Capacities) throws -> [TestUnit] {
      host.state.storage = [:]
      let session = try host.open()
      session.capacities = capacities
      var units = [session.commit(.database(SimulatedScale(packets: []).services))]
      for token: UInt64 in [2, 1] { units.append(session.commit(.subscribed(token: token))) }
      for packet in packets { units.append(session.commit(.indication(packet.handle, packet.bytes))) }
      units.append(session.commit(.timer(7)))
      return units.map { unit in
        var unit = unit
        unit.rounds = 1
        return unit
      }
    }
    #expect(try run(.ample) == run(.tiny))
  }
}
