import Foundation
import GatewayAPI
import HostErrors
import HostPrimitives
import MeterCore
import MeterDrivers
import MeterHealth

/// One import.
struct HealthJob: Sendable {
  private let export: HealthExport
  private let wish: HealthDesk.Wish
  private let subscription: HealthSubscription
  private let store: MeterStore
  private let gateway: Gateway
  private let now: Int64

  /// - Throws: ``GatewayError`` with code `not_subscribed`; `StoreError`.
  init(_ export: HealthExport, _ wish: HealthDesk.Wish, _ store: MeterStore, _ gateway: Gateway) throws {
    self.export = export
    self.wish = wish
    self.store = store
    self.gateway = gateway
    let session = try store.currentSession()
    guard session.generation == wish.generation else {
      throw StoreError.staleGeneration(read: wish.generation, current: session.generation)
    }
    subscription = try wish.subscription ?? HealthSubscription(stored: store.healthSubscription())
    guard !subscription.isOff else {
      throw GatewayError(
        .usage, code: "not_subscribed", "nothing of health exports is wanted, and nothing was read",
        hint: "choose what is: `meterhost health subscribe set routine sleep`, or `--sets` for one import")
    }
    let clock = HostClockReading.now
    try clock.checkKnown()
    now = clock.utcMicroseconds
  }

  /// Imports it.
  func run(_ progress: HealthDesk.Progress?) async throws -> HealthImportDescription {
    let submission = HealthSubmission(store, of: wish.generation)
    let orders = try submission.orders()
    let digest = try export.digest()
    let wished = self.wished(orders)
    if !wish.isForced, let known = try store.lastImport(digest: digest, wish: wished) {
      var description = HealthImportDescription(known, file: export.name)
      description.state = "known"
      return description
    }
    let number = try store.beginImport(
      digest: digest, wish: wished, name: export.name, of: wish.generation)
    do {
      let (description, processed) = try await imported(number, submission, orders, progress)
      let state: StoredImport.State = description.state == "partial" ? .partial : .done
      try store.endImport(
        number, state, report: GatewayJSON.line(description), processed: processed, of: wish.generation)
      return description
    } catch {
      try? store.endImport(
        number, .failed, report: GatewayJSON.line(failed(number, error)), processed: [:], of: wish.generation)
      throw error
    }
  }

  private func imported(
    _ number: Int64, _ submission: HealthSubmission, _ orders: [HealthFamily: SourceRanking.Order],
    _ progress: HealthDesk.Progress?
  ) async throws -> (HealthImportDescription, [RecordType: Int]) {
    var options = HealthImporter.Options(zone: wish.zone, window: wish.window)
    options.now = now
    options.orders = orders
    options.intradayDays = subscription.processesIntraday ? Self.intradayDays : 0
    options.keepsPieces = true
    let importer = HealthImporter(registry: gateway.registry, drivers: gateway.drivers)
    let file = export.name
    let outcome = try await importer.read(export, options) { read in
      progress?(
        HealthImportProgress(
          file: file, driver: read.driver, bytes: read.bytes, size: read.size, samples: read.samples))
    }
    var wanted = HealthSubmission.Wish(
      subscription, borders: wish.window.borders(in: wish.zone, now: now), now: now)
    wanted.isForced = wish.isForced
    wanted.intradayDays = options.intradayDays
    let samples = UInt64(clamping: outcome.result.samples.values.reduce(0, +))
    let report = try await submission.submit(outcome, wanted) { stored, records in
      progress?(
        HealthImportProgress(
          file: file, driver: outcome.driver, bytes: outcome.size, size: outcome.size, samples: samples,
          stored: stored, records: records))
    }
    var description = HealthImportDescription(outcome, report, file: file)
    description.number = number
    description.began = CivilMoment.utcSeconds(microseconds: now)
    return (description, report.processed)
  }

  /// Today and the six days before it.
  private static let intradayDays = 7

  /// What the same bytes are another import for.
  private func wished(_ orders: [HealthFamily: SourceRanking.Order]) -> String {
    let sources = orders.sorted { $0.key.rawValue < $1.key.rawValue }.map { family, order in
      "\(family.rawValue):" + order.configured.map { ($0.isOff ? "-" : "+") + $0.key }.joined(separator: ",")
    }
    return ([subscription.stored ?? "", wish.window.name, wish.zone.identifier] + sources).joined(separator: " ")
  }

  private func failed(_ number: Int64, _ error: any Error) -> HealthImportDescription {
    var description = HealthImportDescription(file: export.name, state: "failed")
    description.number = number
    description.began = CivilMoment.utcSeconds(microseconds: now)
    description.error = GatewayError(describing: error)?.written
    return description
  }
}
