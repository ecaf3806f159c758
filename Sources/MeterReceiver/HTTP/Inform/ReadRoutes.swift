import HTTPServing
import HTTPTypes
import Hummingbird

/// The reading side of Inform v2, which is the organisation's.
struct ReadRoutes: Sendable {
  let configuration: ReceiverConfiguration
  let store: any ReceiverStorage
  let faults: ReceiverFaults

  private var authentication: Authentication { Authentication(store: store) }

  func add(to router: Router<ConnectionContext>) {
    let users = router.group("organizations/:organization/users")
      .add(middleware: FaultMiddleware(faults: faults, endpoint: .reads))
    for type in RecordType.allCases {
      users.get(":uid/\(type.collection)") { try await list(type, $0, $1) }
      users.get(":uid/\(type.collection)/latest") { try await latest(type, $0, $1) }
    }
  }

  private func list(
    _ type: RecordType, _ request: Request, _ context: ConnectionContext
  ) async throws -> Response {
    let account = try await authentication.account(request, context: context)
    let query = try ReadQuery(request, now: UTCTimestamp(milliseconds: store.timestamp))
    let page = try await store.records(
      of: account, kind: .inform(type), source: Self.source(request), window: query.window, page: query.page)
    return Response(status: .ok, json: ["data": .array(page.map { .object(json($0, account)) })])
  }

  private func latest(
    _ type: RecordType, _ request: Request, _ context: ConnectionContext
  ) async throws -> Response {
    let account = try await authentication.account(request, context: context)
    let latest = try await store.latestRecord(of: account, kind: .inform(type), source: Self.source(request))
    return Response(
      status: .ok, json: ["data": .array(latest.map { [.object(json($0, account))] } ?? [])])
  }

  /// The source that is asked for, such as `device`.
  private static func source(_ request: Request) throws(Refusal) -> String? {
    guard let source = request.uri.queryParameters["source"].map(String.init) else { return nil }
    // SQLite's text ends at a NUL: something else would be found than what was asked for.
    guard !source.utf8.contains(0), source.utf8.count <= RecordFields.textLimit else {
      var errors = FieldErrors()
      errors.add("source", "must be the name of a source")
      throw Refusal(.badRequest, fields: errors)
    }
    return source
  }

  private func json(_ stored: StoredRecord, _ account: ReceiverAccount) -> JSONObject {
    var record = stored.record
    record["id"] = .string(stored.id)
    record["checksum"] = .string(stored.checksum)
    record["created_at"] = .string(stored.createdAt)
    record["updated_at"] = .string(stored.updatedAt)
    record["deleted_at"] = .null
    record["media"] = .array(stored.media.map { .object($0.json(of: account, at: configuration.publicAddress)) })
    record["user"] = .object([
      "organization_id": .string(account.organization), "user_id": .string(account.id), "uid": .string(account.uid),
    ])
    return record
  }
}
