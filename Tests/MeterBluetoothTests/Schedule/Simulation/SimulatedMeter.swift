import BluetoothWire
import TestSupport

@testable import MeterBluetooth

/// How one meter of the simulation behaves, and what is on it.
struct SimulatedMeter {
  let address: BluetoothAddress
  /// The passive demand that it fits.
  let demand: RadioSchedule.DemandID
  /// Adapters in range and how well they hear it.
  let range: [(adapter: Int, rssi: Int8)]
  /// Nanoseconds between advertisements.
  let interval: UInt64
  let advertisesOnly: Bool
  /// Advertises all day long.
  let isSteady: Bool
  /// Switches off after it was read.
  let isQuietAfterRead: Bool
  /// Probability that a session fails.
  let failureRate: Double
  let measurementsPerDay: Int

  /// Times of the readings that are on the meter and nowhere else.
  var stored: [UInt64] = []
  var advertisesUntil: UInt64 = 0
  var isAdvertising = false
  var isLinked = false
  var visitBegan: UInt64 = 0
  var lastAdvertised: UInt64 = 0
  var lastHeard: UInt64 = 0
  /// Something has happened in this visit that may cost a reading its time: a person, an adapter that went, a failure.
  var isDisturbed = false

  init(_ index: Int, adapters: Int, using random: inout SeededGenerator) {
    address = BluetoothAddress(value: 0xC0_0000_0000 + UInt64(index), kind: .random)
    isSteady = index % 500 == 7
    demand = RadioSchedule.DemandID(isSteady ? 13 : UInt64(1 + index % 12))
    var range: [(adapter: Int, rssi: Int8)] = []
    for adapter in 0..<adapters where adapter == index % adapters || (!isSteady && Int.random(in: 0..<4, using: &random) == 0) {
      range.append((adapter, Int8.random(in: -90 ... -40, using: &random)))
    }
    self.range = range
    interval = isSteady ? 2_800_000_000 : UInt64.random(in: 700_000_000...1_400_000_000, using: &random)
    advertisesOnly = index % 10 == 3
    isQuietAfterRead = Bool.random(using: &random)
    failureRate = index % 20 == 11 ? 0.4 : 0.03
    measurementsPerDay = Int.random(in: 1...4, using: &random)
  }
}

/// What a simulation has come to.
struct SimulationReport {
  var made = 0
  var read = 0
  var visits = 0
  /// Visits of ten seconds or more in which nothing stood in the way, and whose readings were not read.
  var missed: [String] = []
  var unread = 0
  var heard = 0
  var starts = 0
  var wakes = 0
  var interactive = 0
  var handedOver = 0
  var expired = 0
  /// Nanoseconds from a reading's first advertisement to the end of its session, and from the moment at which a person's
  /// meter can be heard to the start of the work.
  var latencies: [UInt64] = []
  var personWaits: [UInt64] = []
  var violations: [String] = []

  /// Seconds below which this part of the values lies.
  static func percentile(_ part: Double, of values: [UInt64]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]) / 1e9
  }
}
