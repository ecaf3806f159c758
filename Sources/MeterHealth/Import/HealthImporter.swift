import DriverContract
public import Foundation
import HostErrors
import MeterCore
public import MeterDrivers

/// Reads exports of health stores with the drivers of a registry, and says what they come to. Nothing is stored or delivered.
///
/// ```swift
/// let importer = HealthImporter(registry: registry, drivers: DriverHost())
/// let found = try await importer.read(HealthExport(path: "export.zip")) { print($0.bytes, "of", $0.size) }
/// for sum in found.result.sums where sum.metric == "steps" { print(sum.day, sum.value) }
/// ```
///
/// The content decides which driver reads it, never the name of the file: the drivers are asked in the registry's order until one knows it.
public struct HealthImporter: Sendable {
  /// What is wanted of an export.
  public struct Options: Sendable, Hashable {
    /// The person's zone: days are its local days.
    public var zone: TimeZone
    /// Which days.
    public var window: HealthWindow
    /// Another time than the clock's, microseconds since 1970-01-01T00:00Z.
    package var now: Int64?
    /// Which sources count, by store.
    package var orders: [HealthFamily: SourceRanking.Order] = [:]
    /// For how many of the last days steps are told in parts of five minutes.
    package var intradayDays = 0
    /// Another limit than ``HealthOptions/mostSums``.
    package var mostSums: Int?
    /// Whether the samples themselves are wanted as well of what comes in pieces.
    package var keepsPieces = false

    /// The last half year, in the zone of this machine where none is given.
    public init(zone: TimeZone? = nil, window: HealthWindow = .recent) {
      self.zone = zone ?? .gateway
      self.window = window
    }
  }

  /// How far an import has come.
  public struct Progress: Sendable, Hashable {
    /// The driver that reads.
    public let driver: String
    /// Bytes that it was given, at most ``size``: an archive is not read from its beginning to its end.
    public let bytes: UInt64
    /// Bytes of the export.
    public let size: UInt64
    /// Samples that it has read.
    public let samples: UInt64
  }

  /// What was read.
  public struct Outcome: Sendable {
    /// The driver.
    public let driver: String
    /// The driver's family, such as `apple-health`.
    public let format: String
    /// Bytes of the export.
    public let size: UInt64
    /// When the export says that it was written, microseconds since 1970-01-01T00:00Z.
    public let exportedMicroseconds: Int64?
    /// What it comes to.
    public internal(set) var result: HealthResult
    /// The store that it is of.
    package let family: HealthFamily
    /// The driver's version.
    package let driverVersion: String
    /// The samples and sources of what comes in pieces, where they were asked for.
    package let pieces: HealthPieces?
  }

  private let registry: Registry
  private let drivers: DriverHost

  /// An importer with the drivers of a registry.
  ///
  /// - Parameter drivers: Where they run: workers of their own, or this process.
  public init(registry: Registry, drivers: DriverHost) {
    self.registry = registry
    self.drivers = drivers
  }

  /// Reads an export.
  ///
  /// - Parameter progress: Told after each piece that was read.
  /// - Throws: ``HealthImportError``: `not_an_export` names the drivers that were asked, and what each one said.
  public func read(
    _ export: HealthExport, _ options: Options = Options(), progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws(HealthImportError) -> Outcome {
    let entries = registry.drivers.filter { $0.extensions.contains(.import) }
    let now = options.now ?? Int64(Date.now.timeIntervalSince1970 * 1_000_000)
    let borders = options.window.borders(in: options.zone, now: now)
    var asked = AskedDrivers(export)
    for entry in entries {
      let run = ImportRun(
        registry: registry, drivers: drivers, entry: entry, export: export, borders: borders, options: options,
        now: now, progress: progress)
      switch try await run.attempt() {
      case .read(let outcome):
        let whole = outcome.result.isFull ? try await run.inParts(outcome) : outcome
        try export.check()
        return whole
      case .other(let answer): asked.add(answer, of: entry.id)
      }
    }
    throw try asked.error()
  }
}

/// The drivers that did not take an export.
private struct AskedDrivers {
  private let export: HealthExport
  private var words: [String] = []
  private var fault: HealthImportError?
  private var hasRun = false
  private var reader: String?

  init(_ export: HealthExport) { self.export = export }

  mutating func add(_ answer: ImportRun.Refusal, of driver: String) {
    switch answer {
    case .isNotItsOwn(let text):
      hasRun = true
      words.append("\(driver): \(text)")
    case .hasNothing:
      hasRun = true
      reader = reader ?? driver
      words.append("\(driver): nothing in it is a sample")
    case .cannotRun(let text): words.append("\(driver): \(text)")
    case .fault(let error):
      hasRun = true
      fault = fault ?? error
      words.append("\(driver): \(error.message)")
    }
  }

  /// What a person is told.
  func error() throws(HealthImportError) -> HealthImportError {
    let cause = words.isEmpty ? nil : words.joined(separator: "; ")
    guard hasRun else {
      return HealthImportError(
        .noDriver, words.isEmpty ? "no driver that reads exports is installed" : "no driver that reads exports can run",
        hint: "`meterhost driver list` shows the drivers, `meterhost doctor` what is wrong with them", cause: cause)
    }
    let glance = try ZipGlance(export)
    if glance.isEncrypted {
      return HealthImportError(
        .encrypted, "\(export.name) is an archive with a password", hint: "give the export as the phone has made it",
        cause: cause)
    }
    if let fault { return fault }
    if glance.isArchive, !glance.isWhole {
      return HealthImportError(
        .truncated, "\(export.name) is an archive that ends in the middle, and nothing in it can be read",
        hint: "copy it from the phone again; if it is as short there, export it again with enough free space",
        cause: cause)
    }
    if let reader {
      return HealthImportError(
        .empty, "\(export.name) has no samples that \(reader) knows",
        hint: "look whether the program that wrote it may read health data", cause: cause)
    }
    return HealthImportError(
      .notAnExport, "\(export.name) is no export that an installed driver reads",
      hint: "give the export as the phone or the automation has made it: export.zip of Apple Health, the zip of Health "
        + "Connect, the zip or folder of Samsung Health, or JSON", cause: cause)
  }
}
