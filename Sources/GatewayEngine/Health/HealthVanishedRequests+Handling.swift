package import GatewayAPI
import HostPrimitives
import MeterCore
import MeterHealth

extension HealthVanishedRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> [HealthVanishedDescription] {
    _ = try owner.choosingSession()
    return try owner.store.vanishedRecords(owner.store.vanishedNames()).map(HealthVanishedDescription.init)
  }
}

extension HealthVanishDeleteRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session` or `no_log_id`; `StoreError`.
  package func perform(on owner: GatewayOwner) async throws -> [HealthVanishedOutcome] {
    let session = try owner.choosingSession()
    guard takesAll != !logIDs.isEmpty else {
      throw GatewayError(
        .usage, code: "no_log_id", "records are deleted by their names, or all of them",
        hint: "`meterhost health vanished` lists them; give their log_ids, or `--all`, and not both")
    }
    var named: Set<LogID> = []
    let wanted = takesAll ? nil : logIDs.filter { named.insert($0).inserted }
    let deletion = VanishedDeletion(owner.store, of: session.generation)
    return try await owner.health.between { try await deletion.delete(wanted) }
  }
}

extension HealthVanishedDescription {
  init(_ record: VanishedRecord) {
    let trace = record.trace
    self.init(
      logID: trace.logID.description, type: trace.recordType?.rawValue,
      kind: trace.word.isEmpty ? trace.kind : trace.word,
      start: CivilMoment.utcSeconds(microseconds: trace.startMicroseconds),
      end: CivilMoment.utcSeconds(microseconds: trace.endMicroseconds), receivers: record.holders.map(\.sink),
      waiting: record.waiting)
  }
}
