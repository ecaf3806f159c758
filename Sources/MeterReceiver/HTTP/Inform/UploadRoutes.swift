import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging

/// What a user's host calls: the session check, and the writing side of Inform v2.
struct UploadRoutes: Sendable {
  let configuration: ReceiverConfiguration
  let store: any ReceiverStorage
  let faults: ReceiverFaults
  let logger: Logger

  private var authentication: Authentication { Authentication(store: store) }

  func add(to router: Router<ConnectionContext>) {
    let provider = router.group("connect/provider")
    let clock = configuration.clock
    provider.group().add(middleware: FaultMiddleware(faults: faults, endpoint: .user, clock: clock))
      .get("user", use: user)
    provider.group().add(middleware: FaultMiddleware(faults: faults, endpoint: .data, clock: clock))
      .post("data/:type", use: upload)
      .put("data/:type/:id", use: replace)
      .delete("data/:type/:id", use: delete)
  }

  /// MeterHost's own session check: the public description of Inform v2 has none.
  @Sendable private func user(request: Request, context: ConnectionContext) async throws -> Response {
    let account = try await authentication.user(request)
    return Response(
      status: .ok,
      json: [
        "data": .object([
          "organization_id": .string(account.organization), "user_id": .string(account.id),
          "uid": .string(account.uid), "status": .string(account.status.rawValue),
        ])
      ])
  }

  @Sendable private func upload(request: Request, context: ConnectionContext) async throws -> Response {
    let account = try await authentication.user(request)
    guard let accepted = RecordType.accepted(at: context.parameters.get("type") ?? "") else {
      throw Refusal(.notFound, "There is no such record type")
    }
    let body = try await request.json(limit: configuration.bodyLimit, context: context)
    let validator = RecordValidator(vocabulary: configuration.vocabulary)
    let validate = { (record: JSONValue) throws(FieldErrors) in
      try validator.validate(record, accepting: accepted)
    }
    do {
      guard case .array(let records) = body else { return try await storeOne(body, validate, account) }
      return try await storeMany(records, validate, account)
    } catch let error as ReceiverError where error.code == .notFound {
      throw Refusal.unauthorized("The user has been deleted")
    }
  }

  private typealias Validation = (JSONValue) throws(FieldErrors) -> ValidRecord

  private func storeOne(
    _ record: JSONValue, _ validate: Validation, _ account: ReceiverAccount
  ) async throws -> Response {
    let valid: ValidRecord
    do {
      valid = try validate(record)
    } catch {
      throw Refusal(.badRequest, fields: error)
    }
    guard let receipt = try await store.store([valid], for: account).first else {
      throw Refusal(.internalServerError, "The record was not stored")
    }
    logger.info("record", metadata: ["outcome": "\(receipt.outcome.rawValue)"])
    if let conflict = Self.conflict(receipt) { throw Refusal.conflict(receipt, fields: conflict) }
    return Response(status: Self.status(of: receipt), json: ["data": .object(Self.json(receipt))])
  }

  /// MeterHost's extension: an array of records, each with an outcome of its own under 207 (RFC 4918 section 13).
  private func storeMany(
    _ records: [JSONValue], _ validate: Validation, _ account: ReceiverAccount
  ) async throws -> Response {
    guard !records.isEmpty else { throw Refusal(.badRequest, "The array holds no record") }
    guard records.count <= configuration.recordLimit else {
      throw Refusal(
        .contentTooLarge, "The array holds more than the \(configuration.recordLimit) records that one request may")
    }
    let results = records.map { record in Result { () throws(FieldErrors) in try validate(record) } }
    let valid = results.compactMap { try? $0.get() }
    var receipts = (valid.isEmpty ? [] : try await store.store(valid, for: account)).makeIterator()
    var outcomes: [JSONValue] = []
    for (index, result) in results.enumerated() {
      var outcome: JSONObject = ["index": .integer(index)]
      switch result {
      case .failure(let errors):
        outcome["status"] = .integer(HTTPResponse.Status.badRequest.code)
        outcome["errors"] = errors.json
      case .success:
        guard let receipt = receipts.next() else { break }
        outcome["status"] = .integer(Self.status(of: receipt).code)
        if let conflict = Self.conflict(receipt) {
          outcome["errors"] = conflict.json
          outcome["conflict"] = .object(receipt.conflict)
        } else {
          outcome["data"] = .object(Self.json(receipt))
        }
      }
      outcomes.append(.object(outcome))
    }
    logger.info("records", metadata: ["stored": "\(valid.count)", "refused": "\(records.count - valid.count)"])
    return Response(
      status: HTTPResponse.Status(code: 207, reasonPhrase: "Multi-Status"), json: ["data": .array(outcomes)])
  }

  /// MeterHost's extension: replaces the content of the record that has this id here. Without a revision it is the next
  /// one, or nothing if nothing is different.
  @Sendable private func replace(request: Request, context: ConnectionContext) async throws -> Response {
    let account = try await authentication.user(request)
    let type = try type(context)
    let body = try await request.json(limit: configuration.bodyLimit, context: context)
    let validator = RecordValidator(vocabulary: configuration.vocabulary)
    var countsItself = false
    if case .object(let record) = body { countsItself = record["revision"] != nil }
    let receipt = try await store.replaceRecord(
      id: recordID(context), kind: .inform(type), of: account, countsItself: countsItself
    ) { logID, revision throws(FieldErrors) in
      try validator.validate(body, accepting: [type], replacing: logID, revision: revision)
    }
    guard let receipt else { throw Refusal(.notFound, "There is no such record") }
    logger.info("record", metadata: ["outcome": "\(receipt.outcome.rawValue)"])
    if let conflict = Self.conflict(receipt) { throw Refusal.conflict(receipt, fields: conflict) }
    return Response(status: .ok, json: ["data": .object(Self.json(receipt))])
  }

  /// MeterHost's extension: deletes the record that has this id here, with its images.
  @Sendable private func delete(request: Request, context: ConnectionContext) async throws -> Response {
    let account = try await authentication.user(request)
    let id = recordID(context)
    guard try await store.deleteRecord(id: id, kind: .inform(try type(context)), of: account) else {
      throw Refusal(.notFound, "There is no such record")
    }
    return Response(status: .ok, json: ["data": .object(["id": .string(id), "outcome": .string("deleted")])])
  }

  private func type(_ context: ConnectionContext) throws(Refusal) -> RecordType {
    let collection = context.parameters.get("type") ?? ""
    guard let type = RecordType.allCases.first(where: { $0.collection == collection }) else {
      throw Refusal(.notFound, "There is no such record type")
    }
    return type
  }

  private func recordID(_ context: ConnectionContext) -> String {
    context.parameters.get("id")?.removingPercentEncoding ?? ""
  }

  private static func status(of receipt: StoreReceipt) -> HTTPResponse.Status {
    switch receipt.outcome {
    case .created: .created
    case .unchanged, .updated, .superseded: .ok
    case .conflict, .typeConflict: .conflict
    }
  }

  private static func conflict(_ receipt: StoreReceipt) -> FieldErrors? {
    var errors = FieldErrors()
    switch receipt.outcome {
    case .conflict:
      errors.add(
        "log_id",
        "revision \(receipt.revision) is stored with other content already; only a higher revision may replace it")
    case .typeConflict: errors.add("log_id", "belongs to a record of another type")
    case .created, .unchanged, .updated, .superseded: return nil
    }
    return errors
  }

  private static func json(_ receipt: StoreReceipt) -> JSONObject {
    [
      "id": .string(receipt.id), "log_id": .string(receipt.logID), "revision": .integer(receipt.revision),
      "checksum": .string(receipt.checksum), "created_at": .string(receipt.createdAt.text),
      "outcome": .string(receipt.outcome.rawValue),
    ]
  }
}
