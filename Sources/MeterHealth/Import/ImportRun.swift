import Dispatch
import DriverContract
import Foundation
import MeterDrivers

/// One driver with one export.
struct ImportRun {
  /// Why it did not read it.
  enum Refusal {
    /// It says that the file is of another kind.
    case isNotItsOwn(String)
    /// It has read the file, and nothing was in it.
    case hasNothing
    /// Its bundle was refused, or it cannot be started.
    case cannotRun(String)
    /// It crashed, hung or broke a rule.
    case fault(HealthImportError)
  }

  /// What came of it.
  enum Attempt {
    case read(HealthImporter.Outcome)
    case other(Refusal)
  }

  /// How a driver has ended.
  private enum End {
    case done
    case failed(String)
  }

  let registry: Registry
  let drivers: DriverHost
  let entry: DriverEntry
  let export: HealthExport
  var borders: DayBorders
  var options: HealthImporter.Options
  /// Microseconds since 1970-01-01T00:00Z.
  let now: Int64
  let progress: (@Sendable (HealthImporter.Progress) -> Void)?

  /// Most bytes that a driver is given at once (`MH_TALK_CHUNK_MAX`).
  private static let chunk: UInt32 = 262_144

  /// Lets the driver read.
  ///
  /// - Throws: ``HealthImportError`` for what no other driver can do better.
  func attempt() async throws(HealthImportError) -> Attempt {
    let bundle: VerifiedBundle
    do { bundle = try registry.bundle(of: entry) } catch { return .other(.cannotRun("\(error)")) }
    let reading: DriverImport
    do throws(DriverFault) {
      reading = try await DriverImport.open(host: drivers, bundle: bundle, entry: entry, opening: opening)
    } catch {
      return try refusal(error)
    }
    var collected = HealthOptions(family: .apple, borders: borders)
    // Nothing is written after it was read.
    collected.exportedAt = now
    collected.intradayDays = options.intradayDays
    if let most = options.mostSums { collected.mostSums = most }
    var reader = SampleReader(
      collected, keepsSamples: options.keepsPieces && HealthPieces.families.contains(entry.familyID))
    let end: Result<End, HealthImportError>
    do throws(HealthImportError) { end = .success(try await read(with: reading, into: &reader)) } catch {
      end = .failure(error)
    }
    await reading.close()
    return try attempt(end, &reader)
  }

  private func attempt(
    _ end: Result<End, HealthImportError>, _ reader: inout SampleReader
  ) throws(HealthImportError) -> Attempt {
    switch end {
    case .success(.done):
      guard reader.hasAnything else { return .other(.hasNothing) }
      let family = reader.family(of: entry.familyID)
      let result = reader.finish(family: family, order: options.orders[family] ?? SourceRanking.Order())
      return .read(
        HealthImporter.Outcome(
          driver: entry.id, format: entry.familyID, size: export.size, exportedMicroseconds: reader.exported,
          result: result, family: family, driverVersion: "\(entry.version)", pieces: reader.pieces))
    case .success(.failed(let words)):
      guard reader.hasSamples else { return .other(.isNotItsOwn(words)) }
      throw HealthImportError(
        .driverFailed, "\(entry.id) gave up after \(reader.samples) samples of \(export.name)",
        hint: "export it again; if that is no better, report it to the driver's maker", cause: words)
    case .failure(let error):
      guard error.code == .driverFault, !reader.hasSamples else { throw error }
      return .other(.fault(error))
    }
  }

  private var opening: ImportOpening {
    let offset = options.zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(now) / 1_000_000))
    return ImportOpening(
      source: entry.familyID, size: export.size, unixMicroseconds: now,
      utcOffsetSeconds: Int32(clamping: offset), since: borders.start - HealthOptions.reach,
      until: borders.end + HealthOptions.reach, wanted: Self.wanted)
  }

  private static let wanted = ImportQuantities(ImportQuantity.allCases.filter { $0 != .other })

  /// Gives the driver what it asks for until it has ended.
  private func read(
    with reading: DriverImport, into reader: inout SampleReader
  ) async throws(HealthImportError) -> End {
    var facts: [ImportFact] = [.started]
    var given: UInt64 = 0
    while !facts.isEmpty {
      let turn: ImportTurn
      do throws(DriverFault) {
        turn = try await reading.tell(
          facts.removeFirst(), monotonicNanoseconds: DispatchTime.now().uptimeNanoseconds, unixMicroseconds: now)
      } catch {
        throw failure(error)
      }
      reader.take(turn)
      var end: End?
      for action in turn.actions {
        switch action {
        case .done: end = .done
        case .fail(_, let text): end = .failed(text)
        case .pull(let offset, let count, let token):
          let bytes = try export.read(Int(min(count, Self.chunk)), at: offset)
          given += UInt64(bytes.count)
          facts.append(
            .bytes(bytes, offset: offset, isLast: offset + UInt64(bytes.count) >= export.size, token: token))
        }
      }
      progress?(
        HealthImporter.Progress(
          driver: entry.id, bytes: min(given, export.size), size: export.size, samples: reader.samples))
      if let end { return end }
    }
    return .failed("it ended without a word")
  }

  /// What a driver that did not open is to the choice of one.
  private func refusal(_ fault: DriverFault) throws(HealthImportError) -> Attempt {
    switch fault.code {
    case .refused: return .other(.isNotItsOwn(fault.message))
    case .loadFailed, .unknownDriver, .workerFailed: return .other(.cannotRun(fault.message))
    default: break
    }
    let error = failure(fault)
    guard error.code == .driverFault else { throw error }
    return .other(.fault(error))
  }

  private func failure(_ fault: DriverFault) -> HealthImportError {
    guard fault.code != .cancelled else {
      return HealthImportError(.cancelled, "the import of \(export.name) was given up")
    }
    return HealthImportError(
      .driverFault, "\(entry.id) failed at \(export.name): \(fault.message)",
      hint: "import it again; if it fails again, report it to the driver's maker",
      cause: [fault.rule.map { "rule \($0)" }, fault.cause].compactMap { $0 }.joined(separator: ", ").nonEmpty)
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
