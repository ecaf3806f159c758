import Foundation
import HTTPServing
import HTTPTypes
import HostPrimitives
import Hummingbird

/// Who may do what: users upload with their own token, organisations read and provision with theirs.
struct Authentication: Sendable {
  let store: any ReceiverStorage

  /// The user whose token the request carries.
  ///
  /// - Throws: `Refusal` 401 when the header is missing or malformed, the token unknown, or the user suspended.
  func user(_ request: Request) async throws -> ReceiverAccount {
    guard let header = request.headers[.authorization] else {
      throw Refusal.unauthorized("The Authorization header is missing; send Authorization: Bearer and the user's token")
    }
    guard let token = AccessToken(authorization: header) else {
      throw Refusal.unauthorized("The Authorization header is malformed; it must be Bearer, a space and the token")
    }
    guard let account = try await store.account(token: token) else {
      throw Refusal.unauthorized("The token is not known; start the session again with a valid one")
    }
    guard account.status == .active else {
      throw Refusal.unauthorized("The user is suspended; ask the organisation to let them upload again")
    }
    return account
  }

  /// The organisation of the path, proven by the token in the query.
  ///
  /// - Throws: `Refusal` 401 unless the token is that organisation's; whether the organisation exists is not told.
  func organization(_ request: Request, context: ConnectionContext) async throws -> String {
    let id = context.parameters.get("organization")?.removingPercentEncoding
    guard let text = request.uri.queryParameters["token"], let token = AccessToken(presented: String(text)) else {
      throw Refusal.unauthorized("The organisation's token is missing or malformed; send it as the query's token")
    }
    let organization = id ?? ""
    try await requireOrganization(organization, token: token)
    return organization
  }

  /// The user of a Legacy call: their own token and their organisation's open it.
  ///
  /// - Parameters:
  ///   - token: From the body or the query.
  ///   - forWriting: A suspended user's records are read, but not written.
  /// - Throws: `Refusal` 401 for any other token, 404 when the organisation has no such user.
  func legacyAccount(
    token: String?, context: ConnectionContext, forWriting: Bool
  ) async throws -> ReceiverAccount {
    let organization = context.parameters.get("organization")?.removingPercentEncoding ?? ""
    let user = context.parameters.get("user")?.removingPercentEncoding ?? ""
    guard let token = token.flatMap({ AccessToken(presented: $0) }) else {
      throw Refusal.unauthorized("The access_token is missing or malformed")
    }
    var account = try await store.account(token: token)
    if let owner = account {
      guard owner.organization.isExactly(organization),
        owner.id.isExactly(user) || owner.uid.isExactly(user)
      else {
        throw Refusal.unauthorized("The access_token is not this user's")
      }
      guard owner.status == .active else {
        throw Refusal.unauthorized("The user is suspended; ask the organisation to let them upload again")
      }
    } else {
      try await requireOrganization(organization, token: token)
      account = try await store.account(organization: organization, idOrUID: user)
    }
    guard let account else { throw Refusal(.notFound, "There is no such user in this organisation") }
    guard account.status == .active || !forWriting else {
      throw Refusal.unauthorized("The user is suspended; ask the organisation to let them upload again")
    }
    return account
  }

  /// - Throws: `Refusal` 401 unless the token is that organisation's.
  func requireOrganization(_ id: String, token: AccessToken) async throws {
    guard let organization = try await store.organization(token: token), organization.isExactly(id) else {
      throw Refusal.unauthorized("Token is not authorized to access organization")
    }
  }

  /// The user of the path, who must be one of the organisation that the request proves to come from.
  ///
  /// - Throws: `Refusal` 401 as `organization` does, or 404.
  func account(_ request: Request, context: ConnectionContext) async throws -> ReceiverAccount {
    let organization = try await organization(request, context: context)
    let uid = context.parameters.get("uid")?.removingPercentEncoding ?? ""
    guard let account = try await store.account(organization: organization, uid: uid) else {
      throw Refusal(.notFound, "There is no such user in this organisation")
    }
    return account
  }
}
