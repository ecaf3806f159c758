internal import Foundation
internal import GRDB

extension MeterStore {
  /// The numbers of this folder now. What they cost does not grow with the queue: they come from counts that are kept, from the ends of
  /// indexes, and from at most ``StoreFigures/deadLetterLimit`` rows.
  ///
  /// - Parameter withMeters: List the meters, too.
  /// - Throws: ``StoreError``.
  package func figures(withMeters: Bool = false) throws(StoreError) -> StoreFigures {
    let skews = try clockSkews().mapValues(\.seconds)
    let passive = try passivePeripherals().count
    let backup = try backupMicroseconds()
    return try reading { db in
      var figures = StoreFigures()
      figures.skews = skews
      figures.passivePeripherals = passive
      figures.backupMicroseconds = backup
      figures.sinks = try Self.sinkFigures(db)
      figures.deliveries = try Self.deliveryFigures(db)
      figures.deadLetters = try Self.deadLetters(db, figures.deliveries)
      figures.bytes = try QueueUsage.fetch(db).bytes
      figures.quarantinedDrivers =
        try Int.fetchOne(
          db, sql: "SELECT count(DISTINCT driver) FROM offence WHERE meter = '' AND set_aside_us IS NOT NULL") ?? 0
      figures.lastReadMicroseconds = try Int64.fetchOne(db, sql: "SELECT max(read_us) FROM meter WHERE read_us > 0")
      if withMeters { figures.meters = try Self.meterFigures(db) }
      return figures
    }
  }

  /// Of what is noted of the last backup, when it was made.
  private struct NotedBackup: Decodable {
    let microseconds: Int64
  }

  private func backupMicroseconds() throws(StoreError) -> Int64? {
    guard let text = try hostSetting("backup") else { return nil }
    // What another version writes tells nothing.
    return (try? JSONDecoder().decode(NotedBackup.self, from: Data(text.utf8)))?.microseconds
  }

  private static func sinkFigures(_ db: Database) throws -> [StoreFigures.Sink] {
    guard try SessionRow.fetch(db).user != nil else { return [] }
    let rows = try Row.fetchAll(db, sql: "SELECT name, validated, refused FROM sink ORDER BY role <> 'session', name")
    return try rows.map { row in
      let name: String = try row["name"]
      let (isValidated, isRefused): (Bool, Bool) = (try row["validated"], try row["refused"])
      return StoreFigures.Sink(
        name: name, isValid: isValidated && !isRefused, oldestMicroseconds: try oldest(db, sink: name))
    }
  }

  /// The number of attempts stands before the record in the index: each number has an oldest record of its own.
  private static let oldestRecord = """
    WITH RECURSIVE tries (n) AS (
      SELECT min(attempts) FROM delivery WHERE sink = ?1 AND state = ?2
      UNION ALL
      SELECT (SELECT min(attempts) FROM delivery WHERE sink = ?1 AND state = ?2 AND attempts > n)
      FROM tries WHERE n IS NOT NULL
    )
    SELECT min((SELECT min(record) FROM delivery WHERE sink = ?1 AND state = ?2 AND attempts = n))
    FROM tries WHERE n IS NOT NULL
    """

  /// How deliveries to one sink stand.
  func sinkStatus(_ sink: String) throws(StoreError) -> SinkStatus {
    try reading { db in
      var status = SinkStatus(meters: Set(try MeterTable(db: db).all().map(\.name)))
      for deliveries in try Self.deliveryFigures(db) where deliveries.sink == sink {
        switch deliveries.state {
        case .pending, .inFlight: status.pending += deliveries.count
        case .held: status.held += deliveries.count
        case .dead: status.dead += deliveries.count
        case .delivered, .excluded: break
        }
      }
      return status
    }
  }

  private static func oldest(_ db: Database, sink: String) throws -> Int64? {
    let records = try [DeliveryState.pending, .inFlight].compactMap { state in
      try Int64.fetchOne(db, sql: oldestRecord, arguments: [sink, state.rawValue])
    }
    guard let first = records.min() else { return nil }
    return try Int64.fetchOne(db, sql: "SELECT committed_us FROM record WHERE id = ?", arguments: [first])
  }

  private static func deliveryFigures(_ db: Database) throws -> [StoreFigures.Deliveries] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT sink, state, entries FROM tally WHERE entries > 0 ORDER BY sink, state")
    return try rows.map { row in
      guard let state = DeliveryState(rawValue: try row["state"]) else { throw StoreError.unreadable(column: "state") }
      return try StoreFigures.Deliveries(sink: row["sink"], state: state, count: row["entries"])
    }
  }

  /// By reason; what was not looked at has none, so that the sum is right.
  private static func deadLetters(
    _ db: Database, _ deliveries: [StoreFigures.Deliveries]
  ) throws -> [StoreFigures.DeadLetters] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT sink, coalesce(reason, '') AS reason, count(*) AS entries FROM (
          SELECT sink, reason FROM delivery WHERE state = 'dead' AND state <> 'pending' LIMIT ?)
        GROUP BY sink, reason ORDER BY sink, reason
        """, arguments: [StoreFigures.deadLetterLimit])
    var letters = try rows.map { row in
      let reason: String = try row["reason"]
      return try StoreFigures.DeadLetters(sink: row["sink"], reason: reason, count: row["entries"])
    }
    for dead in deliveries where dead.state == .dead {
      let rest = dead.count - letters.reduce(0) { $0 + ($1.sink == dead.sink ? $1.count : 0) }
      if rest > 0 { letters.append(StoreFigures.DeadLetters(sink: dead.sink, reason: nil, count: rest)) }
    }
    return letters
  }

  private static func meterFigures(_ db: Database) throws -> [StoreFigures.Meter] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT uuid, read_us FROM meter WHERE read_us > 0 ORDER BY read_us DESC LIMIT ?",
      arguments: [StoreFigures.meterLimit])
    return try rows.map { row in
      guard let uuid = UUID(uuidString: try row["uuid"]) else { throw StoreError.unreadable(column: "uuid") }
      return try StoreFigures.Meter(uuid: uuid, readMicroseconds: row["read_us"])
    }
  }
}
