internal import Foundation
internal import GRDB

/// The session's row.
struct SessionRow {
  let generation: SessionGeneration
  let user: SessionUser?
  let ending: String?
  var options = SessionOptions()
  var body: BodyProfile?
  /// Whether the end that has begun takes what is known of the meters along.
  var forgetsMeters = false

  /// Whom rows are filed under.
  var owner: String { user?.ownerKey ?? SessionUser.defaultOwnerKey }

  /// The session with what stands in the row of its own receiver.
  func session(_ db: Database) throws -> Session {
    let own = try SinkRow.own(db)
    var options = options
    // What the first versions kept in a file is the caller's to find.
    options.receiver = own.target.setting.isEmpty ? nil : own.target
    var session = Session(user: user, generation: generation, isValidated: own.isValidated, options: options)
    session.body = body
    return session
  }

  /// What cannot be read is nothing that anything may be computed from.
  private static func body(_ text: String?) -> BodyProfile? {
    text.flatMap { try? JSONDecoder().decode(BodyProfile.self, from: Data($0.utf8)) }
      .flatMap { BodyProfile(heightCentimetres: $0.heightCentimetres, sex: $0.sex, born: $0.born) }
  }

  static func fetch(_ db: Database) throws -> SessionRow {
    guard let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM session WHERE id = 1")) else {
      throw StoreError(.corrupt, "the session's row is missing; run `meterhost doctor --repair`.")
    }
    let user: SessionUser?
    switch (try row["user_id"] as String?, try row["organization_id"] as String?) {
    case (let userID?, let organization?): user = SessionUser(userID: userID, organizationID: organization)
    case (nil, nil): user = nil
    // Half a user is none whom anybody has named: read as nobody, the session's queue would be hidden.
    default: throw StoreError.unreadable(column: "user_id")
    }
    return try SessionRow(
      generation: SessionGeneration(rawValue: row["generation"]), user: user,
      ending: row["ending"], options: SessionOptions(zone: row["zone"]), body: body(row["body"]),
      forgetsMeters: row["forgets_meters"] as Bool? ?? false)
  }
}
