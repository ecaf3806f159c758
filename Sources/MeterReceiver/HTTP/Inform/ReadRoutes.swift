import HTTPTypes
import Hummingbird

/// The reading side of Inform v2, which is the organisation's.
struct ReadRoutes: Sendable {
  let faults: ReceiverFaults
  let store: any ReceiverStorage

  private var authentication: Authentication { Authentication(store: store) }

  func add(to router: Router<ReceiverRequestContext>) {
    router.group("organizations/:organization/users")
      .add(middleware: FaultMiddleware(faults: faults, endpoint: .reads))
      .get(":uid/measurements", use: measurements)
      .get(":uid/measurements/latest", use: latest)
  }

  @Sendable private func measurements(request: Request, context: ReceiverRequestContext) async throws -> Response {
    let account = try await authentication.account(request, context: context)
    let query = try ReadQuery(request, now: UTCTimestamp(milliseconds: store.timestamp))
    let page = try await store.measurements(
      of: account, window: query.window, page: query.page)
    return Response(status: .ok, json: ["data": .array(page.map { .object(Self.json($0, account)) })])
  }

  @Sendable private func latest(request: Request, context: ReceiverRequestContext) async throws -> Response {
    let account = try await authentication.account(request, context: context)
    let latest = try await store.latestMeasurement(of: account)
    return Response(
      status: .ok, json: ["data": .array(latest.map { [.object(Self.json($0, account))] } ?? [])])
  }

  private static func json(_ measurement: StoredMeasurement, _ account: ReceiverAccount) -> JSONObject {
    var record = measurement.record
    record["id"] = .string(measurement.id)
    record["checksum"] = .string(measurement.checksum)
    record["created_at"] = .string(measurement.createdAt)
    record["updated_at"] = .string(measurement.updatedAt)
    record["deleted_at"] = .null
    record["user"] = .object([
      "organization_id": .string(account.organization), "user_id": .string(account.id), "uid": .string(account.uid),
    ])
    return record
  }
}
