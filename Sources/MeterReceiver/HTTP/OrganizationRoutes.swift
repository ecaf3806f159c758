import Foundation
import HTTPTypes
import Hummingbird

/// What an organisation calls: making users, and the reading side of Inform v2.
struct OrganizationRoutes: Sendable {
  let configuration: ReceiverConfiguration
  let store: ReceiverStore

  private var authentication: Authentication { Authentication(store: store) }

  func add(to router: Router<ReceiverRequestContext>) {
    router.group("organizations/:organization/users")
      .post(use: createUser)
      .get(":uid/measurements", use: measurements)
      .get(":uid/measurements/latest", use: latest)
  }

  @Sendable private func createUser(request: Request, context: ReceiverRequestContext) async throws -> Response {
    let organization = try await authentication.organization(request, context: context)
    let body = try await request.json(limit: configuration.bodyLimit, context: context)
    var errors = FieldErrors()
    guard case .object(let user) = body else { throw Refusal(.badRequest, "The body must be an object with the uid") }
    guard let uid = MeasurementValidator.string(user["uid"], "uid", &errors) else {
      throw Refusal(.badRequest, fields: errors)
    }
    do {
      let (account, token) = try store.createUser(organization: organization, uid: uid)
      return Response(
        status: .created,
        json: [
          "data": .object([
            "id": .string(account.id), "uid": .string(account.uid),
            "mobile": .object(["token": .string(token)]), "status": .string(account.status.rawValue),
            "created_at": .string(account.createdAt), "updated_at": .string(account.updatedAt),
          ])
        ])
    } catch {
      switch error.code {
      case .alreadyExists: errors.add("uid", "has already been taken")
      case .invalidIdentifier: errors.add("uid", "must have 1 to 128 letters, digits and -._~@+")
      default: throw error
      }
      throw Refusal(error.code == .alreadyExists ? .conflict : .badRequest, fields: errors)
    }
  }

  @Sendable private func measurements(request: Request, context: ReceiverRequestContext) async throws -> Response {
    let account = try await account(request, context)
    let query = try ReadQuery(request, now: UTCTimestamp(milliseconds: store.timestamp))
    let page = try await store.measurements(
      of: account, window: query.window, limit: query.limit, offset: query.offset)
    return Response(status: .ok, json: ["data": .array(page.map { .object(Self.json($0, account)) })])
  }

  @Sendable private func latest(request: Request, context: ReceiverRequestContext) async throws -> Response {
    let account = try await account(request, context)
    let latest = try await store.latestMeasurement(of: account)
    return Response(
      status: .ok, json: ["data": .array(latest.map { [.object(Self.json($0, account))] } ?? [])])
  }

  private func account(_ request: Request, _ context: ReceiverRequestContext) async throws -> ReceiverAccount {
    let organization = try await authentication.organization(request, context: context)
    let uid = context.parameters.get("uid")?.removingPercentEncoding ?? ""
    guard let account = try await store.account(organization: organization, uid: uid) else {
      throw Refusal(.notFound, "There is no such user in this organisation")
    }
    return account
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

/// Window and page of a read: `start_date`, `end_date` (both inclusive, UTC, today by default), `limit`, `offset`.
struct ReadQuery: Equatable {
  static let longestWindow = 30

  var window: Range<UTCTimestamp>
  var limit: Int
  var offset: Int

  init(_ request: Request, now: UTCTimestamp) throws {
    let parameters = request.uri.queryParameters
    try self.init(
      start: parameters["start_date"].map(String.init), end: parameters["end_date"].map(String.init),
      limit: parameters["limit"].map(String.init), offset: parameters["offset"].map(String.init), now: now)
  }

  init(start: String?, end: String?, limit: String?, offset: String?, now: UTCTimestamp) throws(Refusal) {
    let today = String(now.text.prefix(10))
    var errors = FieldErrors()
    let first = UTCTimestamp(date: start ?? today)
    let last = UTCTimestamp(date: end ?? today)
    if first == nil { errors.add("start_date", "must be a date such as 2026-01-31") }
    if last == nil { errors.add("end_date", "must be a date such as 2026-01-31") }
    let page = Int(limit ?? "100").flatMap { (1...1000).contains($0) ? $0 : nil }
    let skipped = Int(offset ?? "0").flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
    if page == nil { errors.add("limit", "must be 1 to 1000") }
    if skipped == nil { errors.add("offset", "must be 0 or more") }
    if let first, let last {
      let days = (last.milliseconds - first.milliseconds) / UTCTimestamp.millisecondsPerDay
      if last < first { errors.add("end_date", "is before start_date") }
      if days > Self.longestWindow {
        errors.add("end_date", "is more than \(Self.longestWindow) days after start_date")
      }
    }
    guard errors.isEmpty, let first, let last, let page, let skipped else {
      throw Refusal(.badRequest, fields: errors)
    }
    window = first..<UTCTimestamp(milliseconds: last.milliseconds + UTCTimestamp.millisecondsPerDay)
    self.limit = page
    self.offset = skipped
  }
}
