import MeterCore
import MeterDrivers
import Testing

@testable import MeterBluetooth
import TestSupport

@Suite("A value that the meter cannot say exactly", .jumpingTime, .timeLimit(.minutes(60)))
struct RoundedValueTests {
  /// A FORA MD6 counts ketone in 1/30 mmol/L.
  @Test("is stored rounded, and says so", arguments: [DriverHostConfiguration.Isolation.inProcess, .worker])
  func ketone(isolation: DriverHostConfiguration.Isolation) async throws {
    let bench = try ReadBench(try BenchMeter.shipped("fora-multi"), isolation: isolation)
    let read = try await bench.read(10303)
    #expect(read.end == "completed", "\(read.words) \(read.error?.message ?? "")")
    let values = try bench.store.queueSnapshot().compactMap(\.record).flatMap(\.values)
    let ketones = values.filter { $0.metricName == "blood_ketone" }
    #expect(Set(ketones.map { "\($0.number) \($0.isRounded)" }) == ["0.6 false", "0.63 true"])
    #expect(values.filter(\.isRounded).count == 1)
  }
}
