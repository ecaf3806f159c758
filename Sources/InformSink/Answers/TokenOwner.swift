import MeterCore
import StrictJSON

/// Whose token it is, as the answer to the validation call says.
enum TokenOwner {
  /// Whether the answer names somebody else. A receiver that names nobody contradicts nothing; what it says that cannot be
  /// understood does, because silence and a name that nobody can read are not the same.
  static func contradicts(_ user: SessionUser, in body: [UInt8]) -> Bool {
    // 204 has no body.
    guard !body.isEmpty else { return false }
    guard let answer = ReceiverAnswer.object(body) else { return true }
    var places = [answer]
    if let data = answer.member("data"), data.kind != .null {
      guard data.kind == .object else { return true }
      places.append(data)
    }
    for place in places {
      guard let user = place.member("user"), user.kind == .object else { continue }
      places.append(user)
    }
    // The receiver's id of the user, and the organisation's own: a session may name either.
    return places.contains { place in
      let users = ["user_id", "uid"].compactMap { place.member($0) }.filter { $0.kind != .null }
      let organization = place.member("organization_id").flatMap { $0.kind == .null ? nil : $0 }
      return !users.isEmpty && !users.contains { ReceiverAnswer.isText($0, user.userID) }
        || organization.map { !ReceiverAnswer.isText($0, user.organizationID) } ?? false
    }
  }
}
