import CMeterDriver
@testable import DriverTestBench
import Testing

/// One record for one person on the scale, whatever dates and weights the packets have, and one for everybody else.
@Suite struct MiScaleStandTests {
  /// What people do, and what is delivered of it, whatever the scale's clock says unless `clocks` names some.
  struct Course: Sendable, CustomStringConvertible {
    let description: String
    let packets: [ScalePacket]
    let weights: [Double]
    var clocks = ScalePacket.Clock.allCases
  }

  private func weights(_ course: Course, _ clock: ScalePacket.Clock, isBody: Bool = false) throws -> [Double] {
    let reader = try ScaleReader(clock: clock, isBody: isBody)
    for packet in course.packets { try reader.hear(packet) }
    reader.fallSilent()
    return reader.records.map { $0.values[0].value }
  }

  // MARK: One person

  private static let capture: [[UInt8]] = [
    [0x02, 0x04, 0xe3, 0x07, 0x0a, 0x1e, 0x16, 0x3b, 0x0d, 0x00, 0x00, 0x52, 0x30],
    [0x02, 0x04, 0xe3, 0x07, 0x0a, 0x1e, 0x16, 0x3b, 0x1c, 0x00, 0x00, 0x48, 0x30],
    [0x02, 0x04, 0xe3, 0x07, 0x0a, 0x1e, 0x16, 0x3b, 0x27, 0x00, 0x00, 0xe4, 0x2f],
    [0x02, 0x24, 0xe3, 0x07, 0x0a, 0x1e, 0x16, 0x3b, 0x2c, 0xfd, 0xff, 0x3e, 0x30],
    [0x02, 0xa4, 0xe3, 0x07, 0x0a, 0x1e, 0x17, 0x00, 0x0b, 0xfd, 0xff, 0x3e, 0x30],
  ]

  /// A real scale dates what it repeats by the moment at which it was left.
  @Test(arguments: [false, true], [1, 27] as [Int64])
  func aRealWeighingHasOneDate(isPassive: Bool, secondsToStepOff: Int64) throws {
    let host = try TestHost(bundle: "mi-scale")
    let reader = ScaleReader(host, isPassive: isPassive)
    for (number, bytes) in Self.capture.enumerated() {
      let second = Int64(number) + (number == 4 ? secondsToStepOff : 0)
      try reader.hear(MiScaleSessionTests.advertisement(0x1b, bytes), at: second)
    }
    for minutes in [1, 5, 20] as [Int64] {
      reader.fallSilent()
      try reader.hear(MiScaleSessionTests.advertisement(0x1b, Self.capture[4]), at: minutes * 60)
    }
    reader.fallSilent()
    #expect(reader.records.map { $0.values.map(\.value) } == [[61.75]])
    #expect(reader.records.map(\.identity) == [[0xe3, 7, 10, 30, 22, 59, 44, 0x3e, 0x30]])
  }

  private static func seconds(_ first: Int64, _ last: Int64, by step: Int64 = 1) -> [Int64] {
    Array(stride(from: first, through: last, by: Int(step)))
  }

  private static let onePerson = [
    Course(
      description: "shifts, and the number stands again",
      packets: [
        .swing(30, 1), .stable(95, 5), .swing(94, 6), .stable(95.1, 7), .off(95.1, 7), .off(95.1, 600, date: 7),
      ], weights: [95]),
    Course(
      description: "shifts long after the number stood",
      packets: [
        .stable(95, 5), .swing(94, 25), .stable(95.1, 26), .off(95.1, 30), .off(95.1, 600, date: 30),
      ], weights: [95]),
    Course(
      description: "leaned on something when the number stood",
      packets: [.stable(95, 5), .stable(96.5, 7), .off(96.5, 8), .off(96.5, 200, date: 8)], weights: [95]),
    Course(
      description: "a date of its own in every packet",
      packets: seconds(1, 13).map { ScalePacket.stable(72.4, $0) } + seconds(14, 30).map { ScalePacket.off(72.4, $0) },
      weights: [72.4]),
    Course(
      description: "a date of its own in every packet that is repeated for twenty minutes",
      packets: [ScalePacket.stable(72.4, 5)] + seconds(9, 1200, by: 30).map { ScalePacket.off(72.4, $0) },
      weights: [72.4]),
    Course(
      description: "the last number is heard in what is repeated only",
      packets: [.stable(72.4, 5), .off(72.5, 20), .off(72.5, 900, date: 20)], weights: [72.4]),
    Course(
      description: "a foot on the scale afterwards brings what was repeated before",
      packets: [.stable(72.4, 5), .off(72.4, 9), .swing(4, 300), .off(72.4, 305, date: 9)], weights: [72.4]),
  ]

  @Test(arguments: onePerson, ScalePacket.Clock.allCases)
  func onePersonOnTheScaleIsOneReading(course: Course, clock: ScalePacket.Clock) throws {
    guard course.clocks.contains(clock) else { return }
    #expect(try weights(course, clock) == course.weights)
  }

  /// What was shown to the person is known to every later session.
  @Test(arguments: ScalePacket.Clock.allCases)
  func everyLaterSessionKnowsWhatIsRepeated(clock: ScalePacket.Clock) throws {
    let reader = try ScaleReader(clock: clock)
    for packet in [.stable(95, 5), .stable(95.1, 7), .off(95.1, 9)] as [ScalePacket] {
      try reader.hear(packet)
      reader.fallSilent()
    }
    for second in [100, 500, 1100] as [Int64] {
      try reader.hear(.off(95.1, second, date: 9))
      reader.fallSilent()
    }
    #expect(reader.records.map { $0.values[0].value } == [95])
  }

  @Test func anotherUnitIsNoOtherPerson() throws {
    let reader = try ScaleReader(clock: .set)
    try reader.hear(.stable(95, 5))
    var pounds = ScalePacket.stable(0, 7)
    pounds.raw = 20_944
    pounds.unit = 1
    try reader.hear(pounds)
    #expect(reader.records.count == 1)
  }

  // MARK: Two

  private static let twoWeighings = [
    Course(
      description: "a guest, and the person without a pause",
      packets: [
        .stable(55, 5), .off(55, 9), .swing(40, 20), .stable(72.4, 25), .off(72.4, 30), .off(72.4, 600, date: 30),
      ], weights: [55, 72.4]),
    Course(
      description: "nothing is heard in between", packets: [.stable(55, 5), .stable(72.4, 25)], weights: [55, 72.4]),
    Course(description: "a child is put down", packets: [.stable(84, 5), .stable(72.4, 8)], weights: [84, 72.4]),
    Course(
      description: "only what is repeated is heard", packets: [.off(55, 9), .off(72.4, 60)], weights: [55, 72.4]),
    Course(
      description: "the same weight again after minutes",
      packets: [.stable(72.4, 5), .off(72.4, 9), .swing(40, 300), .stable(72.4, 305), .off(72.4, 309)],
      weights: [72.4, 72.4]),
    Course(
      description: "the same weight again, and the packets in which it stands are not heard",
      packets: [.stable(72.4, 5), .off(72.4, 9), .swing(40, 300), .off(72.4, 309)], weights: [72.4, 72.4],
      clocks: [.set, .unset]),
    Course(
      description: "nearly the same weight after minutes",
      packets: [.stable(72.4, 5), .off(72.4, 9), .swing(72, 200), .stable(72.5, 203)], weights: [72.4, 72.5]),
    Course(
      description: "nearly the same weight after minutes, and nobody was heard to step off",
      packets: [.stable(72.4, 5), .swing(72, 200), .stable(72.5, 203)], weights: [72.4, 72.5]),
    Course(
      description: "somebody of about the same weight steps on behind the first",
      packets: [.stable(72.4, 5), .off(72.4, 8), .swing(71, 14), .stable(72.6, 16)], weights: [72.4, 72.6]),
    Course(
      description: "the same weight on the next day, and only what is repeated is heard",
      packets: [.stable(72.4, 5), .off(72.4, 9), .off(72.4, 86_409)], weights: [72.4, 72.4]),
  ]

  @Test(arguments: twoWeighings, ScalePacket.Clock.allCases)
  func everyWeighingIsAReading(course: Course, clock: ScalePacket.Clock) throws {
    guard course.clocks.contains(clock) else { return }
    #expect(try weights(course, clock) == course.weights)
  }

  // MARK: While a weight waits for its impedance

  private static let waiting = [
    Course(
      description: "somebody else, and their impedance",
      packets: [.stable(72.45, 5), .swing(50, 10), .stable(55, 13), .stable(55, 14, date: 13, impedance: 500)],
      weights: [72.45, 55]),
    Course(
      description: "somebody else, whose swing is not heard",
      packets: [.stable(72.45, 5), .stable(55, 13), .off(55, 20)], weights: [72.45, 55]),
    Course(
      description: "somebody else with an impedance at once",
      packets: [.stable(72.45, 5), .stable(55, 13, impedance: 500)], weights: [72.45, 55]),
    Course(
      description: "somebody else, of whom only what is repeated is heard",
      packets: [.stable(72.45, 5), .off(55, 14), .off(55, 100, date: 14)], weights: [72.45, 55]),
    Course(
      description: "somebody else, who is the last that is heard",
      packets: [.stable(72.45, 5), .swing(50, 10), .stable(55, 13)], weights: [72.45, 55]),
    Course(
      description: "a person who shifts",
      packets: [.stable(72.45, 5), .swing(71.5, 8), .stable(72.6, 9), .off(72.6, 12)], weights: [72.6]),
    Course(
      description: "a person who lifts a foot",
      packets: [.stable(72.45, 5), .swing(40, 8), .stable(72.5, 12), .off(72.5, 15)], weights: [72.5]),
    Course(
      description: "the last number of a person is heard in what is repeated only",
      packets: [.stable(72.45, 5), .swing(71, 9), .off(72.5, 12), .off(72.5, 300, date: 12)], weights: [72.45]),
  ]

  @Test(arguments: waiting, ScalePacket.Clock.allCases)
  func whoWaitsForTheirImpedanceIsNotForgotten(course: Course, clock: ScalePacket.Clock) throws {
    #expect(try weights(course, clock, isBody: true) == course.weights)
  }

  /// A read that a person has begun ends behind both, and both are one unit.
  @Test(arguments: [Capacities.ample, .tiny])
  func twoRecordsOfOnePacketAreOneUnit(room: Capacities) throws {
    let host = try TestHost(bundle: "mi-scale")
    let session = try host.open(TestOpening())
    session.capacities = room
    #expect(session.commit(ScalePacket.stable(72.45, 5).event(.set, isBody: true)).records.isEmpty)
    let unit = session.commit(ScalePacket.stable(55, 13, impedance: 500).event(.set, isBody: true))
    #expect(unit.status == MH_OK && unit.records.map { $0.values.map(\.value) } == [[72.45], [55, 500]])
    #expect(unit.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
    let again = try host.open(TestOpening())
    #expect(again.commit(ScalePacket.off(55, 20).event(.set, isBody: true)).records.isEmpty)
  }

  @Test func aReadGoesOnForTheOneWhoWaitsNext() throws {
    let host = try TestHost(bundle: "mi-scale")
    let session = try host.open(TestOpening())
    session.commit(ScalePacket.stable(72.45, 5).event(.set, isBody: true))
    let first = session.commit(ScalePacket.stable(55, 13).event(.set, isBody: true))
    #expect(first.records.map { $0.values[0].value } == [72.45])
    #expect(first.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_TIMER, MH_DO_TIMER])
    let second = session.commit(.timer(MiScaleSessionTests.Token.impedance))
    #expect(second.records.map { $0.values[0].value } == [55] && second.actions.map(\.kind) == [MH_DO_FINISH])
  }
}
