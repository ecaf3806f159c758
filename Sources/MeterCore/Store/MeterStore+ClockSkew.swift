internal import Foundation
internal import GRDB

extension MeterStore {
  private static let skewSetting = "clock_skew:"

  /// How far the clocks of receivers were from this machine's when it was last worth noting, by sink.
  package func clockSkews() throws(StoreError) -> [String: ClockSkew] {
    try reading { db in
      let rows = try Row.fetchAll(
        db, sql: "SELECT name, value FROM setting WHERE name GLOB ?", arguments: [Self.skewSetting + "*"])
      var skews: [String: ClockSkew] = [:]
      for row in rows {
        let sink = String((try row["name"] as String).dropFirst(Self.skewSetting.count))
        let text: String = try row["value"]
        // One of another version, or a damaged one, is for people only and tells nothing.
        skews[sink] = try? JSONDecoder().decode(ClockSkew.self, from: Data(text.utf8))
      }
      return skews
    }
  }

  func noteClockSkew(_ skew: ClockSkew, sink: String) throws(StoreError) {
    try transaction(.repetition) { db in try Self.noteClockSkew(db, skew, sink: sink) }
  }

  static func noteClockSkew(_ db: Database, _ skew: ClockSkew, sink: String) throws {
    let text = String(decoding: try JSONEncoder().encode(skew), as: UTF8.self)
    try db.execute(
      sql: "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      arguments: [skewSetting + sink, text])
  }
}
