import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging

/// The Legacy (v1) wire format: making users, and writing, changing, deleting and reading their records.
struct LegacyRoutes: Sendable {
  let configuration: ReceiverConfiguration
  let store: any ReceiverStorage
  let faults: ReceiverFaults
  let log: RequestLog

  private var authentication: Authentication { Authentication(store: store) }

  func add(to router: Router<ConnectionContext>) {
    router.group("v1/organizations/:organization")
      .add(middleware: LegacyRefusalMiddleware(log: log))
      .add(middleware: FaultMiddleware(faults: faults, endpoint: .legacy))
      .post("users.json", use: createUser)
      .post("users/:user/{type}.json", use: create)
      .get("users/:user/{type}.json", use: list)
      .get("users/:user/:type/latest.json", use: latest)
      .put("users/:user/:type/{id}.json", use: replace)
      .delete("users/:user/:type/{id}.json", use: delete)
  }

  // MARK: Users

  @Sendable private func createUser(request: Request, context: ConnectionContext) async throws -> Response {
    let body = try await request.json(limit: configuration.bodyLimit, context: context)
    let envelope = try LegacyEnvelope(body, holding: "user", request: request)
    let organization = context.parameters.get("organization")?.removingPercentEncoding ?? ""
    guard let token = envelope.token.flatMap({ AccessToken(presented: $0) }) else {
      throw Refusal.unauthorized("The organisation's access_token is missing or malformed")
    }
    try await authentication.requireOrganization(organization, token: token)
    let user = try UserBody.creation(envelope.content ?? .null)
    do {
      let (account, secret) = try await store.makeUser(
        user.uid, location: user.location, organization: organization)
      let profile: JSONObject = [
        "timezone": account.timeZone.map { .string($0) } ?? .null,
        "country_code": account.countryCode.map { .string($0) } ?? .null,
      ]
      return answer(
        .created, "user",
        [
          "_id": .string(account.id), "uid": .string(account.uid), "access_token": .string(secret),
          "profile": .object(profile),
        ])
    } catch let error as ReceiverError {
      throw UserBody.refusal(for: error) ?? error
    }
  }

  // MARK: Writes

  @Sendable private func create(request: Request, context: ConnectionContext) async throws -> Response {
    let type = try type(context)
    let (account, content) = try await envelope(of: type, request, context)
    do {
      let record = try LegacyValidator.validate(content, type: type)
      guard let receipt = try await store.store([record], for: account).first else {
        throw Refusal(.internalServerError, "The record was not stored")
      }
      return try answer(receipt, record, type)
    } catch let errors as FieldErrors {
      throw Refusal(.badRequest, fields: errors)
    }
  }

  @Sendable private func replace(request: Request, context: ConnectionContext) async throws -> Response {
    let type = try type(context)
    let (account, content) = try await envelope(of: type, request, context)
    var countsItself = false
    if case .object(let object) = content { countsItself = LegacyValidator.statedRevision(object) != nil }
    let validate = { @Sendable (logID: String, revision: Int) throws(FieldErrors) -> ValidRecord in
      try LegacyValidator.validate(content, type: type, replacing: logID, revision: revision)
    }
    do {
      let receipt = try await store.replaceRecord(
        id: recordID(context), kind: .legacy(type), of: account, countsItself: countsItself, with: validate)
      guard let receipt else { throw Refusal(.notFound, "There is no such record") }
      return try answer(receipt, validate(receipt.logID, receipt.revision), type)
    } catch let errors as FieldErrors {
      throw Refusal(.badRequest, fields: errors)
    }
  }

  @Sendable private func delete(request: Request, context: ConnectionContext) async throws -> Response {
    let type = try type(context)
    var token = LegacyEnvelope.token(of: request)
    if token == nil {
      let body = try await request.json(limit: configuration.bodyLimit, context: context)
      token = try LegacyEnvelope(body, holding: type.rawValue, request: request).token
    }
    let account = try await authentication.legacyAccount(token: token, context: context, forWriting: true)
    guard try await store.deleteRecord(id: recordID(context), kind: .legacy(type), of: account) else {
      throw Refusal(.notFound, "There is no such record")
    }
    return Response(status: .ok, json: ["code": .integer(200), "message": .string("Ok")])
  }

  private func envelope(
    of type: LegacyType, _ request: Request, _ context: ConnectionContext
  ) async throws -> (ReceiverAccount, JSONValue) {
    let body = try await request.json(limit: configuration.bodyLimit, context: context)
    let envelope = try LegacyEnvelope(body, holding: type.rawValue, request: request)
    let account = try await authentication.legacyAccount(token: envelope.token, context: context, forWriting: true)
    guard let content = envelope.content else {
      throw Refusal(.badRequest, "The body must hold the record as \(type.rawValue)")
    }
    return (account, content)
  }

  private func answer(_ receipt: StoreReceipt, _ record: ValidRecord, _ type: LegacyType) throws -> Response {
    log.logger.info("record", metadata: ["outcome": "\(receipt.outcome.rawValue)"])
    guard receipt.outcome != .conflict, receipt.outcome != .typeConflict else {
      var errors = FieldErrors()
      errors.add(
        "activity_id",
        "is stored with other content as \(receipt.id); change that record, or send a revision above "
          + "\(receipt.revision)")
      throw Refusal.conflict(receipt, fields: errors)
    }
    var content: JSONObject = ["_id": .string(receipt.id)]
    // A superseded content is not what is stored: only its place is told.
    if receipt.outcome != .superseded, case .object(let stored) = try JSONValue.parse(Array(record.content.utf8)) {
      content.members += stored.members
    } else {
      content["activity_id"] = .string(receipt.logID)
    }
    content["revision"] = .integer(receipt.revision)
    content["checksum"] = .string(receipt.checksum)
    return answer(receipt.outcome == .created ? .created : .ok, type.rawValue, content)
  }

  private func answer(_ status: HTTPResponse.Status, _ name: String, _ content: JSONObject) -> Response {
    Response(
      status: status,
      json: ["code": .integer(status.code), "message": .string("Ok"), name: .object(content)])
  }

  // MARK: Reads

  @Sendable private func list(request: Request, context: ConnectionContext) async throws -> Response {
    let type = try type(context)
    let account = try await reader(request, context)
    let query = try LegacyQuery(request, now: UTCTimestamp(milliseconds: store.timestamp))
    let records = try await store.records(
      of: account, kind: .legacy(type), source: nil, window: query.window, page: query.page)
    let total = try await store.countRecords(of: account, kind: .legacy(type), window: query.window)
    return Response(
      status: .ok,
      json: [
        "summary": .object(query.summary(path: request.uri.path, total: total)),
        type.rawValue: .array(records.map { .object(json($0, account)) }),
      ])
  }

  @Sendable private func latest(request: Request, context: ConnectionContext) async throws -> Response {
    let type = try type(context)
    let account = try await reader(request, context)
    let latest = try await store.latestRecord(of: account, kind: .legacy(type), source: nil)
    let records = latest.map { [JSONValue.object(json($0, account))] } ?? []
    return Response(
      status: .ok,
      json: [
        "summary": .object([
          "status": .integer(200), "message": .string("Ok"), "results": .integer(records.count),
        ]),
        type.rawValue: .array(records),
      ])
  }

  private func reader(_ request: Request, _ context: ConnectionContext) async throws -> ReceiverAccount {
    try await authentication.legacyAccount(
      token: LegacyEnvelope.token(of: request), context: context, forWriting: false)
  }

  private func json(_ stored: StoredRecord, _ account: ReceiverAccount) -> JSONObject {
    var record: JSONObject = ["_id": .string(stored.id)]
    record.members += stored.record.members
    record["media"] = .array(stored.media.map { .object($0.json(of: account, at: configuration.publicAddress)) })
    record["user_id"] = .string(account.id)
    record["revision"] = .integer(stored.revision)
    record["checksum"] = .string(stored.checksum)
    record["created_at"] = .string(stored.createdAt)
    record["last_updated"] = .string(stored.updatedAt)
    return record
  }

  // MARK: Path

  private func type(_ context: ConnectionContext) throws(Refusal) -> LegacyType {
    guard let type = context.parameters.get("type").flatMap({ LegacyType(rawValue: $0) }) else {
      throw Refusal(.notFound, "There is no such record type")
    }
    return type
  }

  private func recordID(_ context: ConnectionContext) -> String {
    context.parameters.get("id")?.removingPercentEncoding ?? ""
  }
}
