internal import StrictJSON

/// What a receiver says of an access token before anything depends on it.
public enum TokenVerdict: Sendable, Hashable {
  /// The receiver knows the token, and does not say that it is another user's.
  case accepted
  /// The receiver refuses the token: 401 in its own JSON.
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
enum TokenOwner {
  /// Whether the answer names somebody else. A receiver that names nobody contradicts nothing; what it says that cannot be
  /// understood does, because silence and a name that nobody can read are not the same.
  static func contradicts(_ user: SessionUser, in body: [UInt8]) -> Bool {
    // 204 has no body.
    guard !body.isEmpty else { return false }
    guard let answer = ReceiverAnswer.object(body, allowsDuplicateKeys: false) else { return true }
    var places = [answer]
    if let data = answer.member("data"), data.kind != .null {
      guard data.kind == .object else { return true }
      places.append(data)
    }
    // The receiver's id of the user, and the organisation's own: a session may name either.
    return places.contains { place in
      let users = ["user_id", "uid"].compactMap { place.member($0) }.filter { $0.kind != .null }
      let organization = place.member("organization_id").flatMap { $0.kind == .null ? nil : $0 }
      return !users.isEmpty && !users.contains { ReceiverAnswer.text($0) == user.userID }
        || organization.map { ReceiverAnswer.text($0) != user.organizationID } ?? false
    }
  }
}
