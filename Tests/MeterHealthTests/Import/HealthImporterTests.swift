import Foundation
import MeterDrivers
import TestSupport
import Testing

@testable import MeterHealth

/// Exports that the tests write, read by the real drivers in real workers.
@Suite("Import of an export", .timeLimit(.minutes(60))) struct HealthImporterTests {
  private func expectSmall(_ result: HealthResult) {
    #expect(result.value("steps", on: "2026-03-01") == "1800")
    #expect(result.value("distance", on: "2026-03-01") == "804.672")
    #expect(result.value("active_energy_burned", on: "2026-03-01") == "100")
    #expect(result.measured("body_weight") == ["81.65"] && result.measured("body_fat") == ["16.1"])
    #expect(result.measured("systolic") == ["120"] && result.measured("diastolic") == ["80"])
    #expect(result.sleep.count == 1 && result.sleep.first?.day == "2026-03-02")
    let night = result.sleep.first?.metrics.map { "\($0.name) \($0.value)" } ?? []
    #expect(night.contains("sleep_duration 25200") && night.contains("deep_sleep 18000"))
    let workout = result.workouts.first
    #expect(result.workouts.count == 1 && workout?.name == "Social Dance")
    let told = workout?.metrics.map { "\($0.name) \($0.value)" } ?? []
    #expect(told.contains("active_duration 1800") && told.contains("distance 2500"))
    #expect(result.refused(.unit) == 1 && result.refusedCount == 1 && !result.isPartial)
    #expect(result.samples["HKQuantityTypeIdentifierStepCount"] == 3)
    #expect(result.samples["HKQuantityTypeIdentifierBodyMass"] == 2)
  }

  @Test(
    "Apple's XML comes to the same in a worker and in this process",
    arguments: DriverHostConfiguration.Isolation.allCases)
  func xml(isolation: DriverHostConfiguration.Isolation) async throws {
    let found = try await ImportStage(isolation).read(AppleExport.file(AppleExport.small))
    #expect(found.driver == "org.meterhost.apple-health" && found.format == "apple-health")
    #expect(found.exportedMicroseconds == 1_774_987_200_000_000)
    expectSmall(found.result)
    #expect(found.result.sums.contains { $0.day == "2026-03-01" && $0.metric == "steps" && $0.value == 1800 })
  }

  @Test("an archive is the same, whatever its file and its entries are called") func archive() async throws {
    let archive = StoredZip([
      .init(name: "apple_health_export/export_cda.xml", content: Array("<ClinicalDocument/>".utf8)),
      .init(name: "apple_health_export/\u{5BFC}\u{51FA}.xml", content: AppleExport.file(AppleExport.small)),
    ])
    let stage = try ImportStage()
    let folder = FileManager.default.temporaryDirectory.appending(path: "photo-\(UUID().uuidString).jpg")
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(archive.bytes).write(to: folder)
    let found = try await stage.read(HealthExport(path: folder.path), ImportStage.options())
    #expect(found.size == UInt64(archive.bytes.count))
    expectSmall(found.result)
  }

  @Test("progress goes up to the size, and counts samples") func progress() async throws {
    let body = (0..<20_000).map { index in
      let minute = "\(index / 60 % 24 < 10 ? "0" : "")\(index / 60 % 24):\(index % 60 < 10 ? "0" : "")\(index % 60)"
      return AppleExport.record(
        "HKQuantityTypeIdentifierHeartRate", "Watch", "05 \(minute)", nil, "60", unit: "count/min")
    }
    let export = try HealthExport(AppleExport.file(body.joined()))
    let (steps, continuation) = AsyncStream<HealthImporter.Progress>.makeStream()
    let found = try await ImportStage().read(export, ImportStage.options()) { continuation.yield($0) }
    continuation.finish()
    var seen: [HealthImporter.Progress] = []
    for await step in steps { seen.append(step) }
    #expect(seen.count > 4 && seen.allSatisfy { $0.bytes <= $0.size && $0.size == export.size })
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.bytes <= $1.bytes && $0.samples <= $1.samples })
    #expect(seen.last?.samples == 20_000 && found.result.samples.values.reduce(0, +) == 20_000)
    #expect(found.result.value("avg_heart_rate", on: "2026-03-05") == "60")
  }

  static let automation = #"""
    {"data":{"metrics":[
    {"name":"step_count","units":"count","data":[{"date":"2026-03-01 00:00:00 +0100","qty":8123.4,"source":"Watch|iPhone"}]},
    {"name":"blood_oxygen_saturation","units":"%","data":[{"qty":97,"date":"2026-03-01 03:04:05 +0100"}]},
    {"name":"weight_body_mass","units":"lb","data":[{"qty":180,"date":"2026-03-01 08:00:00 +0100"}]}],
    "workouts":[{"id":"ABC","name":"Running","start":"2026-03-01 10:00:00 +0100","end":"2026-03-01 11:00:00 +0100",
     "duration":3500.25,"distance":{"qty":10.5,"units":"km"},"avgHeartRate":{"qty":131,"units":"bpm"}}]}}
    """#

  @Test(
    "a day that an automation has summed up is that day, wherever the person is now",
    arguments: ["Europe/Berlin", "America/New_York"])
  func automation(zone: String) async throws {
    let found = try await ImportStage().read(Array(Self.automation.utf8), zone: zone)
    #expect(found.driver == "org.meterhost.health-json")
    #expect(found.result.value("steps", on: "2026-03-01") == "8123")
    #expect(found.result.days.first { $0.day.text == "2026-03-01" }?.mergedBySource.contains("steps") == true)
    #expect(found.result.measured("spo2") == ["97"] && found.result.measured("body_weight") == ["81.65"])
    let told = found.result.workouts.first?.metrics.map { "\($0.name) \($0.value)" } ?? []
    #expect(told.contains("active_duration 3500.25") && told.contains("distance 10500"))
  }

  @Test(
    "exports of Android are read by their own drivers, as a database, an archive or a table",
    arguments: [
      ("connect.db", "health-connect", "250"), ("connect.zip", "health-connect", "250"),
      ("samsung.zip", "samsung-health", "8123"), ("samsung.csv", "samsung-health", "8123"),
    ])
  func android(name: String, format: String, steps: String) async throws {
    let folder = try TemporaryFolder()
    let script = name.hasPrefix("connect") ? "connect.py" : "samsung.py"
    let path = CompiledBundle.root.appending(path: "Tests/Fixtures/ImportPlay/\(script)").path
    let done = try ChildProcess.run(URL(filePath: "/usr/bin/env"), ["python3", path, folder.path])
    try #require(done.status == 0, "\(done.err)")
    let export = try HealthExport(path: folder.url.appending(path: name).path)
    let found = try await ImportStage().read(export, ImportStage.options())
    #expect(found.format == format && found.result.value("steps", on: "2025-03-01") == steps)
    #expect(found.result.refused(.unit) == 0 && !found.result.samples.isEmpty)
  }

  @Test("a window leaves out what lies before it, and still counts it") func window() async throws {
    var options = try ImportStage.options()
    options.window = try #require(HealthWindow(since: "2026-03-02"))
    let export = try HealthExport(AppleExport.file(AppleExport.small))
    let result = try await ImportStage().read(export, options).result
    #expect(result.days.isEmpty && result.workouts.isEmpty && result.sleep.count == 1)
    #expect(result.samples["HKQuantityTypeIdentifierStepCount"] == 3)
  }

  /// The two public exports that are lent to this project, which are no part of it.
  static let lent = ["test-export.zip", "test-export3.zip"]
  static let lentFolder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../shared/samples/apple-health").standardizedFileURL

  static var hasLent: Bool {
    lent.allSatisfy { FileManager.default.fileExists(atPath: lentFolder.appending(path: $0).path) }
  }

  @Test(
    "real exports are read whole", .enabled(if: hasLent, "../shared/samples/apple-health is not here"), arguments: lent)
  func real(name: String) async throws {
    var options = try ImportStage.options(now: "2026-11-27")
    options.window = .all
    let export = try HealthExport(path: Self.lentFolder.appending(path: name).path)
    let found = try await ImportStage().read(export, options)
    #expect(found.format == "apple-health" && !found.result.isPartial)
    #expect(found.result.samples.values.reduce(0, +) > 1_000 && !found.result.days.isEmpty)
  }
}
