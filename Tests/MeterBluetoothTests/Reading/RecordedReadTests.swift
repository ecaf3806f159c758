import DriverRuntime
import Foundation
import MeterCore
import TestSupport
import Testing

@testable import MeterBluetooth
@testable import MeterDrivers

/// Reads whose sessions are recorded: what the recording holds runs again to the same bytes (rule R8).
@Suite("A read that is recorded", .jumpingTime, .timeLimit(.minutes(60)))
struct RecordedReadTests {
  private func open(_ name: String?, _ store: MeterStore) throws -> Recording {
    let file = try #require(store.recordings.file(name ?? ""))
    return try RecordingReader(state: store.folder.path).open(RecordingReader.sealed(path: file.path))
  }

  private func replay(_ recording: Recording, _ staged: StagedRegistry) async throws -> ReplayReport {
    let driver = try #require(staged.registry.driver(id: recording.head.driver))
    let host = DriverHost(configuration: DriverHostConfiguration(workerPath: BuildProducts.worker.path))
    return try await RecordingReplay(host: host).run(recording, bundle: staged.bundles.bundle(for: driver))
  }

  @Test(
    "gives the same bytes again",
    arguments: [
      (1000, "contour-next-one"), (4000, "thermometer-with-clock"), (10101, "omron-x4-smart"), (10300, "fora-glucose"),
      (10400, "verio-flex"), (10310, "choicemmed-oximeter"),
    ] as [(UInt32, String)])
  func shipped(peripheral: UInt32, meter: String) async throws {
    let bench = try ReadBench(try BenchMeter.shipped(meter))
    let result = try await bench.read(peripheral, .with { $0.records = true })
    #expect(result.end == "completed", "\(result.words) \(result.error?.message ?? "")")
    #expect(result.summary.recordings.count == 1)
    let recording = try open(result.summary.recordings.first, bench.store)
    #expect(recording.head.end == .orderly && recording.head.peripheral == peripheral)
    let report = try await replay(recording, StagedRegistry.shared.get())
    #expect(report.outcome == .identical, "\(report.words)")
    #expect(report.records.filter { $0.kind == .measurement }.count >= result.submitted.count)
    #expect(!result.submitted.isEmpty)
  }

  @Test("with a key replays without it, and holds no byte of it")
  func keyed() async throws {
    let bench = try KeyedBench()
    try bench.storeKey()
    let (result, _) = try await bench.read(
      [KeyedBench.passkey],
      options: .with { options in
        options.answersQuestions = true
        options.pairs = true
        options.records = true
      })
    await bench.end()
    #expect(result.end == "completed", "\(result.words) \(result.error?.message ?? "")")
    let recording = try open(result.summary.recordings.first, bench.store)
    #expect(
      recording.steps.contains { if case .service(.cipher, _) = $0 { true } else { false } }
        || recording.steps.contains { if case .service(.mac, _) = $0 { true } else { false } })
    #expect(Data(recording.content).range(of: Data(KeyedBench.keyBytes)) == nil)
    let report = try await replay(recording, StagedRegistry.shared.get())
    #expect(report.outcome == .identical, "\(report.words)")
  }

  @Test("is written without being asked for when the driver crashes, and the error names it")
  func crash() async throws {
    let bench = try ReadBench(SpokenAir([Beacon.says(.stable), Beacon.says(.crash)]), isolation: .worker)
    let result = try await bench.read(Beacon.peripheral)
    #expect(result.end == "failed driver_crashed")
    let name = try #require(result.error?.recording)
    #expect(result.summary.recordings == [name])
    #expect(result.error?.message.contains("meterhost driver replay \(name)") == true)
    let recording = try open(name, bench.store)
    #expect(recording.head.end == .fault && recording.head.fault == "crashed")
    let report = try await replay(recording, Beacon.staged.get())
    #expect(report.verdict == .driver && report.event == Int(recording.head.events), "\(report)")
    let staged = try Beacon.staged.get()
    let driver = try #require(staged.registry.driver(id: recording.head.driver))
    let host = DriverHost(configuration: DriverHostConfiguration(workerPath: BuildProducts.worker.path))
    let verdict = try await RecordingReplay(host: host).verdict(
      of: name, in: RecordingReader(state: bench.store.folder.path), bundle: staged.bundles.bundle(for: driver))
    #expect(verdict == .driver)
  }

  @Test("is written when the driver asks for what it may not")
  func brokenRule() async throws {
    let bench = try ReadBench(SpokenAir([Beacon.says(.needsLink)]))
    let result = try await bench.read(Beacon.peripheral)
    #expect(result.error?.code == .driverCrashed)
    let recording = try open(result.error?.recording, bench.store)
    #expect(recording.head.fault == "broke_rule")
    #expect(try await replay(recording, Beacon.staged.get()).verdict == .driver)
  }

  @Test("of a driver that refuses to go on is none of a fault, as it is no offence")
  func refusal() async throws {
    let bench = try ReadBench(SpokenAir([Beacon.says(.deny)]))
    let result = try await bench.read(Beacon.peripheral, .with { $0.records = true })
    #expect(result.error?.code == .driverCrashed && result.summary.recordings.count == 1)
    let recording = try open(result.summary.recordings.first, bench.store)
    #expect(recording.head.end == .orderly && recording.head.fault.isEmpty)
    #expect(try bench.store.offences().isEmpty)
    let report = try await replay(recording, Beacon.staged.get())
    #expect(report.outcome == .identical && report.verdict == .none, "\(report)")
  }

  @Test("is not written where nobody asked, and goes with its session")
  func unasked() async throws {
    let bench = try ReadBench(try BenchMeter.glucose())
    #expect(try await bench.read(1000).summary.recordings.isEmpty)
    #expect(bench.store.recordings.files.isEmpty)
    var settings = RecordingSettings()
    settings.all = true
    try settings.write(to: bench.store.recordings)
    #expect(try await bench.read(1000).summary.recordings.count == 1)
    #expect(bench.store.recordings.files.count == 1)
    try bench.store.endSession()
    #expect(bench.store.recordings.files.isEmpty)
    #expect(RecordingSettings(bench.store.recordings) == settings)
  }

  @Test("that cannot be written does not fail")
  func unwritable() async throws {
    let bench = try ReadBench(try BenchMeter.glucose())
    // A file where the folder should be.
    try Data().write(to: bench.store.folder.appending(path: "recordings"))
    let result = try await bench.read(1000, .with { $0.records = true })
    #expect(result.end == "completed" && result.summary.recordings.isEmpty)
  }
}
