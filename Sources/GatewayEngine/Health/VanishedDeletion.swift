import GatewayAPI
import HostErrors
import InformSink
import MeterCore
import MeterHealth

/// Deletes records that have vanished from a health store at the receivers that have them.
///
/// A record is forgotten when no receiver that could delete it has it any more, in one transaction: what ends before that has changed
/// nothing here, and the same again does the rest, because what a receiver has no more counts as deleted.
struct VanishedDeletion: Sendable {
  private let store: MeterStore
  private let generation: SessionGeneration

  init(_ store: MeterStore, of generation: SessionGeneration) {
    self.store = store
    self.generation = generation
  }

  /// Receivers that could not be called, and why: the next record would find them no better.
  private typealias Silent = [String: GatewayError]

  /// Deletes one record after the other. A receiver that could not be called once is not called for the others.
  ///
  /// - Parameter logIDs: Their names; nil for all that have vanished.
  /// - Throws: `CancellationError`, and what was deleted before stays deleted; `StoreError` when the names cannot be read.
  func delete(_ logIDs: [LogID]?) async throws -> [HealthVanishedOutcome] {
    var outcomes: [HealthVanishedOutcome] = []
    var silent: Silent = [:]
    for logID in try logIDs ?? store.vanishedNames() {
      try Task.checkCancellation()
      var outcome = HealthVanishedOutcome(logID: logID.description)
      do { try await delete(logID, into: &outcome, &silent) } catch {
        guard let failure = GatewayError(describing: error), failure.kind != .cancelled else { throw error }
        outcome.error = failure.written
      }
      outcomes.append(outcome)
    }
    return outcomes
  }

  /// - Throws: ``GatewayError`` with code `not_vanished`, `being_sent`, `vanish_changed`, `cannot_delete` or `sink_paused`, and those of a
  ///   receiver's call; `StoreError`.
  private func delete(
    _ logID: LogID, into outcome: inout HealthVanishedOutcome, _ silent: inout Silent
  ) async throws {
    guard let record = try store.vanishedRecords([logID]).first else {
      throw GatewayError(
        .usage, code: "not_vanished", "\(logID) is no record that has vanished",
        hint: "`meterhost health vanished` lists those that have; one that an export has again is none")
    }
    guard !record.isBeingSent else { throw Self.busy("being_sent", "\(logID) is being sent at the moment") }
    guard let type = record.trace.recordType else { throw Self.unknownKind(logID) }
    var calls: [(sink: String, recordID: String)] = []
    let sinks = try GatewaySink.all(in: store)
    for holder in record.holders {
      let sink = sinks.first { $0.name == holder.sink }
      if !Self.canDelete(sink) {
        outcome.kept.append(.init(sink: holder.sink, reason: "cannot_delete"))
      } else if let id = holder.receiverID {
        calls.append((holder.sink, id))
      } else {
        outcome.kept.append(.init(sink: holder.sink, reason: "no_record_id"))
      }
    }
    // Without any deletion nothing but the name would be lost, and a later export would double what is there.
    guard !calls.isEmpty || outcome.kept.isEmpty else { throw Self.cannotDelete(logID, outcome.kept) }
    for call in calls {
      if let failure = silent[call.sink] { throw failure }
      let isPaused = sinks.contains { $0.name == call.sink && $0.stored.isPaused }
      do { try await delete(type, call.recordID, at: call.sink, isPaused: isPaused) } catch let error as GatewayError {
        if Self.isOfReceiver(error) { silent[call.sink] = error }
        throw error
      }
      outcome.deleted.append(call.sink)
    }
    let samples = try PieceStore(store, of: generation).samples(of: record.trace)
    guard try store.forgetVanished(record, samples: samples, of: generation) else {
      throw Self.busy("vanish_changed", "\(logID) was sent or imported again meanwhile")
    }
    outcome.withdrawn = record.waiting
  }

  private func delete(_ type: RecordType, _ recordID: String, at sink: String, isPaused: Bool) async throws {
    guard !isPaused else {
      throw GatewayError(
        .failed, code: "sink_paused", "the receiver \(sink) is paused, and nothing was deleted there",
        hint: "`meterhost sink resume \(sink)` lets it go on")
    }
    // A call goes to the session that is there: its user must be the one whose record this is.
    let session = try store.currentSession()
    guard session.generation == generation else {
      throw StoreError.staleGeneration(read: generation, current: session.generation)
    }
    let outcomes = try await ReceiverCall(.delete(type, recordIDs: [recordID]), sink: sink).perform([], store: store)
    guard let failure = ReceiverCallOutcome.failure(of: outcomes),
      failure.code != APIError.Code.missingRecord.rawValue
    else { return }
    throw GatewayError(
      failure.kind, code: failure.code, "at the receiver \(sink): \(failure.message)", hint: failure.hint)
  }

  /// Whether a receiver has a call that deletes: those of Inform v2 have.
  private static func canDelete(_ sink: GatewaySink?) -> Bool {
    (sink?.setting as? ReceiverSetting)?.format == .informV2
  }

  /// Whether a failure is that of the receiver or of the way to it, and none of the record's.
  private static func isOfReceiver(_ failure: GatewayError) -> Bool {
    let codes: [APIError.Code] = [.transport, .busy, .unauthorized]
    return codes.map(\.rawValue).contains(failure.code) || ["no_token", "sink_paused"].contains(failure.code)
  }

  private static func busy(_ code: String, _ message: String) -> GatewayError {
    GatewayError(.temporary, code: code, message, hint: "run the same command again in a moment")
  }

  private static func cannotDelete(_ logID: LogID, _ kept: [HealthVanishedOutcome.Kept]) -> GatewayError {
    let names = kept.map(\.sink).joined(separator: ", ")
    return GatewayError(
      .failed, code: "cannot_delete", "no receiver that has \(logID) can delete it: \(names)",
      hint: "delete it there by hand; receivers of the format inform-v2 that have told their id of it can")
  }

  /// Of a trace that a later version has written.
  private static func unknownKind(_ logID: LogID) -> GatewayError {
    GatewayError(
      .failed, code: "unknown_kind", "this version of the host does not know what \(logID) is",
      hint: "use the version that has imported it")
  }
}
