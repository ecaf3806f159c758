import Foundation
package import GatewayAPI
import MeterCore
import MeterHealth

extension HealthImportRequest: HandledConversation {
  /// - Throws: What ``HealthDesk/take(_:_:on:progress:)`` throws for the one export; of several, ``GatewayError`` with code `health_import`
  ///   when one of them failed.
  package func perform(on owner: GatewayOwner, with partner: ControlPartner<HealthImportTelling>) async throws {
    let session = try owner.submittingSession()
    let wish = try wish(of: session.generation, owner)
    var failed = 0
    for file in files {
      guard !partner.patience.isOver else { throw CancellationError() }
      do {
        await partner.tell(.done(try await take(file, wish, owner, partner)))
      } catch  where files.count > 1 && !(error is CancellationError) {
        failed += 1
        var description = HealthImportDescription(file: file, state: "failed")
        description.error = GatewayError(describing: error)?.written
        await partner.tell(.done(description))
      }
    }
    if delivers, !partner.patience.isOver { _ = try await owner.deliver([], of: session.generation) }
    guard failed == 0 else {
      throw GatewayError(
        .failed, code: "health_import", "\(failed) of \(files.count) exports could not be imported",
        hint: "the others were; look at the error of each one")
    }
  }

  private func take(
    _ file: String, _ wish: HealthDesk.Wish, _ owner: GatewayOwner, _ partner: ControlPartner<HealthImportTelling>
  ) async throws -> HealthImportDescription {
    let (stream, continuation) = AsyncStream.makeStream(
      of: HealthImportProgress.self, bufferingPolicy: .bufferingNewest(1))
    let telling = Task { for await progress in stream { await partner.tell(.progress(progress)) } }
    let work = Task {
      try await owner.health.take(HealthExport(path: file), wish) { continuation.yield($0) }
    }
    let result = await partner.patience.during {
      work.cancel()
    } _: {
      await work.result
    }
    continuation.finish()
    await telling.value
    return try result.get()
  }

  /// - Throws: ``GatewayError`` with code `unknown_zone` or `bad_day`; `HealthImportError` for a set that there is not.
  private func wish(of generation: SessionGeneration, _ owner: GatewayOwner) throws -> HealthDesk.Wish {
    var wish = HealthDesk.Wish(of: generation, in: try zone(owner))
    wish.isForced = isForced
    if let sets {
      wish.subscription = try HealthSubscription(names: sets, processesIntraday: processesIntraday ?? false)
    }
    if takesAll { wish.window = .all }
    if let from {
      guard let window = HealthWindow(from: from, through: to) else {
        throw GatewayError(
          .usage, code: "bad_day", "\(from)\(to.map { " to \($0)" } ?? "") are no days since 2000, the first one first",
          hint: "days are written like 2026-01-31")
      }
      wish.window = window
    }
    return wish
  }

  /// - Throws: ``GatewayError`` with code `unknown_zone`; `StoreError`.
  private func zone(_ owner: GatewayOwner) throws -> TimeZone {
    guard let zone else { return try owner.personZone(else: GatewayZone.name).zone }
    guard let named = TimeZone(databaseName: zone) else {
      throw GatewayError(
        .usage, code: "unknown_zone", "there is no time zone \(zone)", hint: "they are named like Europe/Berlin")
    }
    return named
  }
}

extension HealthReportRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `unknown_import`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> [HealthImportDescription] {
    guard let number else {
      return try owner.store.imports(limit: min(max(limit, 1), 1_000)).map { HealthImportDescription($0) }
    }
    guard let stored = try owner.store.importRow(number) else {
      throw GatewayError(
        .usage, code: "unknown_import", "there is no import \(number) of this session",
        hint: "`meterhost health report` lists them")
    }
    return [HealthImportDescription(stored)]
  }
}
