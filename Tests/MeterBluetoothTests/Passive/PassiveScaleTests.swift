import BluetoothWire
import HostPrimitives
import MeterCore
import Testing

@testable import MeterBluetooth
import MeterDrivers
import Synchronization
import TestSupport

/// Scales that are never silent while one person after the other steps on.
@Suite("Passive reading of scales", .jumpingTime, .timeLimit(.minutes(60)))
struct PassiveScaleTests {
  /// What the scale says, and for how long.
  struct Step: Sendable {
    let control: UInt8
    let kilograms: Double
    /// The second that its date means.
    let date: Int
    let seconds: Int
  }

  struct Course: Sendable, CustomStringConvertible {
    let description: String
    let steps: [Step]
    let weights: [Double]
  }

  /// What the scale's date says: nothing, what was counted since 1970, or the time.
  enum Clock: Sendable, CaseIterable { case none, unset, set }

  private static let staged = Result { try StagedRegistry(drivers: ["mi-scale"]) }
  private static let address = BluetoothAddress(value: 0x880F_105C_A131)

  private static func swing(_ kilograms: Double, _ date: Int, for seconds: Int = 1) -> Step {
    Step(control: 0x02, kilograms: kilograms, date: date, seconds: seconds)
  }

  private static func stable(_ kilograms: Double, _ date: Int, for seconds: Int = 3) -> Step {
    Step(control: 0x22, kilograms: kilograms, date: date, seconds: seconds)
  }

  private static func off(_ kilograms: Double, _ date: Int, for seconds: Int = 3) -> Step {
    Step(control: 0xa2, kilograms: kilograms, date: date, seconds: seconds)
  }

  private static let courses = [
    Course(
      description: "a guest, and the person",
      steps: [stable(55, 5), off(55, 9), swing(40, 13), stable(72.4, 15), off(72.4, 19, for: 60)], weights: [55, 72.4]),
    Course(
      description: "the person, a minute later a guest",
      steps: [stable(72.4, 5), off(72.4, 9, for: 80), swing(40, 90), stable(55, 92), off(55, 96, for: 60)],
      weights: [72.4, 55]),
    Course(
      description: "three, and of the second one only what is repeated",
      steps: [stable(55, 5), off(55, 9), off(84, 20), swing(30, 30), stable(72.4, 33), off(72.4, 37)],
      weights: [55, 84, 72.4]),
    Course(
      description: "one, who shifts",
      steps: [stable(95, 5, for: 2), swing(94, 7), stable(95.1, 8), off(95.1, 12, for: 60)], weights: [95]),
    Course(
      description: "one, whose weight is repeated for longer than a hold-off",
      steps: [swing(30, 1), stable(72.4, 5), off(72.4, 9, for: 90)], weights: [72.4]),
    Course(
      description: "one, with a date of its own in every packet",
      steps: (0..<8).map { stable(72.4, 5 + $0, for: 1) } + (0..<40).map { off(72.4, 13 + $0, for: 1) },
      weights: [72.4]),
  ]

  private static func report(_ step: Step, _ clock: Clock) -> AdvertisingReport {
    let raw = UInt16((step.kilograms * 200).rounded())
    let time = [0, UInt8(step.date / 60), UInt8(step.date % 60)]
    let date: [UInt8] =
      switch clock {
      case .none: [0, 0, 0, 0, 0, 0, 0]
      case .unset: [0xb2, 7, 1, 1] + time
      case .set: [0xe3, 7, 10, 30] + time
      }
    let data = AdvertisingData(
      [.flags(6)] + AdvertisingData.Structure.services([0x181D])
        + [.serviceData(0x181D, [step.control, UInt8(raw & 0xFF), UInt8(raw >> 8)] + date)])
    return AdvertisingReport(eventType: .nonconnectable, address: address, rssi: -60, data: data.encoded)
  }

  @Test("Everybody who steps on is read, and nobody twice", arguments: courses, Clock.allCases)
  func everybody(course: Course, clock: Clock) async throws {
    let air = SpokenAir()
    let bench = try ReadBench(air, staged: try Self.staged.get(), isolation: .inProcess)
    let passive = bench.passive()
    try passive.choose([10_210])
    for step in course.steps {
      // What goes on for long is heard less often, and yet without a silence.
      let pause = step.seconds > 30 ? Duration.seconds(2) : .milliseconds(500)
      for _ in 0..<Int(Duration.seconds(step.seconds) / pause) {
        air.say(Self.report(step, clock))
        try await bench.traffic.clock.sleep(for: pause)
      }
    }
    // Long enough for whatever is under way to end.
    try await bench.traffic.clock.sleep(for: .seconds(90))
    #expect(try bench.readings.map(\.value) == course.weights)
    passive.stop()
  }

  @Test("A driver that notes what it has brought is told from one that does not", arguments: [false, true])
  func memory(isScale: Bool) async throws {
    let air = SpokenAir()
    let staged = isScale ? try Self.staged.get() : try Beacon.staged.get()
    let bench = try ReadBench(air, staged: staged, isolation: .inProcess)
    let passive = bench.passive(.holdOff(.milliseconds(50)))
    var events = passive.events().makeAsyncIterator()
    try passive.choose([isScale ? 10_210 : Beacon.peripheral])
    air.say(isScale ? Self.report(Self.stable(72.4, 5), .none) : Beacon.says(.stableLast))
    read: while let event = await events.next() { if case .didRead = event { break read } }
    let rests = bench.traffic.state.withLock { state in
      state.schedule.book.meters.compactMap { known -> Bool? in
        if case .resting(let rest) = known.phase { rest.endsWithNews } else { nil }
      }
    }
    #expect(rests == [isScale])
    passive.stop()
  }
}
