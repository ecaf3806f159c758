import Foundation
import MeterDrivers
import TestSupport
import Testing

@testable import MeterBluetooth
@testable import MeterCore

/// Sessions have the files that their bundle's entry names (`mh_host.asset`).
@Suite("A read with a driver that needs its asset", .jumpingTime, .timeLimit(.minutes(60)))
struct AssetReadTests {
  private func staged(_ file: String) throws -> StagedRegistry {
    let bundle = try CompiledBundle.make(["asset.c"])
    let table = FileManager.default.temporaryDirectory.appending(path: "table-\(UUID().uuidString).bin")
    try Data([0x6e]).write(to: table)
    defer { try? FileManager.default.removeItem(at: table) }
    return try StagedRegistry(others: [bundle, table]) {
      $0.replacing(
        "\"drivers/libmh-thermometer.so\"",
        with: """
          "drivers/\(bundle.lastPathComponent)",
          "assets": [{"name": "table", "file": "drivers/\(file.isEmpty ? table.lastPathComponent : file)"}]
          """)
    }
  }

  @Test("reads with what the file says, and a replay needs the recording only")
  func read() async throws {
    let staged = try staged("")
    let bench = try ReadBench(BenchRadio([WeakDriver.meter(1)]), staged: staged)
    let result = try await bench.read(WeakDriver.peripheral, .with { $0.records = true })
    #expect(result.end == "completed", "\(result.words) \(result.error?.message ?? "")")
    #expect(try bench.readings.map(\.value) == [11.0])
    let name = try #require(result.summary.recordings.first)
    let file = try #require(bench.store.recordings.file(name))
    let recording = try RecordingReader(state: bench.store.folder.path).open(RecordingReader.sealed(path: file.path))
    #expect(recording.opening.assets == ["table": [0x6e]])
    let driver = try #require(staged.registry.driver(id: WeakDriver.id))
    let host = DriverHost(configuration: DriverHostConfiguration(workerPath: BuildProducts.worker.path))
    let report = try await RecordingReplay(host: host).run(recording, bundle: staged.bundles.bundle(for: driver))
    #expect(report.outcome == .identical, "\(report.words)")
  }

  @Test("is refused before the radio is touched when the file is not there")
  func missing() async throws {
    let staged = try staged("gone.bin")
    #expect(staged.registry.driver(id: WeakDriver.id)?.assets.map(\.name) == ["table"])
    let bench = try ReadBench(BenchRadio([WeakDriver.meter(1)]), staged: staged)
    let error = await #expect(throws: (any Error).self) { _ = try await bench.read(WeakDriver.peripheral) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("the asset \"table\" of \(WeakDriver.id) is not there"))
    // The folder goes with it.
    withExtendedLifetime(staged) {}
  }
}
