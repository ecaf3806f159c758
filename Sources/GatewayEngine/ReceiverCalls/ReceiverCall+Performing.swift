package import GatewayAPI
import Foundation
package import MeterCore
import CurlHTTP
import InformSink

extension ReceiverCall {
  /// A call to the session's own receiver.
  package init(_ action: Action) { self.init(action, sink: MeterStore.defaultSink) }

  /// Does it; each record has an outcome of its own, in their order.
  ///
  /// - Parameter entries: The records of `create`, `update` and `upsert`.
  /// - Throws: ``GatewayError`` with code `no_session`, `no_receiver` or `unknown_sink`, or that of an image or a record that
  ///   is none; `StoreError`.
  package func perform(_ entries: [RecordDocument.Entry], store: MeterStore) async throws -> [ReceiverCallOutcome] {
    // Everything is looked at before anything is sent.
    var records: [Record] = []
    for entry in entries { records.append(try entry.record()) }
    let client = try client(store)
    switch action {
    case .create:
      return await client.outcomes(of: records).map { ReceiverCallOutcome(logID: $0.record.logID, $0.outcome) }
    case .update:
      return await each(zip(entries, records)) { entry, record throws(APIError) in
        try await client.update(record, recordID: entry.receiverID)
      }
    case .upsert:
      return await each(zip(entries, records)) { entry, record throws(APIError) in
        try await client.upsert(record, hasName: entry.name != .random)
      }
    case .delete(let type, let recordIDs):
      var outcomes: [ReceiverCallOutcome] = []
      for id in recordIDs {
        var outcome = ReceiverCallOutcome(recordID: id)
        do throws(APIError) {
          try await client.delete(type, recordID: id)
          outcome.isDeleted = true
        } catch {
          outcome.error = .init(error)
        }
        outcomes.append(outcome)
      }
      return outcomes
    case .upload(let data, let recordID):
      let image: RecordImage
      do throws(RecordImage.Refusal) { image = try RecordImage(Array(data)) } catch {
        throw GatewayError(error)
      }
      var outcome = ReceiverCallOutcome(recordID: recordID)
      do throws(APIError) {
        let stored = try await client.upload(image, toRecord: recordID)
        (outcome.isNew, outcome.mediaID, outcome.url) = (stored.isNew, stored.mediaID, stored.url)
      } catch {
        outcome.error = .init(error)
      }
      return [outcome]
    }
  }

  private func each(
    _ pairs: Zip2Sequence<[RecordDocument.Entry], [Record]>,
    _ body: (RecordDocument.Entry, Record) async throws(APIError) -> StoredReference
  ) async -> [ReceiverCallOutcome] {
    var outcomes: [ReceiverCallOutcome] = []
    for (entry, record) in pairs {
      do throws(APIError) {
        outcomes.append(ReceiverCallOutcome(logID: record.logID, .success(try await body(entry, record))))
      } catch {
        outcomes.append(ReceiverCallOutcome(logID: record.logID, .failure(error)))
      }
    }
    return outcomes
  }

  private func client(_ store: MeterStore) throws -> ReceiverClient {
    guard try store.currentSession().user != nil else {
      throw GatewayError(
        .failed, code: "no_session", "there is no session whose receiver could be called",
        hint: "start one: `meterhost session start --help`")
    }
    let setting = try setting(store)
    let client = try store.receiverClient(
      sink: sink, endpoint: setting.endpoint(), format: setting.format,
      transport: CurlTransport(settings: setting.transportSettings))
    guard let client else {
      throw GatewayError(
        .failed, code: "no_token", "there is no token for the receiver \(sink), or it was refused",
        hint: "give it a new one: `meterhost session sink add \(sink) --help`")
    }
    return client
  }

  private func setting(_ store: MeterStore) throws -> ReceiverSetting {
    let found: GatewaySink
    if sink == MeterStore.defaultSink {
      guard let own = try GatewaySink.own(in: store) else {
        throw GatewayError(
          .failed, code: "no_receiver", "the session has no receiver",
          hint: "start it again: `meterhost session start --help`")
      }
      found = own
    } else {
      found = try GatewaySink.named(sink, in: store)
    }
    guard let setting = found.setting as? ReceiverSetting else {
      throw GatewayError(
        .usage, code: "no_receiver",
        "the receiver \(sink) is of the kind \(found.stored.target.kind), which has no calls",
        hint: "name one of the kind \(ReceiverSetting.kind); `meterhost sink list` shows what there is")
    }
    return setting
  }
}

extension ReceiverCallOutcome {
  init(logID: LogID, _ outcome: Result<StoredReference, APIError>) {
    self.init(logID: "\(logID)")
    switch outcome {
    case .success(let reference):
      recordID = reference.recordID
      revision = reference.revision
      isNew = reference.isNew
    case .failure(let error): self.error = Failure(error)
    }
  }
}

extension ReceiverCallOutcome.Failure {
  init(_ error: APIError) {
    self.init(code: error.code.rawValue, message: error.message, hint: error.cure)
  }
}
