internal import Foundation

/// What a receiver says of an access token before anything depends on it.
public enum TokenVerdict: Sendable, Hashable {
  /// The receiver knows the token, and does not say that it is another user's.
  case accepted
  /// The receiver refuses the token (401).
  case refused
  /// The token is another user's: readings would end up with the wrong person.
  case otherUser
  /// The receiver is out of reach or does not say; the reason is for people.
  case unknown(reason: String)
}

extension ReceiverEndpoint {
  /// Asks the receiver about a token. Nothing is stored, so that a mistyped token costs nobody their session.
  public func verdict(
    on token: AccessToken, of owner: SessionUser, transport: any HTTPTransport
  ) async -> TokenVerdict {
    do {
      let answer = try await transport.answer(to: request("GET", user, token: token))
      switch answer.status {
      case 200..<300: return TokenOwner.contradicts(owner, in: answer.body) ? .otherUser : .accepted
      case 401: return .refused
      default: return .unknown(reason: "the receiver answers with status \(answer.status)")
      }
    } catch {
      return .unknown(reason: error.message)
    }
  }
}

/// Whose token it is, as the answer to the validation call says.
struct TokenOwner: Decodable {
  private struct Envelope: Decodable {
    let data: TokenOwner?
  }

  /// The receiver's id of the user, and the organisation's own: a session may name either.
  let user_id: String?
  let uid: String?
  let organization_id: String?

  /// Whether the answer names somebody else. A receiver that names nobody contradicts nothing.
  static func contradicts(_ user: SessionUser, in body: [UInt8]) -> Bool {
    guard let owner = try? JSONDecoder().decode(Envelope.self, from: Data(body)).data else { return false }
    let names = [owner.user_id, owner.uid].compactMap { $0 }
    let isOther = !names.isEmpty && !names.contains(user.userID)
    return isOther || owner.organization_id.map { $0 != user.organizationID } ?? false
  }
}
