import Foundation
import HostPrimitives
import TestSupport
import Testing

/// A database of Health Connect with the platform's names of tables and columns, written by statements of SQL.
///
/// Times are told as ``Export`` takes them, in UTC; the rows' own clock is an hour ahead.
struct ConnectDatabase {
  private var statements: [String] = [
    "CREATE TABLE application_info_table (row_id INTEGER PRIMARY KEY, package_name TEXT NOT NULL UNIQUE, app_name TEXT)",
    "CREATE TABLE health_data_category_priority_table (row_id INTEGER PRIMARY KEY, health_data_category INTEGER UNIQUE, "
      + "app_id_priority_order TEXT)",
  ]
  private var tables: Set<String> = []
  private var serial = 0

  /// - Parameters:
  ///   - apps: Packages, whose rows are numbered from 1.
  ///   - order: The owner's order of activities, `2,1`; nil: none was ever set.
  init(apps: [String], order: String? = nil) {
    for (index, app) in apps.enumerated() {
      statements.append("INSERT INTO application_info_table VALUES (\(index + 1), '\(app)', NULL)")
    }
    if let order {
      statements.append("INSERT INTO health_data_category_priority_table VALUES (1, 1, '\(order)')")
    }
  }

  /// One record of an interval; its values by column, each as SQL writes it.
  mutating func add(
    _ table: String, app: Int = 1, _ start: String, _ end: String, changed: Int64 = 0,
    _ values: KeyValuePairs<String, String>
  ) {
    if tables.insert(table).inserted {
      let columns = values.map { ", \($0.key)" }.joined()
      statements.append(
        "CREATE TABLE \(table) (row_id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB UNIQUE, last_modified_time INTEGER, "
          + "app_info_id INTEGER, recording_method INTEGER, start_time INTEGER, start_zone_offset INTEGER, "
          + "end_time INTEGER, end_zone_offset INTEGER\(columns))")
    }
    serial += 1
    let uuid = "X'" + String(repeating: "11", count: 12) + Int64(serial).digits(8) + "'"
    let times = [Export.time(start), Export.time(end)].map { $0 / 1_000 }
    statements.append(
      "INSERT INTO \(table) VALUES (NULL, \(uuid), \(times[1] + changed), \(app), 2, \(times[0]), 3600, \(times[1]), 3600"
        + values.map { ", \($0.value)" }.joined() + ")")
  }

  /// The database's file, as `health_connect_export.db` is in an export.
  func bytes() throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "health_connect_export.db")
    let script = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.executescript(sys.argv[2]); db.commit()"
    let done = try ChildProcess.run(
      tool: "python3", ["-c", script, path.path, statements.joined(separator: ";\n")])
    try #require(done.status == 0, "\(done.err)")
    return [UInt8](try Data(contentsOf: path))
  }
}
