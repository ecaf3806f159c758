import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird

/// What an organisation does with its users: Inform v2's calls, and beyond them a new upload token and suspension.
struct UserRoutes: Sendable {
  let configuration: ReceiverConfiguration
  let store: any ReceiverStorage
  let faults: ReceiverFaults

  private var authentication: Authentication { Authentication(store: store) }

  func add(to router: Router<ConnectionContext>) {
    router.group("organizations/:organization/users")
      .add(middleware: FaultMiddleware(faults: faults, endpoint: .users))
      .post(use: create)
      .get(use: list)
      .get(":uid", use: read)
      .put(":uid", use: update)
      .delete(":uid", use: delete)
      .post(":uid/mobile", use: refresh)
      .put(":uid/suspend") { try await changeStatus(.suspended, $0, $1) }
      .put(":uid/unsuspend") { try await changeStatus(.active, $0, $1) }
  }

  @Sendable private func create(request: Request, context: ConnectionContext) async throws -> Response {
    let organization = try await authentication.organization(request, context: context)
    let body = try await request.json(limit: configuration.bodyLimit, context: context)
    let user = try UserBody.creation(body)
    do {
      let (account, token) = try await store.makeUser(
        user.uid, location: user.location, organization: organization)
      return Response(status: .created, json: try await whole(account, token: token))
    } catch let error as ReceiverError {
      throw UserBody.refusal(for: error) ?? error
    }
  }

  @Sendable private func list(request: Request, context: ConnectionContext) async throws -> Response {
    let organization = try await authentication.organization(request, context: context)
    let page = try Page(request)
    let users = try await store.users(organization: organization, page: page)
    let total = try await store.countUsers(organization: organization)
    return Response(
      status: .ok,
      json: [
        "data": .array(users.map { .object(Self.json($0)) }),
        "meta": .object(["offset": .integer(page.offset), "limit": .integer(page.limit), "total": .integer(total)]),
      ])
  }

  @Sendable private func read(request: Request, context: ConnectionContext) async throws -> Response {
    let account = try await authentication.account(request, context: context)
    return Response(status: .ok, json: try await whole(account))
  }

  @Sendable private func update(request: Request, context: ConnectionContext) async throws -> Response {
    let account = try await authentication.account(request, context: context)
    let body = try await request.json(limit: configuration.bodyLimit, context: context)
    let change = try UserBody.change(body, of: account.uid)
    return try await answer {
      try await store.changeLocation(change, organization: account.organization, uid: account.uid)
    }
  }

  @Sendable private func delete(request: Request, context: ConnectionContext) async throws -> Response {
    let account = try await authentication.account(request, context: context)
    return try await answer(["deleted_at": .string(UTCTimestamp(milliseconds: store.timestamp).text)]) {
      try await store.removeUser(organization: account.organization, uid: account.uid)
    }
  }

  /// MeterHost's extension: Inform's public description refreshes the marketplace token only.
  @Sendable private func refresh(request: Request, context: ConnectionContext) async throws -> Response {
    let account = try await authentication.account(request, context: context)
    do {
      let (changed, token) = try await store.refreshToken(organization: account.organization, uid: account.uid)
      return Response(status: .created, json: try await whole(changed, token: token))
    } catch let error as ReceiverError {
      throw UserBody.refusal(for: error) ?? error
    }
  }

  @Sendable private func changeStatus(
    _ status: ReceiverAccount.Status, _ request: Request, _ context: ConnectionContext
  ) async throws -> Response {
    let account = try await authentication.account(request, context: context)
    return try await answer {
      try await store.changeStatus(status, organization: account.organization, uid: account.uid)
    }
  }

  /// The user as a change has left them. They may be gone since they were looked up.
  private func answer(
    _ more: JSONObject = [:], _ change: () async throws -> ReceiverAccount
  ) async throws -> Response {
    do {
      var user = try await whole(try await change())
      user.members += more.members
      return Response(status: .ok, json: user)
    } catch let error as ReceiverError {
      throw UserBody.refusal(for: error) ?? error
    }
  }

  /// A user with the sources that deliver for them; lists leave those out, as Inform's do.
  private func whole(_ account: ReceiverAccount, token: String? = nil) async throws -> JSONObject {
    var user = Self.json(account, token: token)
    user["sources"] = .array(
      try await store.sources(of: account).map { source in
        .object([
          "type": .string(source.type), "connected_at": .string(source.connectedAt),
          "last_processed_at": .string(source.lastProcessedAt),
        ])
      })
    return user
  }

  private static func json(_ account: ReceiverAccount, token: String? = nil) -> JSONObject {
    var user: JSONObject = ["id": .string(account.id), "uid": .string(account.uid)]
    // Only when it was made: afterwards nobody knows it, because the store keeps its digest.
    if let token { user["mobile"] = .object(["token": .string(token)]) }
    user["location"] = .object([
      "timezone": account.timeZone.map { .string($0) } ?? .null,
      "country_code": account.countryCode.map { .string($0) } ?? .null,
    ])
    user["status"] = .string(account.status.rawValue)
    user["created_at"] = .string(account.createdAt)
    user["updated_at"] = .string(account.updatedAt)
    return user
  }
}
