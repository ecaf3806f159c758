import Testing
import VirtualMeter

@testable import MeterBluetooth
import TestSupport

/// A meter stays awake for seconds: what a read costs in PDUs is part of the contract.
@Suite("The cost of a read", .jumpingTime, .timeLimit(.minutes(60)))
struct EconomyTests {
  /// What the profile itself needs for the Contour's two measurements with context.
  static let profilePDUs =
    3 * 2  // three subscriptions: Write Request and Response to 2A18, 2A34 and 2A52
    + 2  // Write Request to 2A52, "report all stored records", and its Response
    + 2 * 2  // two measurements, each a notification of 2A18 and one of 2A34
    + 2  // the control point's "success": indication and confirmation

  @Test("a read with a warm cache costs what the profile needs and not one PDU more; a first one the discovery too")
  func pdus() async throws {
    let meter = try BenchMeter.shipped("contour-next-one")
    let bench = try ReadBench(meter)
    let cold = try await bench.read(1000)
    let discovery =
      2  // Find By Type Value for 1808
      + 2 * 2  // Read By Type for its four characteristics, three of which fit into a PDU
      + 3 * 2  // Find Information: the CCCDs of 2A18, 2A34 and 2A52
      + 4 * 2  // Read By Type for 2A29, 2A24, 2A25 and 2A23
      + 2  // Find By Type Value for 1801, which is empty: no Service Changed, and no Database Hash
    #expect(cold.summary.pdus == Self.profilePDUs + discovery)
    #expect(meter.counters.pdusIn + meter.counters.pdusOut == cold.summary.pdus)

    // Another user has no cursor: the meter's whole memory is read again.
    try bench.start("grace")
    let warm = try await bench.read(1000)
    #expect(warm.end == "completed" && warm.summary.usedCache && warm.submitted.count == 2)
    #expect(warm.summary.pdus == Self.profilePDUs)
    #expect(meter.counters.pdusIn + meter.counters.pdusOut == cold.summary.pdus + warm.summary.pdus)
    #expect(Self.profilePDUs == 14 && cold.summary.pdus == 36)
  }

  @Test("a warm read of a thermometer: one subscription, and two PDUs a reading")
  func thermometer() async throws {
    let meter = try BenchMeter.thermometer(#", "resend_all": true"#)
    let bench = try ReadBench(meter)
    _ = try await bench.read(4000)
    try bench.start("grace")
    let warm = try await bench.read(4000)
    #expect(warm.summary.usedCache && warm.submitted.count == 3)
    #expect(warm.summary.pdus == 2 + 3 * 2)
  }
}
