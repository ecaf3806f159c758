internal import Foundation
internal import GRDB

// The zone in the session's row; its receiver has a row of its own.
extension SessionOptions {
  /// Writes the zone at a session's start; one that is not named stays, and is else that of the user's last session.
  func write(_ db: Database, of user: SessionUser) throws {
    try db.execute(
      sql: """
        UPDATE session SET zone = coalesce(?1, zone, (SELECT value FROM setting WHERE name = ?2))
        """, arguments: [zone, Self.zoneSetting(user.ownerKey)])
  }

  /// Keeps the zone for the user's next session: a token that is refused ends a session that nobody meant to end, and the times
  /// read after it would be those of another zone.
  func rememberZone(_ db: Database, of owner: String) throws {
    guard let zone else { return }
    try db.execute(
      sql: "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      arguments: [Self.zoneSetting(owner), zone])
  }

  /// A name for each user: nobody inherits another one's zone.
  private static func zoneSetting(_ owner: String) -> String { "zone/" + owner }
}
