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
  private let zone: TimeZone
  private let session: Session
  private let owner: GatewayOwner
  private let now: Int64

  /// - Throws: ``GatewayError`` with code `not_subscribed` or `unknown_zone`; `StoreError`.
  init(_ export: HealthExport, _ wish: HealthDesk.Wish, _ session: Session, _ owner: GatewayOwner) throws {
    self.export = export
    self.wish = wish
    self.session = session
    self.owner = owner
    subscription = try wish.subscription ?? HealthSubscription(stored: owner.store.healthSubscription())
    guard !subscription.isOff else {
      throw GatewayError(
        .usage, code: "not_subscribed", "nothing of health exports is wanted, and nothing was read",
        hint: "choose what is: `meterhost health subscribe set routine sleep`, or `--sets` for one import")
    }
    zone = try wish.zone ?? owner.personZone(else: GatewayZone.name).zone
    let clock = HostClockReading.now
    try clock.checkKnown()
    now = clock.utcMicroseconds
  }

  /// Imports it.
  func run(_ progress: HealthDesk.Progress?) async throws -> HealthImportDescription {
    let store = owner.store
    let submission = HealthSubmission(store, of: session.generation)
    let orders = try submission.orders()
    let digest = try export.digest()
    let wished = self.wished(orders)
    if !wish.isForced, let known = try store.lastImport(digest: digest, wish: wished) {
      var description = HealthImportDescription(known, file: export.name)
      description.state = "known"
      return description
    }
    let number = try store.beginImport(
      digest: digest, wish: wished, name: export.name, of: session.generation)
    do {
      let (description, processed) = try await imported(number, submission, orders, progress)
      let state: StoredImport.State = description.state == "partial" ? .partial : .done
      try store.endImport(
        number, state, report: GatewayJSON.line(description), processed: processed, of: session.generation)
      return description
    } catch {
      try? store.endImport(
        number, .failed, report: GatewayJSON.line(failed(number, error)), processed: [:], of: session.generation)
      throw error
    }
  }

  private func imported(
    _ number: Int64, _ submission: HealthSubmission, _ orders: [HealthFamily: SourceRanking.Order],
    _ progress: HealthDesk.Progress?
  ) async throws -> (HealthImportDescription, [RecordType: Int]) {
    var options = HealthImporter.Options(zone: zone, window: wish.window)
    options.now = now
    options.orders = orders
    options.intradayDays = subscription.processesIntraday ? Self.intradayDays : 0
    options.keepsPieces = true
    let gateway = owner.gateway
    let importer = HealthImporter(registry: gateway.registry, drivers: gateway.drivers)
    let file = export.name
    let outcome = try await importer.read(export, options) { read in
      progress?(
        HealthImportProgress(
          file: file, driver: read.driver, bytes: read.bytes, size: read.size, samples: read.samples))
    }
    var wanted = HealthSubmission.Wish(
      subscription, borders: wish.window.borders(in: zone, now: now), now: now)
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
    return ([subscription.stored ?? "", wish.window.name, zone.identifier] + sources).joined(separator: " ")
  }

  private func failed(_ number: Int64, _ error: any Error) -> HealthImportDescription {
    var description = HealthImportDescription(file: export.name, state: "failed")
    description.number = number
    description.began = CivilMoment.utcSeconds(microseconds: now)
    description.error = GatewayError(describing: error)?.written
    return description
  }
}
