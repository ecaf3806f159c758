import Foundation
import HostPrimitives
import MeterDrivers
import TestSupport
import Testing

@testable import MeterHealth

/// The drivers that read exports, installed, and an importer that has them.
final class ImportStage: Sendable {
  static let drivers = ["apple-health", "health-connect", "samsung-health", "health-json"]

  private let importer: HealthImporter
  private let folder: TemporaryFolder

  /// - Parameter drivers: The bundles that are installed; the registry names all of them.
  init(
    _ isolation: DriverHostConfiguration.Isolation = .worker, drivers: [String] = ImportStage.drivers
  ) throws {
    folder = try TemporaryFolder()
    let registry = folder.url.appending(path: "registry.json")
    try FileManager.default.copyItem(at: CompiledBundle.root.appending(path: "registry.json"), to: registry)
    let installed = folder.url.appending(path: "drivers")
    try FileManager.default.createDirectory(at: installed, withIntermediateDirectories: true)
    for source in drivers.map(BuildProducts.bundle) {
      try FileManager.default.copyItem(at: source, to: installed.appending(path: source.lastPathComponent))
    }
    importer = HealthImporter(
      registry: try Registry.load(RegistrySources(base: registry.path)),
      drivers: DriverHost(
        configuration: DriverHostConfiguration(isolation: isolation, workerPath: BuildProducts.worker.path)))
  }

  /// March and April 2026 in Berlin, on 1 April.
  static func options(_ zone: String = "Europe/Berlin", now: String = "2026-04-01") throws -> HealthImporter.Options {
    let day = try #require(CivilDate(text: now.utf8))
    var options = HealthImporter.Options(
      zone: TimeZone(identifier: zone), window: try #require(HealthWindow(since: "2025-03-01")))
    options.now = (day.daysSince1970 * 86_400 + 43_200) * 1_000_000
    return options
  }

  /// Reads an export. The drivers are there until it ends.
  func read(
    _ export: HealthExport, _ options: HealthImporter.Options,
    progress: (@Sendable (HealthImporter.Progress) -> Void)? = nil
  ) async throws -> HealthImporter.Outcome {
    defer { withExtendedLifetime(folder) {} }
    return try await importer.read(export, options, progress: progress)
  }

  /// Reads bytes.
  func read(_ bytes: [UInt8], zone: String = "Europe/Berlin") async throws -> HealthImporter.Outcome {
    try await read(HealthExport(bytes), Self.options(zone))
  }

  /// The error that reading bytes ends with.
  func error(_ bytes: [UInt8]) async throws -> HealthImportError {
    try #require(await #expect(throws: HealthImportError.self) { try await self.read(bytes) })
  }
}

extension HealthResult {
  /// A value of a day, as text.
  func value(_ metric: String, on day: String) -> String? {
    days.first { $0.day.text == day }?.value(metric)?.description
  }

  /// All values of a metric among the measurements.
  func measured(_ metric: String) -> [String] {
    measurements.flatMap(\.metrics).filter { $0.name == metric }.map(\.value.description)
  }

  /// How many samples a reason has refused.
  func refused(_ reason: HealthRefusal.Reason) -> Int { refused.first { $0.reason == reason }?.count ?? 0 }
}
