internal import GRDB
internal import Synchronization

/// A claimed delivery whose answer nobody will file any more.
struct UnansweredClaim: Sendable {
  enum Table: String { case delivery, media_delivery }

  let table: Table
  let row: Int64
  let sink: String
}

// Claims that have come to nothing: what they were for is sent again, under the same name and revision.
extension MeterStore {
  /// Takes everything back that is being sent.
  static func releaseClaims(_ db: Database) throws {
    for table in ["delivery", "media_delivery"] {
      for sink in try SinkRow.names(db) {
        try db.execute(
          sql: """
            UPDATE \(table) SET state = 'pending' WHERE sink = ? AND state = 'inFlight'
              \(table == "delivery" ? "AND confirm_by_us IS NULL" : "")
            """, arguments: [sink])
      }
    }
  }

  /// Gives claims back that an uploader has when it stops and the store does not take their answers: the next claim takes
  /// them back on disk.
  func abandon(_ claims: [UnansweredClaim]) {
    guard !claims.isEmpty else { return }
    unanswered.withLock { $0 += claims }
    announceChange()
  }

  /// Takes claims back that were abandoned.
  func releaseUnanswered() throws(StoreError) {
    let claims = unanswered.withLock { claims in
      defer { claims = [] }
      return claims
    }
    guard !claims.isEmpty else { return }
    do throws(StoreError) {
      try transaction { db in
        for claim in claims {
          let column = claim.table == .delivery ? "record" : "media"
          try db.execute(
            sql: """
              UPDATE \(claim.table.rawValue) SET state = 'pending'
              WHERE \(column) = ? AND sink = ? AND state = 'inFlight'
              """, arguments: [claim.row, claim.sink])
        }
      }
    } catch {
      unanswered.withLock { $0 += claims }
      throw error
    }
  }
}
